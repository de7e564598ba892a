#include "rs/search_plan.h"

#include "base/format.h"
#include "json/writer.h"
#include "model/quote.h"

#include <algorithm>
#include <string>

namespace ladder::rs {
namespace {

using model::in_quotes;

constexpr std::size_t kMaxSkipWarnings = 20;  // connections named one by one; the rest are counted

port::Warning skipped_warning(const std::string& connection_id, const std::vector<const SearchPlace*>& places) {
  json::Writer detail;
  detail.begin_object().member("source", places.front()->place().connection->source->row.source_id);
  detail.member("connection_id", connection_id).key("streams").begin_array();
  std::string names;
  for (const SearchPlace* place : places) {
    const std::string& name = place->place().declared->name;
    detail.string(name);
    names += (names.empty() ? "" : ", ") + in_quotes(name);
  }
  detail.end_array().end_object();
  const std::string_view why = places.front()->applies ? "no searchable field that you may read"
                                                       : "no searchable field that you may read, or none to filter by";
  return {"source_skipped_not_applicable", format("not searched in connection {}: {} ({})", in_quotes(connection_id), names, why),
          "streams", detail.take()};
}

}  // namespace

SearchPlan::SearchPlan(SearchReach reach, std::shared_ptr<const OwnerCatalog> catalog, const std::set<const HeldGrant*>* standing)
    : catalog_(std::move(catalog)), reach_(std::move(reach)) {
  auto& all = reach_.places;
  if (standing) {
    std::erase_if(all, [&](const SearchPlace& place) { return place.reach.held && !standing->contains(place.reach.held.get()); });
  }
  const auto same = [](const SearchPlace& a, const SearchPlace& b) { return a.scope.stream == b.scope.stream; };
  all.erase(std::ranges::unique(all, same).begin(), all.end());

  std::set<const ConnectionEntry*> connections;
  for (const SearchPlace& place : all) {
    if (place.applies && place.pending) ++pending_;
    if (!place.is_searched()) continue;
    places_.push_back(&place);
    scopes_.push_back(place.scope);
    connections.insert(place.place().connection);
  }
  connections_ = std::ssize(connections);
  warn_of_skipped();
}

std::shared_ptr<const SearchPlan> SearchPlan::under(const std::set<const HeldGrant*>& standing) const {
  return std::make_shared<const SearchPlan>(reach_, catalog_, &standing);
}

void SearchPlan::warn_of_skipped() {
  std::map<std::string, std::vector<const SearchPlace*>> skipped;  // by connection
  for (const SearchPlace& place : reach_.places) {
    if (place.is_searched() || (place.applies && place.pending)) continue;
    skipped[place.place().connection->row.connection_id].push_back(&place);
  }
  for (const auto& [connection_id, places] : skipped) {
    if (warnings_.size() == kMaxSkipWarnings) {
      warnings_.push_back({"source_skipped_not_applicable",
                           format("{} more connections have streams that were not searched", skipped.size() - kMaxSkipWarnings),
                           "streams",
                           {}});
      return;
    }
    warnings_.push_back(skipped_warning(connection_id, places));
  }
}

Result<std::shared_ptr<const SearchPlan>> SearchPlans::plan(const Access& access, const OwnerCatalog& catalog,
                                                            const port::SearchRequest& request) {
  const bool of_everything = request.streams.empty() && request.scope.connection_id.empty() && request.filters.empty();
  Key key{access.owner(), access.is_owner(), {}};
  for (const auto& held : access.grants()) key.grants.push_back(held->no);
  if (of_everything) {
    if (auto known = find(key, catalog)) return known;
  }
  LADDER_TRY(SearchReach reach, search_reach(access, catalog, request));
  auto made = std::make_shared<const SearchPlan>(std::move(reach), catalog.shared_from_this(), nullptr);
  if (of_everything) keep(std::move(key), made);
  return made;
}

std::shared_ptr<const SearchPlan> SearchPlans::find(const Key& key, const OwnerCatalog& catalog) {
  const MutexLock lock(mutex_);
  const auto found = kept_.find(key);
  return found != kept_.end() && &found->second->catalog() == &catalog ? found->second : nullptr;
}

void SearchPlans::keep(Key key, const std::shared_ptr<const SearchPlan>& plan) {
  const MutexLock lock(mutex_);
  // What was planned before the catalog changed is of no use any more.
  std::erase_if(kept_,
                [&](const auto& kept) { return kept.first.owner == key.owner && &kept.second->catalog() != &plan->catalog(); });
  std::size_t places = plan->size();
  for (const auto& kept : kept_) places += kept.second->size();
  if (places > kMostPlaces) kept_.clear();
  kept_[std::move(key)] = plan;
}

}  // namespace ladder::rs
