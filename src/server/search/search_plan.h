// The scope of a search: every stream of every connection that the caller may read, over all its grants and their sources (design
// D14), narrowed to what was asked for. A name that several sources share is no conflict here. Decided from grant and declaration
// alone, so that what lies outside the grant is neither searched nor told about (D5).
#pragma once

#include "api/search.h"
#include "base/error/error.h"
#include "base/mutex.h"
#include "server/access/read_scope.h"
#include "server/catalog/catalog.h"
#include "server/read/filter.h"
#include "server/search/search_group.h"
#include "store/text/searched_text.h"
#include "store/word_search.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// One stream of one connection.
struct SearchPlace {
  ReadScope read_scope;                    // of this place alone
  RecordFilter filter;                     // the request's conditions, as its declaration types them
  std::vector<store::WordColumn> columns;  // the fields that are searched: declared, granted and ready
  store::WordScope scope;                  // the same for the store
  GroupRule group;                         // what its records are parts of
  std::string bulk_field;                  // says that a record went to many people at once; empty: none that is granted
  std::string attachments_field;           // says whether something is attached to a record; empty: none that is granted
  bool pending = false;                    // some field is still being indexed
  bool applies = true;                     // false: it lacks a field that the request filters by

  bool is_searched() const { return applies && !columns.empty(); }
  const StreamPlace& place() const { return read_scope.places.front(); }
  bool accepts(const store::RecordRow& record) const;  // visible, and matches the conditions
  // Says whether a name before a colon means the field: its own name, or `from` for the declared author in any stream.
  bool is_named(std::string_view name, const std::string& field) const;
  bool has_attachments(const store::RecordRow& record) const;
  // Says whether `in:name` means this place: its stream, its connection or its connector.
  bool is_in(std::string_view name) const;
};

struct SearchScope {
  std::vector<SearchPlace> places;                       // by connection, stream and grant; searched or not
  std::vector<std::shared_ptr<const HeldGrant>> grants;  // under which they are reached; none for the owner
};

// kStreamNotAllowed for a client's stream outside its grants, alike whether it exists; kConnectionNotFound; what compiling the
// filters says when they fit no source.
Result<SearchScope> search_scope(const Access& access, const OwnerCatalog& catalog, const api::SearchRequest& request);

// Plans a search: what it asks the store, by what it spans: scopes, what is skipped and what is still being indexed. A search
// of everything that the same grants show has the same plan until the catalog changes, and is planned once.
class SearchPlan {
 public:
  // Without the places of grants that are not in `live_grants` (null: all are), and with each stream under the first grant that
  // shows it.
  SearchPlan(SearchScope read_scope, std::shared_ptr<const OwnerCatalog> catalog, const std::set<const HeldGrant*>* live_grants);
  SearchPlan(const SearchPlan&) = delete;
  SearchPlan& operator=(const SearchPlan&) = delete;

  const OwnerCatalog& catalog() const { return *catalog_; }
  const std::vector<std::shared_ptr<const HeldGrant>>& grants() const { return read_scope_.grants; }
  std::shared_ptr<const SearchPlan> under(const std::set<const HeldGrant*>& live_grants) const;
  std::size_t size() const { return read_scope_.places.size(); }

  const std::vector<const SearchPlace*>& places() const { return places_; }  // that are searched
  const std::vector<store::WordScope>& scopes() const { return scopes_; }    // the same for the store
  std::int64_t pending() const { return pending_; }                          // streams with fields that are still being indexed
  std::int64_t connections() const { return connections_; }                  // that are searched
  const std::vector<api::Warning>& warnings() const { return warnings_; }    // of what is not

 private:
  void warn_of_skipped();

  std::shared_ptr<const OwnerCatalog> catalog_;  // which the places point into
  SearchScope read_scope_;
  std::vector<const SearchPlace*> places_;
  std::vector<store::WordScope> scopes_;
  std::int64_t pending_ = 0, connections_ = 0;
  std::vector<api::Warning> warnings_;
};

// The plans in use. Bounded; safe from any thread.
class SearchPlans {
 public:
  // Errors as of search_scope.
  Result<std::shared_ptr<const SearchPlan>> plan(const Access& access, const OwnerCatalog& catalog,
                                                 const api::SearchRequest& request);

 private:
  static constexpr std::size_t kMaxPlaces = 50'000;  // of all kept plans; past it all are forgotten and made anew
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

}  // namespace ladder::server
