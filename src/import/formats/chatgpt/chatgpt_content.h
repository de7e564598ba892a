// Converts the content of a ChatGPT message, in any of its formats, to text.
#pragma once

#include "json/scan/scan.h"

#include <string>
#include <vector>

namespace ladder::imports::chatgpt {

struct Content {
  std::string type;                      // the name in the export: "text", "code", "multimodal_text", …
  std::string text;                      // all readable text; images and audio are named in brackets
  std::string language;                  // of code
  std::string url;                       // of a quoted page
  std::vector<std::string> attachments;  // names or addresses of images, audio and files
  bool known = true;                     // false for an unknown format: keep the JSON as well
};

// `content` is the member of a message; it may be null or of any type.
Content read_content(const json::Value& content);

// ChatGPT marks the positions of sources and links with private-use characters. `references` (the message's
// `content_references`) contains the text to show there. Unknown marks are kept.
void write_out_references(std::string& text, const json::Value& references);

// Returns true if there is nothing to keep: no text, no image, no unknown format.
bool is_blank(const json::Value& content);

}  // namespace ladder::imports::chatgpt
