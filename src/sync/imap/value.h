// The values of an IMAP response: atoms, strings, NIL and lists (RFC 3501 section 4). They point into the bytes of the response.
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::sync::imap {

struct Value {
  enum class Kind : std::uint8_t { kNil, kAtom, kQuoted, kLiteral, kList };
  Kind kind = Kind::kNil;
  std::string_view raw;      // of an atom, of a quoted string with its escapes, or of a literal
  std::vector<Value> items;  // of a list

  bool is_list() const { return kind == Kind::kList; }
  std::string text() const;  // without escapes; empty for NIL and lists
  bool is_atom(std::string_view upper_case) const;
  std::optional<std::uint64_t> number() const;
};

// Parses the values of one complete response up to its end. kRsProtocol if they are malformed, nested more than kMaxDepth deep
// or more than kMaxValues.
inline constexpr int kMaxDepth = 24;
inline constexpr std::size_t kMaxValues = 1'000'000;
Result<std::vector<Value>> parse_values(std::string_view bytes);

std::string upper_case(std::string_view text);  // of ASCII letters
std::optional<std::uint64_t> parse_number(std::string_view digits);

}  // namespace ladder::sync::imap
