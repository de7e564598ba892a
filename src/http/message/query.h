// Query strings, the way PDPP clients write them: repeated keys, `key[]`, and nested brackets `filter[field][gte]=v`
// (PDPP "reads"). Bounded in parameters, depth and length; percent-decoding is strict and gives valid UTF-8.
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

  std::string spelled() const;  // filter[field][gte], the way an error names it
};

class Query {
 public:
  // kInvalidRequest naming the parameter.
  static Result<Query> parse(std::string_view raw);

  // A plain parameter given once; empty values count as absent. kInvalidRequest when given more than once or with brackets.
  Result<std::optional<std::string>> one(std::string_view name) const;
  // All values of a plain or `[]` parameter, in order; comma-separated ones are split when `split_commas`.
  Result<std::vector<std::string>> many(std::string_view name, bool split_commas = false) const;
  std::vector<const Parameter*> nested(std::string_view name) const;  // those with a path
  bool has(std::string_view name) const;
  // kInvalidRequest naming the first parameter that is not among these.
  Status only(std::span<const std::string_view> known) const;
  Status only(std::initializer_list<std::string_view> known) const { return only(std::span(known.begin(), known.size())); }
  const std::vector<Parameter>& all() const { return parameters_; }

 private:
  std::vector<Parameter> parameters_;
};

// Percent decoding of paths and queries: strict, once, and only into valid UTF-8.
enum class Plus : std::uint8_t { kPlus, kSpace };  // what "+" stands for: itself in a path, a space in a query

// nullopt when a % lacks its two hexadecimal digits, or the bytes are not valid UTF-8 or contain a NUL.
std::optional<std::string> percent_decoded(std::string_view text, Plus plus);

}  // namespace ladder::http
