// What a search asks the store, worked out from what it spans: scopes, what is skipped and what is still being indexed. A search
// of everything that the same grants show has the same plan until the catalog changes, and is planned once.
#pragma once

#include "base/mutex.h"
#include "base/result.h"
#include "port/search.h"
#include "rs/catalog.h"
#include "rs/search_reach.h"
#include "store/word_search.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace ladder::rs {

class SearchPlan {
 public:
  // Without the places of grants that are not in `standing` (null: all stand), and with each stream under the first grant that
  // shows it.
  SearchPlan(SearchReach reach, std::shared_ptr<const OwnerCatalog> catalog, const std::set<const HeldGrant*>* standing);
  SearchPlan(const SearchPlan&) = delete;
  SearchPlan& operator=(const SearchPlan&) = delete;

  const OwnerCatalog& catalog() const { return *catalog_; }
  const std::vector<std::shared_ptr<const HeldGrant>>& grants() const { return reach_.grants; }
  std::shared_ptr<const SearchPlan> under(const std::set<const HeldGrant*>& standing) const;
  std::size_t size() const { return reach_.places.size(); }

  const std::vector<const SearchPlace*>& places() const { return places_; }  // that are searched
  const std::vector<store::WordScope>& scopes() const { return scopes_; }    // the same for the store
  std::int64_t pending() const { return pending_; }                          // streams with fields that are still being indexed
  std::int64_t connections() const { return connections_; }                  // that are searched
  const std::vector<port::Warning>& warnings() const { return warnings_; }   // of what is not

 private:
  void warn_of_skipped();

  std::shared_ptr<const OwnerCatalog> catalog_;  // which the places point into
  SearchReach reach_;
  std::vector<const SearchPlace*> places_;
  std::vector<store::WordScope> scopes_;
  std::int64_t pending_ = 0, connections_ = 0;
  std::vector<port::Warning> warnings_;
};

// The plans in use. Bounded; safe from any thread.
class SearchPlans {
 public:
  // Errors as of search_reach.
  Result<std::shared_ptr<const SearchPlan>> plan(const Access& access, const OwnerCatalog& catalog,
                                                 const port::SearchRequest& request);

 private:
  static constexpr std::size_t kMostPlaces = 50'000;  // of all kept plans; past it all are forgotten and made anew
  struct Key {
    store::OwnerNo owner = 0;
    bool is_owner = false;
    std::vector<store::GrantNo> grants;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  std::shared_ptr<const SearchPlan> find(const Key& key, const OwnerCatalog& catalog);
  void keep(Key key, const std::shared_ptr<const SearchPlan>& plan);

  Mutex mutex_;
  std::map<Key, std::shared_ptr<const SearchPlan>> kept_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::rs
