// Keys that cannot stand in an id as they are ("/", "\\", ".."), written so that they can (design D11):
//
//   {connection_id}/{stream}:/{escaped}     the "/" behind the ":" says so; no id had one there before
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ladder::model {

// "/", "\\", the second of two dots, "%" and whatever deceives the eye as %XX; everything else as it is. Of valid UTF-8.
std::string escaped_key(std::string_view key);

// The key behind such an escape; nothing for a text that escaped_key does not write, or for a key that needs no escapes: every
// record has one id.
std::optional<std::string> unescaped_key(std::string_view text);

// It breaks a line, hides or turns the text around it.
bool deceives(char32_t c);

}  // namespace ladder::model
