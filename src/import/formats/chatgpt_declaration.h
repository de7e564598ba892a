// What a ChatGPT export is to Ladder: conversations and their messages.
#pragma once

namespace ladder::imports::chatgpt {

const char* chatgpt_declaration();

}  // namespace ladder::imports::chatgpt
