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
#include "server/search/search_fusion.h"
#include "server/search/search_group.h"
#include "server/search/search_hit.h"
#include "server/search/search_plan.h"
#include "server/search/search_reading.h"
#include "server/search/search_wording.h"
#include "server/search/time_list.h"
#include "server/search/time_words.h"
#include "store/text/word_rank.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>

namespace ladder::server {
namespace {

using Places = std::vector<const SearchPlace*>;
using Clockwork = std::chrono::steady_clock;

constexpr std::string_view kInOperator = "in:";
constexpr std::array<std::string_view, 2> kHasAttachment = {"has:attachment", "has:attachments"};
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
  void take_kinds(std::string_view question);
  Status take_words(std::string_view question);
  Status take_times();
  Status parse_wordings(bool forms);
  Result<bool> check_grants(store::Reader& reader, const OwnerCatalog& catalog);  // false: the catalog has moved on
  Result<bool> grants_still_valid() const;
  Result<std::optional<api::SearchPage>> search(store::Reader& reader);
  Result<bool> fill(store::Reader& reader, const store::WordPage& found, api::SearchPage& page);
  Result<bool> fill(store::Reader& reader, FusedHits& fused, api::SearchPage& page);
  Result<std::optional<api::SearchPage>> search_words(store::Reader& reader);
  Result<std::optional<api::SearchPage>> search_wordings(store::Reader& reader);
  Result<std::optional<api::SearchPage>> list(store::Reader& reader);
  api::SearchPage begin_page() const;
  store::WordSearch question() const;
  store::WordSearch counting(const store::WordQuery& query) const;
  std::vector<store::WordScope> scopes() const;
  bool in_group(const SearchPlace& place, const store::RecordRow& record) const;
  Status widen_group(store::Reader& reader);
  Result<store::WordPage> find(store::Reader& reader);
  Result<store::WordPage> find_all_kept(store::Reader& reader) const;
  Status choose_terms(store::Reader& reader);
  Result<bool> correct(store::Reader& reader, const store::WordPage& found);
  Status look_near(store::Reader& reader, const store::WordTerm& term, api::SearchedWord& word) const;
  void end_page(const store::WordPage& found, api::SearchPage& page) const;
  std::string cursor_behind(const store::WordPage& found, const store::WordPlace& last) const;
  void explain(const store::WordPage& found, api::SearchPage& page) const;
  void warn_of_words(api::SearchPage& page) const;
  void warn_of_times(api::SearchPage& page) const;
  void warn_of_time_words(api::SearchPage& page) const;
  void warn_of_common_words(const store::WordWeights& weights, api::SearchPage& page) const;

  store::Store& store_;
  const Clock& clock_;
  const crypto::Sealer& sealer_;
  SearchPlans& plans_;
  const Access& access_;
  const api::SearchRequest& request_;
  const std::stop_token stop_;
  const Deadline deadline_;

  std::string q_;                           // without `in:name`
  std::set<std::string> kinds_;             // the names; empty: everything is searched
  bool has_attachment_ = false;             // only records to which something is attached
  std::set<std::string> fields_;            // names that may stand before a colon
  std::optional<TimeWords> time_words_;     // of the question, where no other range is asked for
  TimeRange times_;                         // that is searched
  bool times_are_words_ = false;            // it comes from the question
  bool lists_ = false;                      // there are no words: the range is listed
  std::vector<store::WordQuery> wordings_;  // as they were asked: q and the further ones
  // The wording that is being searched, with the changes that the first page made to it.
  store::WordQuery query_;
  QueryChanges changes_;
  std::map<std::size_t, api::SearchedWord> absent_;  // terms that no granted record has
  std::int64_t limit_ = 0;
  std::string binding_;
  std::optional<SearchPosition> from_;
  std::vector<std::uint32_t> shown_;  // hashes of the records on earlier pages, where there are several wordings
  std::optional<GroupChoice> group_;
  std::shared_ptr<const SearchPlan> plan_;
  std::set<const HeldGrant*> live_grants_;
};

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

Status SearchRead::parse() {
  if (request_.also.size() > api::kMaxFurtherWordings) {
    return fail(Code::kInvalidRequest,
                format("also has {} wordings, more than {}: leave some out", request_.also.size(), api::kMaxFurtherWordings),
                "also");
  }
  q_ = request_.q;
  const bool is_timed = request_.since || request_.until;
  if (!is_timed && !request_.match_all) time_words_ = find_time_words(q_, clock_.now());
  const bool is_list = is_timed && !request_.match_all && request_.also.empty() && is_blank(q_);
  if (!is_list) LADDER_CHECK(parse_wordings(false));
  if (!request_.group.empty()) {
    LADDER_TRY(group_, GroupChoice::parse(request_.group));
  }
  if (!request_.filters.empty() && std::set<std::string>(request_.streams.begin(), request_.streams.end()).size() != 1) {
    return fail(Code::kInvalidRequest, "a filter needs exactly one stream: name it with streams", "streams");
  }
  return {};
}

Status SearchRead::parse_wordings(bool forms) {
  wordings_.clear();
  const store::WordGrammar grammar{.all = request_.match_all, .forms = forms, .fields = fields_, .room = kMaxCountedTerms};
  LADDER_TRY(wordings_.emplace_back(), store::parse_word_query(q_, grammar));
  for (const std::string& wording : request_.also) {
    auto parsed = store::parse_word_query(wording, grammar);
    if (!parsed) return fail(parsed.error().code, std::move(parsed.error().message), "also");
    wordings_.push_back(*std::move(parsed));
  }
  return {};
}

// Takes `in:name` out of the words where it names a stream, connection or connector that is searched, and `has:attachment` where
// a searched stream declares a field that tells it. Anything else is text.
void SearchRead::take_kinds(std::string_view question) {
  q_.clear();
  kinds_.clear();
  has_attachment_ = false;
  const auto tells_attachments = [](const SearchPlace* place) { return !place->attachments_field.empty(); };
  const bool can_tell = std::ranges::any_of(plan_->places(), tells_attachments);
  for (std::string_view rest = question; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const std::string_view name = word.starts_with(kInOperator) ? word.substr(kInOperator.size()) : std::string_view();
    const bool known = std::ranges::any_of(plan_->places(), [&](const SearchPlace* place) { return place->is_in(name); });
    if (!name.empty() && known) kinds_.emplace(name);
    else if (can_tell && std::ranges::find(kHasAttachment, word) != kHasAttachment.end()) has_attachment_ = true;
    else (q_ += word) += ' ';
  }
}

Status SearchRead::take_words(std::string_view question) {
  take_kinds(question);
  const bool is_timed = times_.since || times_.until;
  lists_ = (is_timed || has_attachment_) && !request_.match_all && request_.also.empty() && asks_for_anything(q_);
  if (lists_) wordings_.assign(1, {});
  else LADDER_CHECK(parse_wordings(true));
  query_ = wordings_.front();
  return {};
}

// The first page takes the range from the question, and a later one from its cursor: the clock has gone on since.
Status SearchRead::take_times() {
  const std::optional<TimeRange> told = from_ ? from_->times : (time_words_ ? std::optional(time_words_->range) : std::nullopt);
  if (!told) return {};
  if (!time_words_) {
    return fail(Code::kInvalidCursor, "the cursor is not one that this server made; start again without it", "cursor");
  }
  times_ = *told;
  times_are_words_ = true;
  return take_words(time_words_->rest);
}

Status SearchRead::aim(const OwnerCatalog& catalog) {
  LADDER_TRY(plan_, plans_.plan(access_, catalog, request_));
  // The names that may stand before a colon are told by the declarations of what is searched.
  fields_.clear();
  for (const SearchPlace* place : plan_->places()) {
    for (const store::WordColumn& column : place->columns) {
      fields_.insert(column.field);
      if (place->is_named(store::kFromOperator, column.field)) fields_.emplace(store::kFromOperator);
    }
  }
  times_ = {request_.since, request_.until};
  times_are_words_ = false;
  LADDER_CHECK(take_words(request_.q));
  limit_ = page_limit(request_.limit);
  std::set<std::string> operators = kinds_;
  if (has_attachment_) operators.emplace(kHasAttachment.front());
  binding_ = search_binding(access_, request_, query_, operators);
  changes_ = {};
  if (!request_.cursor.empty()) {
    LADDER_TRY(from_, open_search(sealer_, binding_, request_.cursor));
  }
  LADDER_CHECK(take_times());
  if (!from_) return {};
  if (wordings_.size() > 1) {
    shown_ = std::move(from_->shown);
    from_.reset();
    return {};
  }
  changes_ = from_->changes;
  if (!apply(changes_, query_) || from_->weights.terms.size() != query_.terms.size()) {
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
      store::WordColumns named = term.field.empty() ? place.scope.columns : 0;
      for (const store::WordColumn& column : place.columns) {
        if (!term.field.empty() && place.is_named(term.field, column.field)) named |= store::WordColumns{1} << column.column;
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

// The scopes of the plan for this query, within the times that are asked for.
std::vector<store::WordScope> SearchRead::scopes() const {
  std::vector<store::WordScope> scopes = plan_->scopes();
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    store::WordScope& scope = scopes[i];
    scope.term_columns = columns_of_terms(query_, *plan_->places()[i]);
    if (group_ && !scope.folds()) scope.columns = 0, scope.term_columns.clear();
    if (group_ || has_attachment_) scope.checked = true;
    if (has_attachment_ && plan_->places()[i]->attachments_field.empty()) scope.columns = 0, scope.term_columns.clear();
    const auto is_here = [&](const std::string& name) { return plan_->places()[i]->is_in(name); };
    if (!kinds_.empty() && std::ranges::none_of(kinds_, is_here)) scope.columns = 0, scope.term_columns.clear();
    if (!times_.since && !times_.until) continue;
    if (!scope.timed) scope.columns = 0, scope.term_columns.clear();  // nobody may know when its records are from
    if (!scope.since && !scope.until) scope.stretch.reset();          // it is of all times
    scope.since = later(scope.since, times_.since);
    scope.until = earlier(scope.until, times_.until);
  }
  return scopes;
}

bool SearchRead::in_group(const SearchPlace& place, const store::RecordRow& record) const {
  if (!group_) return true;
  const store::WordReading reading = reading_of(place, record);
  return group_->takes(reading, group_->asks_for_near() ? sketch_of(place, reading) : store::NearSketch());
}

// A group is meant by some of its names, and a record that has another one joins the two (WordHead). Those of its first hits are
// added until there are no more.
Status SearchRead::widen_group(store::Reader& reader) {
  const auto has_names = [](const SearchPlace* place) { return place->group.fields.size() > 1; };
  if (!group_ || query_.terms.empty() || has_surplus(query_) || std::ranges::none_of(plan_->places(), has_names)) return {};
  constexpr int kMaxRounds = 4;
  bool wider = true;
  for (int round = 0; wider && round < kMaxRounds; ++round) {
    store::WordSearch search = counting(query_);
    search.limit = kFusedHits;
    LADDER_TRY(const store::WordPage found, reader.search(search));
    wider = false;
    for (const store::WordHit& hit : found.hits) {
      wider = group_->widen(reading_of(*plan_->places()[hit.place.scope], hit.record).groups) || wider;
    }
  }
  return {};
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

constexpr int kMaxSearches = 8;  // for one page

// A search that passed over many hits of groups it has shown ends early: it goes on until the page is full.
Result<store::WordPage> SearchRead::find_all_kept(store::Reader& reader) const {
  store::WordSearch search = question();
  LADDER_TRY(store::WordPage page, reader.search(search));
  for (int i = 1; i < kMaxSearches && page.more && std::ssize(page.hits) < limit_; ++i) {
    search.after = page.last;
    search.weights = page.weights;
    search.horizon = page.horizon;
    search.head_end = page.head_end;
    search.limit = limit_ - std::ssize(page.hits);
    LADDER_TRY(store::WordPage next, reader.search(search));
    for (store::WordHit& hit : next.hits) page.hits.push_back(std::move(hit));
    page.more = next.more;
    page.last = next.last;
  }
  return page;
}

// The first page decides which words are sought; a later one has that from its cursor.
Result<store::WordPage> SearchRead::find(store::Reader& reader) {
  absent_.clear();
  if (from_) return find_all_kept(reader);
  changes_ = {};
  if (has_surplus(query_)) LADDER_CHECK(choose_terms(reader));
  LADDER_TRY(store::WordPage page, find_all_kept(reader));
  LADDER_TRY(const bool corrected, correct(reader, page));
  if (!corrected) return page;
  const std::vector<std::int64_t> counts = page.counts;
  LADDER_TRY(page, find_all_kept(reader));
  page.counts = counts;
  return page;
}

// A search for other words within the same records that only counts and lists.
store::WordSearch SearchRead::counting(const store::WordQuery& query) const {
  store::WordSearch search = question();
  search.query = &query;
  search.after.reset();
  search.horizon.reset();
  search.weights.reset();
  search.head_end.reset();
  search.order = store::WordOrder::kScore;
  search.reading = nullptr;
  search.passages = false;  // with hundreds of spellings they would take longer than everything else
  search.limit = kNearHits;
  for (std::size_t scope = 0; scope < search.scopes.size(); ++scope) {
    if (search.scopes[scope].columns == 0) continue;
    search.scopes[scope].term_columns = columns_of_terms(query, *plan_->places()[scope]);
  }
  return search;
}

Status SearchRead::choose_terms(store::Reader& reader) {
  std::vector<std::int64_t> counts;
  for (std::size_t from = 0; from < query_.terms.size(); from += store::kMaxWordTerms) {
    store::WordQuery some;
    const std::size_t to = std::min(query_.terms.size(), from + store::kMaxWordTerms);
    for (std::size_t term = from; term < to; ++term) {
      some.terms.push_back(query_.terms[term]);
      some.terms.back().must = false;
    }
    LADDER_TRY(const store::WordPage counted, reader.search(counting(some)));
    counts.insert(counts.end(), counted.counts.begin(), counted.counts.end());
  }
  counts.resize(query_.terms.size());
  changes_.chosen = most_informative(query_, counts);
  apply({changes_.chosen, {}}, query_);
  return {};
}

// Looks for words that are spelled nearly like those that no record has. True: some are sought in their place.
Result<bool> SearchRead::correct(store::Reader& reader, const store::WordPage& found) {
  if (found.counts.size() != query_.terms.size()) return false;
  for (std::size_t i = 0; i < query_.terms.size(); ++i) {
    if (found.counts[i] > 0) continue;
    const store::WordTerm& term = query_.terms[i];
    api::SearchedWord& word = absent_[i];
    word.word = term.typed;
    LADDER_CHECK(look_near(reader, term, word));
    if (term.must || word.near.empty()) continue;
    std::vector<std::string> words = corrected_words(term, word.near);
    if (words.empty()) continue;
    word.corrected = true;
    changes_.corrections.push_back({static_cast<std::uint8_t>(i), std::move(words)});
  }
  return !changes_.corrections.empty() && apply({{}, changes_.corrections}, query_);
}

api::SearchPage SearchRead::begin_page() const {
  api::SearchPage page;
  warn_of_clamp(request_.limit, page.warnings);
  // A caller that named no streams can do nothing about those that are never searched.
  const bool is_narrowed = !request_.streams.empty() || !request_.filters.empty();
  if (is_narrowed || plan_->places().empty()) {
    page.warnings.insert(page.warnings.end(), plan_->warnings().begin(), plan_->warnings().end());
  }
  warn_of_times(page);
  warn_of_time_words(page);
  page.pending_scopes = plan_->pending();
  page.recall.complete = false;
  return page;
}

// A record may tell of a time and be of another. Where the range that the question tells has no hit, its words are sought.
Result<std::optional<api::SearchPage>> SearchRead::search(store::Reader& reader) {
  LADDER_CHECK(widen_group(reader));
  LADDER_TRY(auto page, search_words(reader));
  if (!page || !times_are_words_) return page;
  if (lists_ || !request_.cursor.empty() || !page->hits.empty() || plan_->places().empty()) return page;
  times_ = {};
  times_are_words_ = false;
  LADDER_CHECK(take_words(request_.q));
  return search_words(reader);
}

void SearchRead::warn_of_time_words(api::SearchPage& page) const {
  if (!time_words_) return;
  if (!times_are_words_) {
    page.warnings.push_back(
        {"time_range",
         format("nothing was found in the time range of \"{}\", so these words were sought in records of all times",
                time_words_->words),
         "q",
         {}});
    return;
  }
  std::string range, details;
  for (const auto& [name, at] : {std::pair("since", times_.since), std::pair("until", times_.until)}) {
    if (!at) continue;
    range += format(" {} {}", name, format_time(*at));
    details += format("{}\"{}\":\"{}\"", details.empty() ? "" : ",", name, format_time(*at));
  }
  page.warnings.push_back(
      {"time_range",
       format("\"{}\" was taken as a time range:{}; give since or until to search another", time_words_->words, range), "q",
       "{" + details + "}"});
}

// A range with both ends is listed like a calendar, and an open one from its newest record on.
Result<std::optional<api::SearchPage>> SearchRead::list(store::Reader& reader) {
  api::SearchPage page = begin_page();
  if (plan_->places().empty()) return page;
  store::WordSearch search = question();
  if (search.order == store::WordOrder::kScore) {
    search.order = times_.since && times_.until ? store::WordOrder::kOldest : store::WordOrder::kNewest;
  }
  LADDER_TRY(const store::WordPage found, list_by_time(reader, plan_->places(), search));
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
  if (wordings_.size() > 1) return search_wordings(reader);
  api::SearchPage page = begin_page();
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
  warn_of_words(page);
  explain(found, page);
  warn_of_common_words(found.weights, page);
  end_page(found, page);
  return page;
}

// Searches every wording in the same view and fuses the first hits of each. The count is a lower bound, since a record may match
// several of them.
Result<std::optional<api::SearchPage>> SearchRead::search_wordings(store::Reader& reader) {
  api::SearchPage page = begin_page();
  if (plan_->places().empty()) return page;
  const std::int64_t wanted = limit_;
  limit_ = kFusedHits;
  FusedHits fused(plan_->places(), static_cast<store::WordOrder>(request_.order), !group_);
  page.recall.sources_searched = plan_->connections();
  page.recall.ranked_candidates = 0;
  for (const store::WordQuery& wording : wordings_) {
    query_ = wording;
    LADDER_TRY(store::WordPage found, find(reader));
    page.count = std::max(page.count.value_or(0), found.matches);
    page.recall.truncated = page.recall.truncated || !found.all_ranked;
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
  const auto end_after = [&](std::size_t kept) {
    page.hits.resize(kept);
    page.has_more = kept < fused.hits().size();
    if (!page.has_more) return;
    SearchPosition position;
    position.shown = shown_;
    if (times_are_words_) position.times = times_;
    for (std::size_t i = 0; i < kept; ++i) position.shown.push_back(fused.hits()[i].hash);
    page.next_cursor = seal_search(sealer_, binding_, position);
  };
  end_after(page.hits.size());
  if (request_.keep && !page.hits.empty()) {
    const std::size_t kept = std::clamp<std::size_t>(request_.keep(page), 1, page.hits.size());
    if (kept < page.hits.size()) end_after(kept);
  }
  if (request_.shown) request_.shown(page);
  return page;
}

Result<bool> SearchRead::fill(store::Reader& reader, FusedHits& fused, api::SearchPage& page) {
  for (const FusedHits::Fused& hit : fused.hits()) {
    if (std::ssize(page.hits) == limit_) break;
    LADDER_TRY(auto made, to_hit(reader, *plan_->places()[hit.hit->place.scope], *hit.query, *hit.hit));
    if (!made) return false;
    if (made->group) made->group->exact = false;
    made->score = hit.score;
    page.hits.push_back(*std::move(made));
  }
  return true;
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

std::string joined(const std::vector<std::string>& words, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), most); ++i) text += (i == 0 ? "" : ", ") + words[i];
  if (words.size() > most) text += format(" and {} more", words.size() - most);
  return text;
}

void SearchRead::warn_of_words(api::SearchPage& page) const {
  constexpr std::size_t kNamedWords = 100;
  if (!query_.left_out.empty()) {
    page.warnings.push_back({"words_left_out",
                             format("the question has more words than are sought at once, so the most common are left out: {}",
                                    joined(query_.left_out, kNamedWords)),
                             "q",
                             {}});
  }
  for (const Correction& correction : changes_.corrections) {
    page.warnings.push_back(
        {"words_corrected",
         format("corrected: {} → {}", query_.terms[correction.term].typed, joined(correction.words, correction.words.size())),
         "q",
         {}});
  }
}

void SearchRead::warn_of_times(api::SearchPage& page) const {
  if (!times_.since && !times_.until) return;
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
                           times_are_words_ ? "q" : (request_.since ? "since" : "until"),
                           {}});
}

// Lists words that granted records have and that are spelled nearly like a word that they do not have.
Status SearchRead::look_near(store::Reader& reader, const store::WordTerm& term, api::SearchedWord& word) const {
  const NearWords near(term);
  if (near.query().terms.empty()) return {};
  LADDER_TRY(const store::WordPage nearby, reader.search(counting(near.query())));
  for (const store::WordHit& hit : nearby.hits) {
    const SearchPlace& place = *plan_->places()[hit.place.scope];
    for (const store::SearchedText& text : store::searched_texts(hit.record.body, place.columns)) {
      const std::size_t listed = word.near.size();
      const auto ranges = near.list(text.text, word.near);
      if (word.near.size() == listed) continue;
      const auto column = std::ranges::find(place.columns, text.column, &store::WordColumn::column);
      const model::RecordRef record{place.place().connection->row.connection_id, place.place().declared->name, hit.record.key};
      for (const store::WordRange& range : ranges) {
        word.near_places.push_back({record,
                                    {model::format_field_path(column->field), range.start, range.end, utf8::count(text.text),
                                     crypto::digest_text(crypto::sha256(text.text))}});
      }
    }
  }
  return {};
}

// Says how many records have each word, if nothing was found or a word has no record.
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
  SearchPosition position{last.score, named(last), {}, found.weights, {}, changes_};
  if (found.head_end) position.head_end = {found.head_end->score, named(*found.head_end)};
  if (found.horizon) position.horizon = named(*found.horizon);
  if (times_are_words_) position.times = times_;
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
