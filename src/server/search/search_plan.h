// The scope of a search: every stream of every connection that the caller may read, across all grants and sources
// (design D14), narrowed to the request. Sources may share a stream name here. It depends only on grants and
// declarations, so data outside the grants is neither searched nor mentioned (D5).
#pragma once

#include "api/search.h"
#include "base/error/error.h"
#include "base/mutex.h"
#include "server/access/read_scope.h"
#include "server/catalog/catalog.h"
#include "server/read/filter.h"
#include "server/search/search_group.h"
#include "store/rows/word_search.h"
#include "store/search/searched_text.h"

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
struct SearchStream {
  ReadScope read_scope;                    // limited to this stream
  RecordFilter filter;                     // the request's conditions, typed by the stream's declaration
  std::vector<store::WordColumn> columns;  // the searched fields: declared, granted and ready
  store::WordScope scope;                  // the same fields for the store
  GroupRule group;                         // the groups its records belong to
  std::string bulk_field;                  // marks a record sent to many people; empty: not granted
  std::string attachments_field;           // tells whether a record has attachments; empty: not granted
  bool pending = false;                    // a field is still being indexed
  bool applies = true;                     // false: it lacks a field that the request filters by

  bool is_searched() const { return applies && !columns.empty(); }
  const ConnectionStream& stream() const { return read_scope.streams.front(); }
  bool accepts(const store::RecordRow& record) const;  // visible and matches the conditions
  // Returns true if a name before a colon refers to the field: its own name, or `from` for the declared author.
  bool is_named(std::string_view name, const std::string& field) const;
  bool has_attachments(const store::RecordRow& record) const;
  // Returns true if `in:name` refers to this stream, its connection or its connector.
  bool is_in(std::string_view name) const;
};

struct SearchScope {
  std::vector<SearchStream> streams;                     // by connection, stream and grant; searched or not
  std::vector<std::shared_ptr<const HeldGrant>> grants;  // the grants that cover them; empty for the owner
};

// Returns kStreamNotAllowed for a stream outside a client's grants, whether it exists or not; kConnectionNotFound; or
// the filter error if the filters fit no source.
Result<SearchScope> search_scope(const Access& access, const OwnerCatalog& catalog, const api::SearchRequest& request);

// A search plan: scopes, skipped streams, and streams still being indexed. Searches of everything under the same
// grants share one plan until the catalog changes.
class SearchPlan {
 public:
  // Omits the streams of grants outside `live_grants` (null: all are live), and lists each stream under the first
  // grant that covers it.
  SearchPlan(SearchScope read_scope, std::shared_ptr<const OwnerCatalog> catalog, const std::set<const HeldGrant*>* live_grants);
  SearchPlan(const SearchPlan&) = delete;
  SearchPlan& operator=(const SearchPlan&) = delete;

  const OwnerCatalog& catalog() const { return *catalog_; }
  const std::vector<std::shared_ptr<const HeldGrant>>& grants() const { return read_scope_.grants; }
  std::shared_ptr<const SearchPlan> under(const std::set<const HeldGrant*>& live_grants) const;
  std::size_t size() const { return read_scope_.streams.size(); }

  const std::vector<const SearchStream*>& streams() const { return places_; }  // searched streams
  const std::vector<store::WordScope>& scopes() const { return scopes_; }      // the same streams for the store
  std::int64_t pending() const { return pending_; }                            // streams with fields that are still being indexed
  std::int64_t connections() const { return connections_; }                    // searched connections
  const std::vector<api::Warning>& warnings() const { return warnings_; }      // about skipped streams

 private:
  void warn_of_skipped();

  std::shared_ptr<const OwnerCatalog> catalog_;  // owns the entries that the plan points into
  SearchScope read_scope_;
  std::vector<const SearchStream*> places_;
  std::vector<store::WordScope> scopes_;
  std::int64_t pending_ = 0, connections_ = 0;
  std::vector<api::Warning> warnings_;
};

// Caches the plans in use. Bounded and thread-safe.
class SearchPlans {
 public:
  // Returns the errors of search_scope.
  Result<std::shared_ptr<const SearchPlan>> plan(const Access& access, const OwnerCatalog& catalog,
                                                 const api::SearchRequest& request);

 private:
  static constexpr std::size_t kMaxPlaces = 50'000;  // in all cached plans; when full, the cache is cleared
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
