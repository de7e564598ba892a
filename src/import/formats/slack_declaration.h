// What a Slack export is to Ladder: channels, users and messages.
#pragma once

namespace ladder::imports::slack {

const char* slack_declaration();

}  // namespace ladder::imports::slack
