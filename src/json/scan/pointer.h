// RFC 6901 JSON Pointers over checked JSON text.
#pragma once

#include "base/error/error.h"
#include "json/scan/scan.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::json {

// The decoded reference tokens of "/a/b~1c"; "" is the whole document (no tokens). kInvalidFieldPath if malformed or
// too deep.
Result<std::vector<std::string>> parse_pointer(std::string_view pointer);
std::string format_pointer(const std::vector<std::string>& tokens);
void append_token(std::string& pointer, std::string_view token);  // "/" and the token, escaped

// Parses a token as an array index: digits without leading zeros. nullopt for anything else, including "-".
std::optional<std::uint64_t> array_index(std::string_view token);

// Resolves one token or several from a value; nullopt if there is no such value.
std::optional<Value> step(const Value& from, std::string_view token);
std::optional<Value> resolve(Value from, const std::vector<std::string>& tokens, std::size_t first = 0);

}  // namespace ladder::json
