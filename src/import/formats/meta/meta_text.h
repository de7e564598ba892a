// Texts of Meta's exports: UTF-8 bytes are written as if each were a character.
#pragma once

#include "json/scan/scan.h"

#include <string>
#include <string_view>

namespace ladder::imports::meta {

// "Ã©" → "é". Text with characters above U+00FF, or that does not become valid UTF-8, is returned unchanged.
std::string repaired(std::string_view text);
// The repaired text of a string or number; "" for anything else.
std::string text_in(const json::Value& value);
std::string text_in(const json::Value& object, std::string_view name);

}  // namespace ladder::imports::meta
