// A page of hits as evidence: for each hit the best proven window, cut to a snippet around its words, or the plain statement that
// there is none. Both channels are made from this (design D9).
#pragma once

#include "api/ladder.h"
#include "api/search.h"
#include "mcp/render/ladder_json.h"
#include "mcp/tools/calls.h"
#include "mcp/tools/tools.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::mcp {

struct HitView {
  std::string id, title, url;
  const api::SearchHit* hit = nullptr;
  const api::Excerpt* excerpt = nullptr;  // of its ladder
  ToolCall read;                          // of the excerpt's field, from the excerpt on, where there is one
  bool shows_neighbours = false;          // the call that lists the messages around it is printed here
  bool names_record = true;               // false: the server gave neither stream nor key, and nothing can be read

  bool is_proven() const { return excerpt != nullptr; }
  bool is_cut() const { return is_proven() && excerpt->status != api::PreviewStatus::kComplete; }
};

// Its members point into itself, so it is moved and never copied.
struct SearchView {
  explicit SearchView(const api::SearchPage& of) : page(&of) {}
  SearchView(const SearchView&) = delete;
  SearchView& operator=(const SearchView&) = delete;
  SearchView(SearchView&&) = default;
  SearchView& operator=(SearchView&&) = default;
  ~SearchView() = default;

  const api::SearchPage* page;
  std::vector<HitView> hits;
  std::vector<api::LadderRecord> ladder;  // of the hits that name a record: one excerpt, or `unavailable`
  std::vector<std::string_view> ids;      // of these
};

// Leaves of the page what search_view shows of it: of each hit the snippet of its best window.
void leave_snippets(api::SearchPage& page, const std::string& query, std::int64_t snippet_chars);

// The page must outlive the view.
SearchView search_view(const Context& context, const api::SearchPage& page, const std::string& query, std::int64_t snippet_chars);

// Evidence first, one line a hit: what it is, when and by whom, the words found, and the call that reads from there on. Then the
// summary; ids of hits without proof under one line that says so; the next call last. At most kSearchProseBytes beside hit lines
// and ids.
std::string search_text(const SearchView& view, const api::SearchRequest& request, const boost::json::object& given);

std::string search_json(const Context& context, const SearchView& view, const boost::json::object& given);

}  // namespace ladder::mcp
