#include "mcp/tools/search_words.h"

#include "base/text/format.h"
#include "mcp/render/fence.h"
#include "mcp/tools/calls.h"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace ladder::mcp {
namespace {

constexpr std::size_t kMaxWords = 8;  // listed individually
constexpr std::size_t kMaxNear = 3;   // suggestions per word
constexpr std::string_view kNameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ";

std::string line_for(const api::SearchedWord& word) {
  std::string line = format("word {}: in {} record(s)", quoted_line(word.word), word.records);
  for (std::size_t i = 0; i < std::min(kMaxNear, word.near.size()); ++i) {
    line += (i == 0 ? "; nearest: " : ", ") + quoted_line(word.near[i]);
  }
  return line + "\n";
}

// Describes the words that were found, and the nearest ones of those that were not.
std::string findable(const api::SearchPage& page) {
  std::string query;
  for (const api::SearchedWord& word : page.searched_words) {
    const std::string& instead = word.records > 0 ? word.word : word.near.empty() ? std::string() : word.near.front();
    if (!instead.empty()) query += (query.empty() ? "" : " ") + instead;
  }
  return query;
}

ToolCall next_try(const api::SearchPage& page, const api::SearchRequest& request, const boost::json::object& given) {
  boost::json::object args = given;
  args.erase("cursor");
  args.erase("q");
  args.erase("group");
  const std::string query = findable(page);
  if (query.empty()) return {"schema", "{}"};
  const bool narrowed = request.since || request.until || !request.filters.empty();
  // If the words were all found but never together, suggests searching for any of them, then without a time range.
  if (query == request.q) {
    if (request.match_all) args.erase("match");
    else if (narrowed) {
      for (const char* const name : {"since", "until", "filter"}) args.erase(name);
    } else {
      return {"schema", "{}"};
    }
  }
  args["query"] = query;
  if (request.match_all && query != request.q) args["match"] = "any";
  return {"search", boost::json::serialize(args)};
}

constexpr std::size_t kMaxLanguages = 8;  // languages that are listed
constexpr std::size_t kMaxNameBytes = 40;

// A remote server may send any text as a name.
bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= kMaxNameBytes && name.find_first_not_of(kNameLetters) == std::string::npos;
}

std::vector<const api::SearchLanguage*> named_languages(const api::SearchPage& page) {
  std::vector<const api::SearchLanguage*> named;
  for (const api::SearchLanguage& each : page.languages) {
    if (is_name(each.name) && named.size() < kMaxLanguages) named.push_back(&each);
  }
  return named;
}

}  // namespace

std::optional<ToolCall> call_in_other_languages(const api::SearchPage& page, const boost::json::object& given) {
  boost::json::array also;
  for (const api::SearchLanguage* const each : named_languages(page)) {
    if (!each->asked && also.size() < api::kMaxFurtherWordings) also.emplace_back(format("<the question in {}>", each->name));
  }
  if (also.empty()) return std::nullopt;
  boost::json::object args = given;
  args["also"] = std::move(also);
  return ToolCall{"search", boost::json::serialize(args)};
}

std::string languages_text(const api::SearchPage& page, const boost::json::object& given) {
  const auto call = call_in_other_languages(page, given);
  if (!call) return {};
  const std::vector<const api::SearchLanguage*> named = named_languages(page);
  std::string names;
  for (std::size_t i = 0; i < named.size(); ++i) {
    names += (i == 0 ? "" : i + 1 == named.size() ? " and " : ", ") + named[i]->name;
  }
  return format("found little: the records searched are in {}; try {}\n", names, line_of(*call));
}

std::string words_text(const api::SearchPage& page, const api::SearchRequest& request, const boost::json::object& given) {
  std::string text;
  const std::size_t shown = std::min(kMaxWords, page.searched_words.size());
  for (std::size_t i = 0; i < shown; ++i) text += line_for(page.searched_words[i]);
  if (shown < page.searched_words.size()) text += format("more_words={}\n", page.searched_words.size() - shown);
  if (shown > 0 && page.hits.empty()) text += format("nothing found; try {}\n", line_of(next_try(page, request, given)));
  return text;
}

}  // namespace ladder::mcp
