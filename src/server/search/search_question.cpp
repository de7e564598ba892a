// Builds the store query of a search. Streams, fields, times, records and conditions are part of it, so that data
// outside them cannot affect hits, order or counts (design D5).
#include "server/search/search_read.h"
#include "server/search/search_reading.h"

#include <algorithm>
#include <tuple>

namespace ladder::server {
namespace {

using Places = std::vector<const SearchStream*>;

constexpr std::int64_t kNearHits = 20;  // hits examined for words similar to a missing one

static_assert(static_cast<int>(api::SearchOrder::kNewest) == static_cast<int>(text::WordOrder::kNewest) &&
              static_cast<int>(api::SearchOrder::kOldest) == static_cast<int>(text::WordOrder::kOldest));

// Returns the scope with that name or, if it is gone, the one before its position.
std::size_t scope_of(const Places& places, const SearchedRecord& record) {
  const auto name = [](const SearchStream* place) {
    return std::tie(place->stream().connection->row.connection_id, place->stream().declared->name);
  };
  const auto wanted = std::tie(record.connection_id, record.stream);
  const auto found = std::ranges::lower_bound(places, wanted, {}, name);
  const auto at = static_cast<std::size_t>(found - places.begin());
  return (found != places.end() && name(*found) == wanted) || at == 0 ? at : at - 1;
}

// Returns the columns in which each term counts, if some term names a field.
std::vector<text::WordColumns> columns_of_terms(const text::WordQuery& query, const SearchStream& place) {
  std::vector<text::WordColumns> columns;
  bool any = false;
  for (const auto* terms : {&query.terms, &query.excluded}) {
    for (const text::WordTerm& term : *terms) {
      any = any || !term.field.empty();
      text::WordColumns named = term.field.empty() ? place.scope.columns : 0;
      for (const store::WordColumn& column : place.columns) {
        if (!term.field.empty() && place.is_named(term.field, column.field)) named |= text::WordColumns{1} << column.column;
      }
      columns.push_back(named);
    }
  }
  if (!any) columns.clear();
  return columns;
}

std::optional<Instant> later(const std::optional<Instant>& a, const std::optional<Instant>& b) {
  return a && b ? std::max(*a, *b) : (a ? a : b);
}
std::optional<Instant> earlier(const std::optional<Instant>& a, const std::optional<Instant>& b) {
  return a && b ? std::min(*a, *b) : (a ? a : b);
}

}  // namespace

// Returns the plan's scopes for this query, limited to the requested times.
std::vector<store::WordScope> SearchRead::scopes() const {
  std::vector<store::WordScope> scopes = plan_->scopes();
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    store::WordScope& scope = scopes[i];
    scope.term_columns = columns_of_terms(query_, *plan_->streams()[i]);
    if (group_ && !scope.folds()) scope.columns = 0, scope.term_columns.clear();
    if (group_ || has_attachment_) scope.checked = true;
    if (has_attachment_ && plan_->streams()[i]->attachments_field.empty()) scope.columns = 0, scope.term_columns.clear();
    const auto is_here = [&](const std::string& name) { return plan_->streams()[i]->is_in(name); };
    if (!kinds_.empty() && std::ranges::none_of(kinds_, is_here)) scope.columns = 0, scope.term_columns.clear();
    if (!times_.since && !times_.until) continue;
    if (!scope.timed) scope.columns = 0, scope.term_columns.clear();  // the times of its records are not granted
    if (!scope.since && !scope.until) scope.interval.reset();         // without a time limit the interval is not needed
    scope.since = later(scope.since, times_.since);
    scope.until = earlier(scope.until, times_.until);
  }
  return scopes;
}

bool SearchRead::in_group(const SearchStream& place, const store::RecordRow& record) const {
  if (!group_) return true;
  const text::RankedText reading = reading_of(place, record);
  return group_->takes(reading, group_->has_sketch() ? sketch_of(place, reading) : text::NearSketch());
}

// A record with several names joins their groups (TopHits). Adds the names of the first hits until there are no new
// ones.
Status SearchRead::widen_group(store::Reader& reader) {
  const auto has_names = [](const SearchStream* place) { return place->group.fields.size() > 1; };
  if (!group_ || query_.terms.empty() || has_surplus(query_) || std::ranges::none_of(plan_->streams(), has_names)) return {};
  constexpr int kMaxRounds = 4;
  bool wider = true;
  for (int round = 0; wider && round < kMaxRounds; ++round) {
    store::WordSearch search = counting(query_);
    search.limit = kFusedHits;
    LADDER_TRY(const store::WordPage found, reader.search(search));
    wider = false;
    for (const store::WordHit& hit : found.hits) {
      wider = group_->widen(reading_of(*plan_->streams()[hit.sort_key.scope], hit.record).groups) || wider;
    }
  }
  return {};
}

store::WordSearch SearchRead::question() const {
  const Places& places = plan_->streams();
  store::WordSearch search;
  search.query = &query_;
  search.scopes = scopes();
  if (from_) {
    const SearchedRecord& last = from_->last;
    search.after = text::HitSortKey{from_->score, last.time, last.key, scope_of(places, last)};
  }
  if (from_) search.weights = from_->weights;
  if (from_ && from_->head_end) {
    const SearchedRecord& last = from_->head_end->record;
    search.head_end = text::HitSortKey{from_->head_end->score, last.time, last.key, scope_of(places, last)};
  }
  search.fold = !group_;
  search.order = static_cast<text::WordOrder>(request_.order);
  search.limit = limit_;
  search.accept = [this, &places](std::size_t scope, const store::RecordRow& record) -> Result<bool> {
    return places[scope]->accepts(record) && in_group(*places[scope], record) &&
           (!has_attachment_ || places[scope]->has_attachments(record));
  };
  search.reading = [&places](std::size_t scope, const store::RecordRow& record) { return reading_of(*places[scope], record); };
  search.deadline = deadline_;
  search.stop = stop_;
  return search;
}

// Returns a search for other words within the same records, for counting and listing only.
store::WordSearch SearchRead::counting(const text::WordQuery& query) const {
  store::WordSearch search = question();
  search.query = &query;
  search.after.reset();
  search.weights.reset();
  search.head_end.reset();
  search.order = text::WordOrder::kScore;
  search.reading = nullptr;
  search.passages = false;  // too slow with hundreds of spelling variants
  search.limit = kNearHits;
  for (std::size_t scope = 0; scope < search.scopes.size(); ++scope) {
    if (search.scopes[scope].columns == 0) continue;
    search.scopes[scope].term_columns = columns_of_terms(query, *plan_->streams()[scope]);
  }
  return search;
}

}  // namespace ladder::server
