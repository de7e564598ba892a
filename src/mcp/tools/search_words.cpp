#include "mcp/tools/search_words.h"

#include "base/text/format.h"
#include "mcp/render/fence.h"
#include "mcp/tools/calls.h"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace ladder::mcp {
namespace {

constexpr std::size_t kMaxWords = 8;  // told one by one
constexpr std::size_t kMaxNear = 3;   // for each

std::string line_for(const api::SearchedWord& word) {
  std::string line = format("word {}: in {} record(s)", quoted_line(word.word), word.records);
  for (std::size_t i = 0; i < std::min(kMaxNear, word.near.size()); ++i) {
    line += (i == 0 ? "; nearest: " : ", ") + quoted_line(word.near[i]);
  }
  return line + "\n";
}

// The words that are there, and the nearest of those that are not.
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
  // The same words that are all there were found together nowhere: any of them will do, then at any time.
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

}  // namespace

std::string words_text(const api::SearchPage& page, const api::SearchRequest& request, const boost::json::object& given) {
  std::string text;
  const std::size_t told = std::min(kMaxWords, page.searched_words.size());
  for (std::size_t i = 0; i < told; ++i) text += line_for(page.searched_words[i]);
  if (told < page.searched_words.size()) text += format("more_words={}\n", page.searched_words.size() - told);
  if (told > 0 && page.hits.empty()) text += format("nothing found; try {}\n", line_of(next_try(page, request, given)));
  return text;
}

}  // namespace ladder::mcp
