// Watching records and streams under a grant, for whoever wants to be told of changes instead of asking for them.
//
// A look reads the version counters of the watched streams. Only where one has moved, the change log is walked from the version
// that is known, by the granted fields alone, until it shows a change that the caller may see. A record is compared by the newest
// version among its granted fields. So changes of hidden records and hidden fields cost a look, and are never told.
#pragma once

#include "api/resource_port.h"
#include "base/error/error.h"
#include "base/mutex.h"
#include "base/time/time.h"
#include "server/access/access.h"
#include "server/access/read_scope.h"
#include "server/catalog/catalog.h"
#include "store/store.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ladder::server {

// The counters of streams for all watches of a process: a stream is read at most twice a second, however many watch it. Bounded;
// safe from any thread.
class StreamVersions {
 public:
  Result<store::StreamCounters> get(store::Store& store, store::StreamNo stream, Instant now);

 private:
  static constexpr Instant kFresh = kSecond / 2;
  static constexpr std::size_t kMax = 4096;  // streams; past it all are forgotten and read anew

  struct Kept {
    store::StreamCounters counters;
    Instant read_at = 0;
  };
  Mutex mutex_;
  std::map<store::StreamNo, Kept> kept_ LADDER_GUARDED_BY(mutex_);
};

class GrantedWatch final : public api::Watch {
 public:
  GrantedWatch(store::Store& store, const Clock& clock, CatalogCache& catalogs, StreamVersions& versions, Access access)
      : store_(store), clock_(clock), catalogs_(catalogs), versions_(versions), access_(std::move(access)) {}

  Status add(const std::string& name, const api::WatchTarget& target) override;
  void remove(const std::string& name) override { items_.erase(name); }
  Result<api::WatchReport> look() override;

 private:
  // One stream of one connection under one grant.
  struct Lane {
    ReadScope scope;  // of this place alone
    std::vector<store::FieldNo> fields;
    store::StreamCounters known;
    std::optional<std::int64_t> shown;  // of a watched record: the newest version of what is granted of it; none: not visible

    store::StreamNo stream() const { return scope.places.front().no; }
    std::pair<store::StreamNo, store::GrantNo> key() const { return {stream(), scope.held ? scope.held->no : 0}; }
  };
  struct Item {
    api::WatchTarget target;
    std::vector<Lane> lanes;
  };

  Status settle(api::WatchReport& report);
  Result<std::vector<Lane>> lanes_of(const api::WatchTarget& target) const;
  std::string scope_text() const;
  Status begin(const Item& item, Lane& lane);
  Result<bool> relocate(Item& item);
  Result<bool> look_at(Item& item);
  Result<bool> stream_changed(Lane& lane, const store::StreamCounters& now);
  Result<bool> record_changed(const Item& item, Lane& lane);
  Result<bool> shows(store::Reader& reader, const Lane& lane, const store::ChangeRow& change, std::int64_t since) const;
  Result<std::optional<std::int64_t>> shown_version(store::Reader& reader, const Lane& lane, const std::string& key) const;

  store::Store& store_;
  const Clock& clock_;
  CatalogCache& catalogs_;
  StreamVersions& versions_;
  const Access access_;

  std::shared_ptr<const OwnerCatalog> catalog_;
  std::set<store::GrantNo> active_grants_;  // those that could be read by at the last look
  std::optional<std::string> scope_;        // what they showed then
  bool scope_changed_ = false;              // and no look has told so yet
  bool moved_ = false;                      // catalog or grants are others than at the last look
  std::map<std::string, Item> items_;
};

}  // namespace ladder::server
