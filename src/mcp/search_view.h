// A page of hits as evidence: for each hit the best proven window, cut to a snippet around its words, or the plain statement that
// there is none. Both channels are made from this (design D9).
#pragma once

#include "evidence/ladder.h"
#include "mcp/tool.h"
#include "port/search.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::mcp {

struct HitView {
  std::string id, title, url;
  const port::SearchHit* hit = nullptr;
  evidence::LadderRecord ladder;  // one excerpt, or `unavailable`
  bool names_record = true;       // false: the server gave neither stream nor key, and nothing can be read

  bool is_proven() const { return !ladder.excerpts.empty(); }
};

struct SearchView {
  const port::SearchPage* page = nullptr;
  std::vector<HitView> hits;
};

// The page must outlive the view.
SearchView search_view(const Context& context, const port::SearchPage& page, const std::string& query,
                       std::int64_t snippet_chars);

// Evidence first, one line a hit; then the summary; ids of hits without proof under one line that says so; the next call last.
// At most kSearchProseBytes beside hit lines and ids.
std::string search_text(const SearchView& view, const boost::json::object& given);

// Where the read calls stand in structuredContent; at least one place has them, and the text always.
struct SearchCalls {
  bool in_results = true, in_ladder = true;
};
std::string search_json(const Context& context, const SearchView& view, const port::SearchRequest& request,
                        const SearchCalls& calls);

}  // namespace ladder::mcp
