// A page of hits as evidence: the best matching window of each hit, cut to a snippet around its words, or the statement that
// there is none. Both channels are built from it (design D9).
#pragma once

#include "api/content_ladder.h"
#include "api/search.h"
#include "mcp/context.h"
#include "mcp/render/calls.h"
#include "mcp/render/content_ladder_json.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::mcp {

struct HitView {
  std::string id, title, url;
  const api::SearchHit* hit = nullptr;
  const api::Excerpt* excerpt = nullptr;  // from its ladder
  ToolCall read;                          // reads the excerpt's field from the excerpt on, if there is one
  bool shows_neighbours = false;          // the call that lists the surrounding messages is printed here
  bool names_record = true;               // false: the server returned neither stream nor key, so the record cannot be read

  bool is_proven() const { return excerpt != nullptr; }
  bool is_cut() const { return is_proven() && excerpt->status != api::PreviewStatus::kComplete; }
};

// Its members point into it, so it is movable but not copyable.
struct SearchView {
  explicit SearchView(const api::SearchPage& of) : page(&of) {}
  SearchView(const SearchView&) = delete;
  SearchView& operator=(const SearchView&) = delete;
  SearchView(SearchView&&) = default;
  SearchView& operator=(SearchView&&) = default;
  ~SearchView() = default;

  const api::SearchPage* page;
  std::vector<HitView> hits;
  std::vector<api::LadderRecord> ladder;  // for hits that name a record: one excerpt, or `unavailable`
  std::vector<std::string_view> ids;      // the ids of these records
};

// Reduces the page to what search_view shows: the snippet of each hit's best window.
void keep_snippets(api::SearchPage& page, const std::string& query, std::int64_t snippet_chars);

// The page must outlive the view.
SearchView search_view(const Context& context, const api::SearchPage& page, const std::string& query, std::int64_t snippet_chars);

// Renders the evidence, one line per hit: the record, time, author, matching words, and the call that reads from there. Then
// the summary, the ids of hits without evidence on a separate line, and the next call. At most kSearchProseBytes in addition to
// hit lines and ids.
std::string search_text(const SearchView& view, const api::SearchRequest& request, const boost::json::object& given);

std::string search_json(const Context& context, const SearchView& view, const boost::json::object& given);

}  // namespace ladder::mcp
