// Watches records and streams under a grant, so that a client is notified instead of polling.
//
// A look reads the version counters of the watched streams. If one has advanced, it walks the change log from the
// known version, filtered by the granted fields, until it finds a visible change. A record is compared by the newest
// version among its granted fields. Changes of hidden records and fields cost a look but are never reported.
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

// Version counters shared by all watches of a process: a stream is read at most twice a second, however many watch
// it. Bounded and thread-safe.
class StreamVersions {
 public:
  Result<store::StreamCounters> get(store::Store& store, store::OwnerNo owner, store::StreamNo stream, Instant now);

 private:
  static constexpr Instant kFresh = kSecond / 2;
  static constexpr std::size_t kMax = 4096;  // streams; when full, the map is cleared

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
  struct WatchedStream {
    ReadScope scope;  // limited to this stream
    std::vector<store::FieldNo> fields;
    store::StreamCounters known;
    std::optional<std::int64_t> shown;  // for a watched record, the newest version of its granted fields; nullopt: not visible

    store::StreamNo stream() const { return scope.streams.front().no; }
    std::pair<store::StreamNo, store::GrantNo> key() const { return {stream(), scope.held ? scope.held->no : 0}; }
  };
  struct Item {
    api::WatchTarget target;
    std::vector<WatchedStream> streams;
  };

  Status settle(api::WatchReport& report);
  Result<std::vector<WatchedStream>> streams_of(const api::WatchTarget& target) const;
  std::string scope_text() const;
  Status begin(const Item& item, WatchedStream& watched);
  Result<bool> relocate(Item& item);
  Result<bool> look_at(Item& item);
  Result<bool> stream_changed(WatchedStream& watched, const store::StreamCounters& now);
  Result<bool> record_changed(const Item& item, WatchedStream& watched);
  Result<bool> shows(store::Reader& reader, const WatchedStream& watched, const store::ChangeRow& change,
                     std::int64_t since) const;
  Result<std::optional<std::int64_t>> shown_version(store::Reader& reader, const WatchedStream& watched,
                                                    const std::string& key) const;

  store::Store& store_;
  const Clock& clock_;
  CatalogCache& catalogs_;
  StreamVersions& versions_;
  const Access access_;

  std::shared_ptr<const OwnerCatalog> catalog_;
  std::set<store::GrantNo> active_grants_;  // grants that were active at the last look
  std::optional<std::string> scope_;        // the streams they covered then
  bool scope_changed_ = false;              // not reported yet
  bool moved_ = false;                      // the catalog or the grants changed since the last look
  std::map<std::string, Item> items_;
};

}  // namespace ladder::server
