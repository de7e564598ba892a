// Searching everything granted, over all grants and sources of the caller (design D14). Streams, fields, times, records and
// conditions go into the store's query, so that what lies outside has no part in hits, order or counts (D5); the words are then
// found again in the text of each hit, which proves it (D4).
#include "base/format.h"
#include "base/limits.h"
#include "rs/attempt.h"
#include "rs/page_limits.h"
#include "rs/resource_server.h"
#include "rs/search_cursor.h"
#include "rs/search_hit.h"
#include "rs/search_plan.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace ladder::rs {
namespace {

using Places = std::vector<const SearchPlace*>;
using Clockwork = std::chrono::steady_clock;

// One search on its way through the checks.
class SearchRead {
 public:
  SearchRead(store::Store& store, const Clock& clock, const crypto::Sealer& sealer, SearchPlans& plans, const Access& access,
             const port::SearchRequest& request, std::stop_token stop)
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
  Result<std::optional<port::SearchPage>> read(const OwnerCatalog& catalog);

 private:
  Result<bool> check_grants(store::Reader& reader, const OwnerCatalog& catalog);  // false: the catalog has moved on
  Result<bool> still_standing() const;
  Result<std::optional<port::SearchPage>> search(store::Reader& reader);
  Result<bool> fill(store::Reader& reader, const store::WordPage& found, port::SearchPage& page);
  store::WordSearch question() const;

  store::Store& store_;
  const Clock& clock_;
  const crypto::Sealer& sealer_;
  SearchPlans& plans_;
  const Access& access_;
  const port::SearchRequest& request_;
  const std::stop_token stop_;
  const Deadline deadline_;

  store::WordQuery query_;
  std::string binding_;
  std::optional<SearchPosition> from_;
  std::shared_ptr<const SearchPlan> plan_;
  std::set<const HeldGrant*> standing_;
};

Status SearchRead::parse() {
  LADDER_TRY(query_, store::parse_word_query(request_.q));
  if (!request_.filters.empty() && std::set<std::string>(request_.streams.begin(), request_.streams.end()).size() != 1) {
    return fail(Code::kInvalidRequest, "a filter needs exactly one stream: name it with streams", "streams");
  }
  binding_ = search_binding(access_, request_, query_);
  if (request_.cursor.empty()) return {};
  LADDER_TRY(from_, open_search(sealer_, binding_, request_.cursor));
  return {};
}

Status SearchRead::aim(const OwnerCatalog& catalog) {
  LADDER_TRY(plan_, plans_.plan(access_, catalog, request_));
  return {};
}

Result<std::optional<port::SearchPage>> SearchRead::read(const OwnerCatalog& catalog) {
  const auto begun = Clockwork::now();
  LADDER_TRY(const auto reader, store_.read());
  LADDER_TRY(const bool current, check_grants(*reader, catalog));
  if (!current) return std::nullopt;
  if (standing_.size() < plan_->grants().size()) plan_ = plan_->under(standing_);
  LADDER_TRY(auto page, search(*reader));
  if (page && Clockwork::now() - begun > std::chrono::milliseconds(limits::kRecheckAfterMs)) {
    LADDER_TRY(const bool stands, still_standing());
    if (!stands) return std::nullopt;
  }
  return page;
}

// In the view in which the data will be read. A grant that no longer stands adds nothing; when none does, that is the answer.
Result<bool> SearchRead::check_grants(store::Reader& reader, const OwnerCatalog& catalog) {
  standing_.clear();
  if (plan_->grants().empty()) {
    LADDER_TRY(const auto row, reader.records({access_.owner(), access_.token(), 0}, {}, ""));
    LADDER_CHECK(check_standing(access_, nullptr, row.standing, clock_.now()));
    return row.standing.catalog_version == catalog.version();
  }
  Status last;
  for (const auto& held : plan_->grants()) {
    LADDER_TRY(const auto row, reader.records({access_.owner(), access_.token(), held->no}, {}, ""));
    if (row.standing.catalog_version != catalog.version()) return false;
    Status checked = check_standing(access_, held.get(), row.standing, clock_.now());
    if (checked) standing_.insert(held.get());
    else last = std::move(checked);
  }
  if (standing_.empty()) return std::unexpected(std::move(last).error());
  return true;
}

// Every grant that has a part in the answer (design D16); when one has gone meanwhile, the answer is made without it.
Result<bool> SearchRead::still_standing() const {
  for (const HeldGrant* held : standing_) {
    LADDER_TRY(const auto row, store_.standing({access_.owner(), access_.token(), held->no}));
    if (!check_standing(access_, held, row, clock_.now())) return false;
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

store::WordSearch SearchRead::question() const {
  const Places& places = plan_->places();
  store::WordSearch search;
  search.query = &query_;
  search.scopes = plan_->scopes();
  if (from_) {
    const SearchedRecord& last = from_->last;
    search.after = store::WordPlace{from_->score, last.time, last.key, scope_of(places, last)};
    if (from_->horizon) {
      search.horizon = store::WordHorizon{from_->horizon->time, from_->horizon->key, scope_of(places, *from_->horizon)};
    }
  }
  search.limit = page_limit(request_.limit);
  search.accept = [&places](std::size_t scope, const store::RecordRow& record) -> Result<bool> {
    return places[scope]->accepts(record);
  };
  search.deadline = deadline_;
  search.stop = stop_;
  return search;
}

Result<std::optional<port::SearchPage>> SearchRead::search(store::Reader& reader) {
  port::SearchPage page;
  warn_of_clamp(request_.limit, page.warnings);
  page.warnings.insert(page.warnings.end(), plan_->warnings().begin(), plan_->warnings().end());
  page.pending_scopes = plan_->pending();
  page.recall.complete = false;
  if (plan_->places().empty()) return page;

  LADDER_TRY(const store::WordPage found, reader.search(question()));
  page.count = found.matches;
  page.count_exact = found.exact;
  page.recall.complete = found.all_ranked && page.pending_scopes == 0;
  page.recall.truncated = !found.all_ranked;
  page.recall.ranked_candidates = found.ranked;
  page.recall.sources_searched = plan_->connections();
  LADDER_TRY(const bool whole, fill(reader, found, page));
  if (!whole) return std::nullopt;
  return page;
}

Result<bool> SearchRead::fill(store::Reader& reader, const store::WordPage& found, port::SearchPage& page) {
  const Places& places = plan_->places();
  for (const store::WordHit& hit : found.hits) {
    LADDER_TRY(auto made, to_hit(reader, *places[hit.place.scope], query_, hit));
    if (!made) return false;
    page.hits.push_back(*std::move(made));
  }
  page.has_more = found.more && !found.hits.empty();
  if (!page.has_more) return true;
  const auto named = [&](const auto& place) {
    const StreamPlace& at = places[place.scope]->place();
    return SearchedRecord{place.time, place.key, at.connection->row.connection_id, at.declared->name};
  };
  SearchPosition position{found.hits.back().place.score, named(found.hits.back().place), {}};
  if (found.horizon) position.horizon = named(*found.horizon);
  page.next_cursor = seal_search(sealer_, binding_, position);
  return true;
}

}  // namespace

Result<port::SearchPage> ResourceServer::search(const Access& access, const port::SearchRequest& request, std::stop_token stop) {
  SearchRead read(store_, clock_, sealer_, search_plans_, access, request, std::move(stop));
  LADDER_CHECK(read.parse());
  return attempt<port::SearchPage>(
      store_, clock_, catalogs_, access, [&](const OwnerCatalog& catalog) { return read.aim(catalog); },
      [&](const OwnerCatalog& catalog) { return told_to(access, read.read(catalog)); },
      [] { return static_cast<const HeldGrant*>(nullptr); });
}

}  // namespace ladder::rs
