// Turns the content of a ChatGPT message, in any of its many shapes, into text.
#pragma once

#include "json/scan/scan.h"

#include <string>
#include <vector>

namespace ladder::imports::chatgpt {

struct Content {
  std::string type;                      // as the export names it: "text", "code", "multimodal_text", …
  std::string text;                      // everything readable in it; pictures and sounds are named in brackets
  std::string language;                  // of code
  std::string url;                       // of a quoted page
  std::vector<std::string> attachments;  // names or addresses of pictures, sounds and files
  bool known = true;                     // false: a shape that this program does not know; keep the JSON as well
};

// `content` is the member of a message; null and anything else are allowed.
Content read_content(const json::Value& content);

// ChatGPT marks the places of sources and links with private characters that nobody can read; `references` (the message's
// `content_references`) say what is shown there. A mark that they do not name stays.
void write_out_references(std::string& text, const json::Value& references);

// Nothing in it to keep: no text, no picture, no unknown shape.
bool is_blank(const json::Value& content);

}  // namespace ladder::imports::chatgpt
