// Builds the page of a search: the hits of one wording, of several fused wordings, or of a time range, and the next
// cursor.
#include "server/read/list_walk.h"
#include "server/search/search_hit.h"
#include "server/search/search_read.h"
#include "server/search/time_list.h"

#include <algorithm>

namespace ladder::server {

api::SearchPage SearchRead::begin_page() const {
  api::SearchPage page;
  warn_of_clamp(request_.limit, page.warnings);
  // Warnings about streams that are never searched help only a caller that narrowed the search.
  const bool is_narrowed = !request_.streams.empty() || !request_.filters.empty();
  if (is_narrowed || plan_->streams().empty()) {
    page.warnings.insert(page.warnings.end(), plan_->warnings().begin(), plan_->warnings().end());
  }
  warn_of_times(page);
  warn_of_time_words(page);
  page.pending_scopes = plan_->pending();
  page.recall.complete = false;
  return page;
}

// A record may mention a time that is not its own. If the range from the question has no hit, its words are searched
// instead.
Result<std::optional<api::SearchPage>> SearchRead::search(store::Reader& reader) {
  LADDER_TRY(auto page, search_words(reader));
  if (!page || !times_are_words_) return page;
  if (lists_ || !request_.cursor.empty() || !page->hits.empty() || plan_->streams().empty()) return page;
  times_ = {};
  times_are_words_ = false;
  LADDER_CHECK(parse_words(request_.q));
  return search_words(reader);
}

// A closed range is listed from oldest to newest like a calendar, and an open one from newest to oldest.
Result<std::optional<api::SearchPage>> SearchRead::list(store::Reader& reader) {
  api::SearchPage page = begin_page();
  if (plan_->streams().empty()) return page;
  store::WordSearch search = question();
  if (search.order == text::WordOrder::kScore) {
    search.order = times_.since && times_.until ? text::WordOrder::kOldest : text::WordOrder::kNewest;
  }
  LADDER_TRY(const store::WordPage found, list_by_time(reader, plan_->streams(), search));
  page.count = found.matches;
  page.count_exact = found.exact;
  page.recall.complete = found.exact;
  page.recall.ranked_candidates = found.ranked;
  page.recall.sources_searched = plan_->connections();
  LADDER_TRY(const bool whole, fill(reader, found, page));
  if (!whole) return std::nullopt;
  end_page(found, page);
  return page;
}

Result<std::optional<api::SearchPage>> SearchRead::search_words(store::Reader& reader) {
  if (lists_) return list(reader);
  if (!from_) LADDER_CHECK(learn_languages(reader));
  LADDER_CHECK(widen_group(reader));
  if (wordings_.size() > 1) return search_wordings(reader);
  api::SearchPage page = begin_page();
  if (plan_->streams().empty()) return page;

  LADDER_TRY(const store::WordPage found, find(reader));
  page.count = found.matches;
  page.count_exact = found.exact;
  page.count_all_words = found.matches_all;
  page.recall.complete = found.exact && page.pending_scopes == 0;
  page.recall.ranked_candidates = found.ranked;
  page.recall.sources_searched = plan_->connections();
  LADDER_TRY(const bool whole, fill(reader, found, page));
  if (!whole) return std::nullopt;
  warn_of_words(page);
  explain(found, page);
  LADDER_CHECK(report_languages(reader, page));
  warn_of_common_words(found.weights, page);
  end_page(found, page);
  return page;
}

// Searches every wording in the same snapshot and fuses their first hits. The count is a lower bound, since wordings
// may match the same records.
Result<std::optional<api::SearchPage>> SearchRead::search_wordings(store::Reader& reader) {
  api::SearchPage page = begin_page();
  if (plan_->streams().empty()) return page;
  const std::int64_t wanted = limit_;
  limit_ = kFusedHits;
  FusedHits fused(plan_->streams(), static_cast<text::WordOrder>(request_.order), !group_);
  page.recall.sources_searched = plan_->connections();
  page.recall.ranked_candidates = 0;
  for (const text::WordQuery& wording : wordings_) {
    query_ = wording;
    LADDER_TRY(store::WordPage found, find(reader));
    page.count = std::max(page.count.value_or(0), found.matches);
    *page.recall.ranked_candidates += found.ranked;
    warn_of_words(page);
    explain(found, page);
    fused.add(query_, std::move(found));
  }
  limit_ = wanted;
  page.count = std::max(*page.count, fused.rank());
  page.count_exact = false;
  fused.leave_out(shown_);
  LADDER_TRY(const bool whole, fill(reader, fused, page));
  if (!whole) return std::nullopt;
  const auto end_after = [&](std::size_t count) {
    page.hits.resize(count);
    page.has_more = count < fused.hits().size();
    if (!page.has_more) return;
    SearchPosition position;
    position.shown = shown_;
    if (times_are_words_) position.times = times_;
    for (std::size_t i = 0; i < count; ++i) position.shown.push_back(fused.hits()[i].hash);
    page.next_cursor = seal_search(sealer_, binding_, position);
  };
  end_after(page.hits.size());
  const std::size_t kept = api::hits_to_keep(request_.budget, page);
  if (kept < page.hits.size()) end_after(kept);
  if (request_.budget) request_.budget->trim_hits(page);
  return page;
}

Result<bool> SearchRead::fill(store::Reader& reader, FusedHits& fused, api::SearchPage& page) {
  for (const FusedHits::Fused& hit : fused.hits()) {
    if (std::ssize(page.hits) == limit_) break;
    LADDER_TRY(auto made, build_hit(reader, *plan_->streams()[hit.hit->sort_key.scope], *hit.query, *hit.hit));
    if (!made) return false;
    if (made->group) made->group->exact = false;
    made->score = hit.score;
    page.hits.push_back(*std::move(made));
  }
  return true;
}

// Reports how many records have each word, if nothing was found or a word has no record.
void SearchRead::explain(const store::WordPage& found, api::SearchPage& page) const {
  const bool none = found.matches == 0 || std::ranges::find(found.counts, 0) != found.counts.end();
  if (found.counts.size() != query_.terms.size() || !none) return;
  for (std::size_t i = 0; i < query_.terms.size(); ++i) {
    const auto absent = absent_.find(i);
    if (absent != absent_.end()) page.searched_words.push_back(absent->second);
    else page.searched_words.push_back({.word = query_.terms[i].typed, .records = found.counts[i]});
  }
}

Result<bool> SearchRead::fill(store::Reader& reader, const store::WordPage& found, api::SearchPage& page) {
  const std::vector<const SearchStream*>& places = plan_->streams();
  for (const store::WordHit& hit : found.hits) {
    LADDER_TRY(auto made, build_hit(reader, *places[hit.sort_key.scope], query_, hit));
    if (!made) return false;
    if (made->group) made->group->exact = found.all_in_head;
    page.hits.push_back(*std::move(made));
  }
  return true;
}

// Truncates the page to what the caller has room for and sets the next cursor.
void SearchRead::end_page(const store::WordPage& found, api::SearchPage& page) const {
  page.has_more = found.more && found.last;
  if (page.has_more) page.next_cursor = cursor_after(found, *found.last);
  const std::size_t kept = api::hits_to_keep(request_.budget, page);
  if (kept < page.hits.size()) {
    page.hits.resize(kept);
    page.has_more = true;
    page.next_cursor = cursor_after(found, found.hits[kept - 1].sort_key);
  }
  if (request_.budget) request_.budget->trim_hits(page);
}

std::string SearchRead::cursor_after(const store::WordPage& found, const text::HitSortKey& last) const {
  const auto named = [&](const auto& place) {
    const ConnectionStream& at = plan_->streams()[place.scope]->stream();
    return SearchedRecord{place.time, place.key, at.connection->row.connection_id, at.declared->name};
  };
  SearchPosition position{last.score, named(last), found.weights, {}, changes_};
  if (found.head_end) position.head_end = {found.head_end->score, named(*found.head_end)};
  if (times_are_words_) position.times = times_;
  return seal_search(sealer_, binding_, position);
}

}  // namespace ladder::server
