// Parses a tool's arguments against its flat schema. Every key has a known name and type; other keys are rejected before the
// resource server is called. Unambiguous variants are accepted: null and {} for absent, "10" for 10, a string for a list of
// one. The first error is kept and later values read as absent, so that a tool can read all its arguments and check for an
// error once.
#pragma once

#include "api/records.h"
#include "base/error/error.h"
#include "mcp/tools/tools.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::mcp {

class Arguments {
 public:
  // `given` must outlive this object.
  Arguments(const boost::json::object& given, std::initializer_list<std::string_view> known);

  bool has(std::string_view name) const;
  std::optional<std::string> text(std::string_view name);
  std::string text_or_empty(std::string_view name) { return text(name).value_or(""); }
  std::string name(std::string_view name);  // a non-empty text; "" if absent
  std::string required(std::string_view name);
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most);
  std::vector<std::string> names(std::string_view name);  // an array of non-empty texts; empty if absent
  std::string choice(std::string_view name, std::span<const std::string_view> choices);  // "" if absent
  std::vector<api::Filter> filters();                                                    // from `filter`: kInvalidFilter
  std::vector<std::pair<std::string, std::int64_t>> expand_limits();                     // from `expand_limit`: kInvalidExpand

  // Returns a stream name; rejects path traversal (kInvalidId).
  std::string stream(std::string_view name);

  void refuse(Error error);  // keeps the first error only
  Status status() const;

 private:
  const boost::json::value* find(std::string_view name) const;
  void wrong(std::string_view name, std::string_view what);
  void check_size();
  void read_filter(std::string_view field, const boost::json::value& value, std::vector<api::Filter>& into);

  const boost::json::object& given_;
  std::optional<Error> first_;
};

// Returns the words of a table in api/wire_words.h as choices.
template <class Words>
constexpr auto words_of(const Words& table) {
  std::array<std::string_view, std::tuple_size_v<Words>> words;
  std::ranges::transform(table, words.begin(), [](const auto& entry) { return entry.first; });
  return words;
}

inline constexpr std::size_t kMaxArgumentBytes = 8'192;  // the arguments as JSON; responses and errors repeat them
inline constexpr std::int64_t kMaxLimit = 100;           // rows, hits or groups per response

// Checks whether relations can be expanded, before the records are requested (PDPP "tools").

// Returns kInvalidExpand with the stream and its relations. Accepts the request if the schema is unavailable or does not
// contain the stream; the resource server then decides.
Status check_expand(const Context& context, const std::string& stream, const std::string& connection_id,
                    const std::vector<std::string>& relations);

}  // namespace ladder::mcp
