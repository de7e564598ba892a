// A value that is shown in part.
#pragma once

#include <cstdint>
#include <string>

namespace ladder::evidence {

// What it is and how to read on (the read call is made from record, path and shown_chars).
struct CutField {
  std::string path;
  std::string type;  // string, object or array
  std::string mime_type;
  bool text_like = true;  // false: base64, of which nothing is shown
  std::int64_t size_chars = 0;
  std::int64_t shown_chars = 0;
  std::string digest;
};

}  // namespace ladder::evidence
