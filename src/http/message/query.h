// Query strings as PDPP clients write them: repeated keys, `key[]`, and nested brackets `filter[field][gte]=v` (PDPP "reads").
// The number, depth and length of parameters are limited; percent-decoding is strict and produces valid UTF-8.
#pragma once

#include "base/error/error.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::http {

inline constexpr std::size_t kMaxQueryParameters = 256;
inline constexpr std::size_t kMaxQueryDepth = 8;

struct Parameter {
  std::string name;               // "filter"
  std::vector<std::string> path;  // {"field", "gte"}; an empty segment for "[]" is dropped
  std::string value;
  bool list = false;  // written with "[]"

  std::string spelled() const;  // filter[field][gte], as errors name it
};

class Query {
 public:
  // Returns kInvalidRequest with the name of the parameter.
  static Result<Query> parse(std::string_view raw);

  // Returns a plain parameter given once; an empty value counts as absent. Returns kInvalidRequest if it is repeated or has
  // brackets.
  Result<std::optional<std::string>> one(std::string_view name) const;
  // Returns all values of a plain or `[]` parameter, in order; comma-separated values are split if `split_commas`.
  Result<std::vector<std::string>> many(std::string_view name, bool split_commas = false) const;
  std::vector<const Parameter*> nested(std::string_view name) const;  // those with a path
  bool has(std::string_view name) const;
  // Returns kInvalidRequest with the name of the first parameter that is not in the list.
  Status only(std::span<const std::string_view> known) const;
  Status only(std::initializer_list<std::string_view> known) const { return only(std::span(known.begin(), known.size())); }
  const std::vector<Parameter>& all() const { return parameters_; }

 private:
  std::vector<Parameter> parameters_;
};

// Percent-decodes paths and queries: strictly, once, and only to valid UTF-8.
enum class Plus : std::uint8_t { kPlus, kSpace };  // the meaning of "+": itself in a path, a space in a query

// Returns nullopt if a % lacks its two hex digits, or the result contains a NUL or is not valid UTF-8.
std::optional<std::string> percent_decoded(std::string_view text, Plus plus);

}  // namespace ladder::http
