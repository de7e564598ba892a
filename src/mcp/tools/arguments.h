// A tool's arguments, read against its flat schema: every key is known by name and type, whatever else is there is refused before
// anything is asked of the resource server. What means one thing only is taken for it: null and {} for nothing, "10" for 10, a
// text for a list of one. The first fault is kept and the rest reads as absent, so that a tool reads its
// arguments in a straight line and asks once at the end.
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
  // `given` must outlive this.
  Arguments(const boost::json::object& given, std::initializer_list<std::string_view> known);

  bool has(std::string_view name) const;
  std::optional<std::string> text(std::string_view name);
  std::string text_or_empty(std::string_view name) { return text(name).value_or(""); }
  std::string name(std::string_view name);  // a text that is not empty; "" when absent
  std::string required(std::string_view name);
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most);
  std::vector<std::string> names(std::string_view name);  // an array of texts, none empty; none when absent
  std::string choice(std::string_view name, std::span<const std::string_view> choices);  // "" when absent
  std::vector<api::Filter> filters();                                                    // of `filter`: kInvalidFilter
  std::vector<std::pair<std::string, std::int64_t>> expand_limits();                     // of `expand_limit`: kInvalidExpand

  // A stream's name: what a path could be climbed with is refused (kInvalidId).
  std::string stream(std::string_view name);

  void refuse(Error error);  // kept unless there was a fault before
  Status status() const;

 private:
  const boost::json::value* find(std::string_view name) const;
  void wrong(std::string_view name, std::string_view what);
  void check_size();
  void read_filter(std::string_view field, const boost::json::value& value, std::vector<api::Filter>& into);

  const boost::json::object& given_;
  std::optional<Error> first_;
};

// The words of a table of api/wire_words.h, as choices.
template <class Words>
constexpr auto words_of(const Words& table) {
  std::array<std::string_view, std::tuple_size_v<Words>> words;
  std::ranges::transform(table, words.begin(), [](const auto& entry) { return entry.first; });
  return words;
}

inline constexpr std::int64_t kMaxLimit = 100;  // rows, hits or groups of one answer

// True if relations can be expanded, asked before the records are (PDPP "tools").

// kInvalidExpand naming the stream and its relations. Open when the schema cannot be had or does not know the stream: the
// resource server has the last word.
Status check_expand(const Context& context, const std::string& stream, const std::string& connection_id,
                    const std::vector<std::string>& relations);

}  // namespace ladder::mcp
