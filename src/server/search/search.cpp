// Searching everything granted, over all grants and sources of the caller (design D14). Streams, fields, times, records and
// conditions go into the store's query, so that what lies outside has no part in hits, order or counts (D5); the words are then
// found again in the text of each hit, which proves it (D4).
#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "crypto/hash.h"
#include "model/field_path.h"
#include "server/read/attempt.h"
#include "server/read/list_walk.h"
#include "server/resource_server.h"
#include "server/search/near_words.h"
#include "server/search/search_cursor.h"
#include "server/search/search_group.h"
#include "server/search/search_hit.h"
#include "server/search/search_plan.h"
#include "store/text/word_rank.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace ladder::server {
namespace {

using Places = std::vector<const SearchPlace*>;
using Clockwork = std::chrono::steady_clock;

constexpr std::int64_t kNearHits = 20;  // that are looked at for words like one that is nowhere

static_assert(static_cast<int>(api::SearchOrder::kNewest) == static_cast<int>(store::WordOrder::kNewest) &&
              static_cast<int>(api::SearchOrder::kOldest) == static_cast<int>(store::WordOrder::kOldest));

// One search on its way through the checks.
class SearchRead {
 public:
  SearchRead(store::Store& store, const Clock& clock, const crypto::Sealer& sealer, SearchPlans& plans, const Access& access,
             const api::SearchRequest& request, std::stop_token stop)
      : store_(store),
        clock_(clock),
        sealer_(sealer),
        plans_(plans),
        access_(access),
        request_(request),
        stop_(std::move(stop)),
        deadline_(access.deadline(limits::kSearchDeadlineMs)) {}

  Status parse();                           // the arguments, by themselves
  Status aim(const OwnerCatalog& catalog);  // the grants: nothing has been read yet
  // nullopt: something moved underneath; aim at the newest catalog and search again.
  Result<std::optional<api::SearchPage>> read(const OwnerCatalog& catalog);

 private:
  Result<bool> check_grants(store::Reader& reader, const OwnerCatalog& catalog);  // false: the catalog has moved on
  Result<bool> grants_still_valid() const;
  Result<std::optional<api::SearchPage>> search(store::Reader& reader);
  Result<bool> fill(store::Reader& reader, const store::WordPage& found, api::SearchPage& page);
  store::WordSearch question() const;
  std::vector<store::WordScope> scopes() const;
  bool in_group(const SearchPlace& place, const store::RecordRow& record) const;
  Result<store::WordPage> find(store::Reader& reader) const;
  void end_page(const store::WordPage& found, api::SearchPage& page) const;
  std::string cursor_behind(const store::WordPage& found, const store::WordPlace& last) const;
  Status explain(store::Reader& reader, const store::WordPage& found, api::SearchPage& page) const;
  void warn(api::SearchPage& page) const;
  void warn_of_common_words(const store::WordWeights& weights, api::SearchPage& page) const;

  store::Store& store_;
  const Clock& clock_;
  const crypto::Sealer& sealer_;
  SearchPlans& plans_;
  const Access& access_;
  const api::SearchRequest& request_;
  const std::stop_token stop_;
  const Deadline deadline_;

  store::WordQuery query_;
  std::string binding_;
  std::optional<SearchPosition> from_;
  std::optional<GroupChoice> group_;
  std::shared_ptr<const SearchPlan> plan_;
  std::set<const HeldGrant*> live_grants_;
};

Status SearchRead::parse() {
  // Its forms are made once it is known what is searched.
  LADDER_TRY(query_, store::parse_word_query(request_.q, {.all = request_.match_all, .forms = false, .fields = {}}));
  if (!request_.group.empty()) {
    LADDER_TRY(group_, GroupChoice::parse(request_.group));
  }
  if (!request_.filters.empty() && std::set<std::string>(request_.streams.begin(), request_.streams.end()).size() != 1) {
    return fail(Code::kInvalidRequest, "a filter needs exactly one stream: name it with streams", "streams");
  }
  return {};
}

Status SearchRead::aim(const OwnerCatalog& catalog) {
  LADDER_TRY(plan_, plans_.plan(access_, catalog, request_));
  // The names that may stand before a colon are told by the declarations of what is searched.
  std::set<std::string> fields;
  for (const SearchPlace* place : plan_->places()) {
    for (const store::WordColumn& column : place->columns) fields.insert(column.field);
  }
  LADDER_TRY(query_,
             store::parse_word_query(request_.q, {.all = request_.match_all, .forms = true, .fields = std::move(fields)}));
  binding_ = search_binding(access_, request_, query_);
  if (request_.cursor.empty()) return {};
  LADDER_TRY(from_, open_search(sealer_, binding_, request_.cursor));
  if (from_->weights.terms.size() != query_.terms.size()) {
    return fail(Code::kInvalidCursor, "the cursor is not one that this server made; start again without it", "cursor");
  }
  return {};
}

Result<std::optional<api::SearchPage>> SearchRead::read(const OwnerCatalog& catalog) {
  const auto begun = Clockwork::now();
  LADDER_TRY(const auto reader, store_.read());
  LADDER_TRY(const bool current, check_grants(*reader, catalog));
  if (!current) return std::nullopt;
  if (live_grants_.size() < plan_->grants().size()) plan_ = plan_->under(live_grants_);
  LADDER_TRY(auto page, search(*reader));
  if (page && Clockwork::now() - begun > std::chrono::milliseconds(limits::kRecheckAfterMs)) {
    LADDER_TRY(const bool stands, grants_still_valid());
    if (!stands) return std::nullopt;
  }
  return page;
}

// In the view in which the data will be read. A grant that no longer stands adds nothing; when none does, that is the answer.
Result<bool> SearchRead::check_grants(store::Reader& reader, const OwnerCatalog& catalog) {
  live_grants_.clear();
  if (plan_->grants().empty()) {
    LADDER_TRY(const auto row, reader.records({access_.owner(), access_.token(), 0}, {}, ""));
    LADDER_CHECK(check_access_status(access_, nullptr, row.access_status, clock_.now()));
    return row.access_status.catalog_version == catalog.version();
  }
  Status last;
  for (const auto& held : plan_->grants()) {
    LADDER_TRY(const auto row, reader.records({access_.owner(), access_.token(), held->no}, {}, ""));
    if (row.access_status.catalog_version != catalog.version()) return false;
    Status checked = check_access_status(access_, held.get(), row.access_status, clock_.now());
    if (checked) live_grants_.insert(held.get());
    else last = std::move(checked);
  }
  if (live_grants_.empty()) return std::unexpected(std::move(last).error());
  return true;
}

// Every grant that has a part in the answer (design D16); when one has gone meanwhile, the answer is made without it.
Result<bool> SearchRead::grants_still_valid() const {
  for (const HeldGrant* held : live_grants_) {
    LADDER_TRY(const auto row, store_.access_status({access_.owner(), access_.token(), held->no}));
    if (!check_access_status(access_, held, row, clock_.now())) return false;
  }
  return true;
}

// The scope of that name or, when it is gone, the one before where it would be.
std::size_t scope_of(const Places& places, const SearchedRecord& record) {
  const auto name = [](const SearchPlace* place) {
    return std::tie(place->place().connection->row.connection_id, place->place().declared->name);
  };
  const auto wanted = std::tie(record.connection_id, record.stream);
  const auto found = std::ranges::lower_bound(places, wanted, {}, name);
  const auto at = static_cast<std::size_t>(found - places.begin());
  return (found != places.end() && name(*found) == wanted) || at == 0 ? at : at - 1;
}

// The fields in which each term counts, when one of them names a field.
std::vector<store::WordColumns> columns_of_terms(const store::WordQuery& query, const SearchPlace& place) {
  std::vector<store::WordColumns> columns;
  bool any = false;
  for (const auto* terms : {&query.terms, &query.excluded}) {
    for (const store::WordTerm& term : *terms) {
      any = any || !term.field.empty();
      const auto found = std::ranges::find(place.columns, term.field, &store::WordColumn::field);
      if (term.field.empty()) columns.push_back(place.scope.columns);
      else columns.push_back(found == place.columns.end() ? 0 : store::WordColumns{1} << found->column);
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

store::WordReading reading_of(const SearchPlace& place, const store::RecordRow& record) {
  store::WordReading reading;
  auto texts = store::searched_texts(record.body, place.columns);
  reading.group = group_of(place.group, place.place().connection->row.connection_id, record);
  reading.wording = wording_of(texts, place.scope, !reading.group.empty());
  for (store::SearchedText& text : texts) {
    reading.chars += text.ref ? text.ref->size_chars : utf8::count(text.text);
    reading.whole = reading.whole && !text.ref;
    const bool context = (place.scope.context >> text.column & 1) != 0;
    if (!text.ref && !context) reading.texts.push_back(std::move(text.text));
  }
  return reading;
}

// The scopes of the plan for this query, within the times that are asked for.
std::vector<store::WordScope> SearchRead::scopes() const {
  std::vector<store::WordScope> scopes = plan_->scopes();
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    store::WordScope& scope = scopes[i];
    scope.term_columns = columns_of_terms(query_, *plan_->places()[i]);
    if (group_ && !scope.folds()) scope.columns = 0, scope.term_columns.clear();
    if (group_) scope.checked = true;
    if (!request_.since && !request_.until) continue;
    if (!scope.timed) scope.columns = 0, scope.term_columns.clear();  // nobody may know when its records are from
    if (!scope.since && !scope.until) scope.stretch.reset();          // it is of all times
    scope.since = later(scope.since, request_.since);
    scope.until = earlier(scope.until, request_.until);
  }
  return scopes;
}

bool SearchRead::in_group(const SearchPlace& place, const store::RecordRow& record) const {
  if (!group_) return true;
  const store::WordReading reading = reading_of(place, record);
  return group_->takes(reading.group, reading.wording);
}

store::WordSearch SearchRead::question() const {
  const Places& places = plan_->places();
  store::WordSearch search;
  search.query = &query_;
  search.scopes = scopes();
  if (from_) {
    const SearchedRecord& last = from_->last;
    search.after = store::WordPlace{from_->score, last.time, last.key, scope_of(places, last)};
    if (from_->horizon) {
      search.horizon = store::WordHorizon{from_->horizon->time, from_->horizon->key, scope_of(places, *from_->horizon)};
    }
  }
  if (from_) search.weights = from_->weights;
  if (from_ && from_->head_end) {
    const SearchedRecord& last = from_->head_end->record;
    search.head_end = store::WordPlace{from_->head_end->score, last.time, last.key, scope_of(places, last)};
  }
  search.fold = !group_;
  search.order = static_cast<store::WordOrder>(request_.order);
  search.limit = page_limit(request_.limit);
  search.accept = [this, &places](std::size_t scope, const store::RecordRow& record) -> Result<bool> {
    return places[scope]->accepts(record) && in_group(*places[scope], record);
  };
  search.reading = [&places](std::size_t scope, const store::RecordRow& record) { return reading_of(*places[scope], record); };
  search.deadline = deadline_;
  search.stop = stop_;
  return search;
}

constexpr int kMaxSearches = 8;  // for one page

// A search that passed over many hits of groups it has shown ends early: it goes on until the page is full.
Result<store::WordPage> SearchRead::find(store::Reader& reader) const {
  store::WordSearch search = question();
  LADDER_TRY(store::WordPage page, reader.search(search));
  for (int i = 1; i < kMaxSearches && page.more && std::ssize(page.hits) < page_limit(request_.limit); ++i) {
    search.after = page.last;
    search.weights = page.weights;
    search.horizon = page.horizon;
    search.head_end = page.head_end;
    search.limit = page_limit(request_.limit) - std::ssize(page.hits);
    LADDER_TRY(store::WordPage next, reader.search(search));
    for (store::WordHit& hit : next.hits) page.hits.push_back(std::move(hit));
    page.more = next.more;
    page.last = next.last;
  }
  return page;
}

Result<std::optional<api::SearchPage>> SearchRead::search(store::Reader& reader) {
  api::SearchPage page;
  warn_of_clamp(request_.limit, page.warnings);
  // A caller that named no streams can do nothing about those that are never searched.
  const bool is_narrowed = !request_.streams.empty() || !request_.filters.empty();
  if (is_narrowed || plan_->places().empty()) {
    page.warnings.insert(page.warnings.end(), plan_->warnings().begin(), plan_->warnings().end());
  }
  warn(page);
  page.pending_scopes = plan_->pending();
  page.recall.complete = false;
  if (plan_->places().empty()) return page;

  LADDER_TRY(const store::WordPage found, find(reader));
  page.count = found.matches;
  page.count_exact = found.exact;
  page.count_all_words = found.matches_all;
  page.recall.complete = found.all_ranked && found.exact && page.pending_scopes == 0;
  page.recall.truncated = !found.all_ranked;
  page.recall.ranked_candidates = found.ranked;
  page.recall.sources_searched = plan_->connections();
  LADDER_TRY(const bool whole, fill(reader, found, page));
  if (!whole) return std::nullopt;
  LADDER_CHECK(explain(reader, found, page));
  warn_of_common_words(found.weights, page);
  end_page(found, page);
  return page;
}

// Records that have nothing but these are no hits, so the count is a lower bound.
void SearchRead::warn_of_common_words(const store::WordWeights& weights, api::SearchPage& page) const {
  if (!store::leaves_out_terms(query_, weights)) return;
  std::string words;
  for (std::size_t term = 0; term < query_.terms.size(); ++term) {
    if ((weights.finders >> term & 1) == 0) words += (words.empty() ? "" : ", ") + query_.terms[term].typed;
  }
  page.warnings.push_back({"common_words",
                           format("in so many records that they only rank what other words find, and make no hits: {}", words),
                           "q",
                           {}});
}

void SearchRead::warn(api::SearchPage& page) const {
  if (!query_.left_out.empty()) {
    std::string words;
    for (const std::string& word : query_.left_out) words += (words.empty() ? "" : ", ") + word;
    page.warnings.push_back(
        {"words_left_out", format("the query has more words than are sought at once; left out: {}", words), "q", {}});
  }
  if (!request_.since && !request_.until) return;
  std::set<std::string> timeless;
  for (const SearchPlace* place : plan_->places()) {
    const StreamPlace& stream = place->place();
    if (!place->scope.timed) timeless.insert(stream.connection->row.connection_id + "/" + stream.declared->name);
  }
  if (timeless.empty()) return;
  std::string names;
  for (const std::string& name : timeless) names += (names.empty() ? "" : ", ") + name;
  page.warnings.push_back({"streams_without_time",
                           format("not searched, since their records have no time that you may read: {}", names),
                           request_.since ? "since" : "until",
                           {}});
}

// Why nothing was found: how many records have each word. Of words that no record has, what the records have that is spelled
// nearly the same.
Status SearchRead::explain(store::Reader& reader, const store::WordPage& found, api::SearchPage& page) const {
  const bool none = found.matches == 0 || std::ranges::find(found.counts, 0) != found.counts.end();
  if (found.counts.size() != query_.terms.size() || !none) return {};
  for (std::size_t i = 0; i < query_.terms.size(); ++i) {
    const store::WordTerm& term = query_.terms[i];
    api::SearchedWord word{.word = term.typed, .records = found.counts[i], .near = {}};
    if (word.records == 0) {
      const NearWords near(term);
      if (!near.query().terms.empty()) {
        store::WordSearch search = question();
        search.query = &near.query();
        search.after.reset();
        search.horizon.reset();
        search.weights.reset();
        search.order = store::WordOrder::kScore;
        search.reading = nullptr;
        search.passages = false;  // with hundreds of spellings they would take longer than everything else
        search.limit = kNearHits;
        for (std::size_t scope = 0; scope < search.scopes.size(); ++scope) {
          search.scopes[scope].term_columns = columns_of_terms(near.query(), *plan_->places()[scope]);
        }
        LADDER_TRY(const store::WordPage nearby, reader.search(search));
        for (const store::WordHit& hit : nearby.hits) {
          const SearchPlace& place = *plan_->places()[hit.place.scope];
          for (const store::SearchedText& text : store::searched_texts(hit.record.body, place.columns)) {
            const std::size_t listed = word.near.size();
            const auto ranges = near.list(text.text, word.near);
            if (word.near.size() == listed) continue;
            const auto column = std::ranges::find(place.columns, text.column, &store::WordColumn::column);
            const model::RecordRef record{place.place().connection->row.connection_id, place.place().declared->name,
                                          hit.record.key};
            for (const store::WordRange& range : ranges) {
              word.near_places.push_back({record,
                                          {model::format_field_path(column->field), range.start, range.end,
                                           utf8::count(text.text), crypto::digest_text(crypto::sha256(text.text))}});
            }
          }
        }
      }
    }
    page.searched_words.push_back(std::move(word));
  }
  return {};
}

Result<bool> SearchRead::fill(store::Reader& reader, const store::WordPage& found, api::SearchPage& page) {
  const Places& places = plan_->places();
  for (const store::WordHit& hit : found.hits) {
    LADDER_TRY(auto made, to_hit(reader, *places[hit.place.scope], query_, hit));
    if (!made) return false;
    if (made->group) made->group->exact = found.all_in_head;
    page.hits.push_back(*std::move(made));
  }
  return true;
}

// Ends where the store ended it, or as soon as its reader has no more room.
void SearchRead::end_page(const store::WordPage& found, api::SearchPage& page) const {
  page.has_more = found.more && found.last;
  if (page.has_more) page.next_cursor = cursor_behind(found, *found.last);
  const std::size_t kept =
      request_.keep && !page.hits.empty() ? std::clamp<std::size_t>(request_.keep(page), 1, page.hits.size()) : page.hits.size();
  if (kept < page.hits.size()) {
    page.hits.resize(kept);
    page.has_more = true;
    page.next_cursor = cursor_behind(found, found.hits[kept - 1].place);
  }
  if (request_.shown) request_.shown(page);
}

std::string SearchRead::cursor_behind(const store::WordPage& found, const store::WordPlace& last) const {
  const auto named = [&](const auto& place) {
    const StreamPlace& at = plan_->places()[place.scope]->place();
    return SearchedRecord{place.time, place.key, at.connection->row.connection_id, at.declared->name};
  };
  SearchPosition position{last.score, named(last), {}, found.weights, {}};
  if (found.head_end) position.head_end = {found.head_end->score, named(*found.head_end)};
  if (found.horizon) position.horizon = named(*found.horizon);
  return seal_search(sealer_, binding_, position);
}

}  // namespace

Result<api::SearchPage> ResourceServer::search(const Access& access, const api::SearchRequest& request, std::stop_token stop) {
  SearchRead read(store_, clock_, sealer_, search_plans_, access, request, std::move(stop));
  LADDER_CHECK(read.parse());
  return attempt<api::SearchPage>(
      store_, clock_, catalogs_, ledger_, access, [&](const OwnerCatalog& catalog) { return read.aim(catalog); },
      [&](const OwnerCatalog& catalog) { return told_to(access, read.read(catalog)); },
      [] { return static_cast<const HeldGrant*>(nullptr); },
      [&](const api::SearchPage& page) { return disclose(page, request.q); });
}

}  // namespace ladder::server
