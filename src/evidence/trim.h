// A record's data within bounds, whoever it came from: long strings cut, long objects and arrays left out, base64 never shown.
// What was cut is listed, so that an adapter can say how to read on. Everything else keeps its bytes (design D20).
#pragma once

#include "evidence/cut_field.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::evidence {

struct Trimmed {
  std::string data;           // JSON object text
  std::vector<CutField> cut;  // what came cut already, and what was cut here
};

// The text form of a value's digest; evidence itself computes none.
using Digester = std::string (*)(std::string_view text);

// `data` is checked JSON object text. Strings over max_chars are cut there; objects and arrays whose text is longer become null;
// base64 becomes "" wherever it is nested. `cut` is what the server cut; those values are only cut further.
Trimmed trim(std::string_view data, std::vector<CutField> cut, std::int64_t max_chars, Digester digest);

}  // namespace ladder::evidence
