// What a Claude export is to Ladder: conversations, their messages and attachments, projects and their documents.
#pragma once

namespace ladder::imports::claude {

const char* claude_declaration();

}  // namespace ladder::imports::claude
