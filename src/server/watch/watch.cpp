#include "server/watch/watch.h"

#include "base/text/format.h"
#include "server/read/changes.h"
#include "server/read/projection.h"
#include "server/search/search_plan.h"
#include "store/index/field_versions.h"

#include <algorithm>
#include <span>

namespace ladder::server {
namespace {

constexpr std::int64_t kBatch = 100;      // log entries per round trip
constexpr std::int64_t kMaxWalked = 500;  // log entries per stream and look; the next look continues

// Returns the change-log numbers of the fields that the grant shows.
Result<std::vector<store::FieldNo>> shown_fields(const OwnerCatalog& catalog, const ReadScope& scope) {
  const ConnectionStream& place = scope.streams.front();
  LADDER_TRY(const Projection projection, choose_fields(scope, *place.declared, {}, ""));
  std::vector<store::FieldNo> fields;
  for (const auto& [name, number] : catalog.field_numbers(*place.connection->source, place.declared->name)) {
    if (projection.shows(name)) fields.push_back(number);
  }
  if (projection.everything) fields.push_back(store::kUndeclaredField);
  return fields;
}

bool shows_every_record(const grant::StreamGrant* granted) { return !granted || (granted->resources.empty() && !granted->time); }

}  // namespace

Result<store::StreamCounters> StreamVersions::get(store::Store& store, store::OwnerNo owner, store::StreamNo stream,
                                                  Instant now) {
  {
    const MutexLock lock(mutex_);
    const auto found = kept_.find(stream);
    const bool fresh = found != kept_.end() && found->second.read_at <= now && now - found->second.read_at < kFresh;
    if (fresh) return found->second.counters;
  }
  LADDER_TRY(const auto reader, store.read(owner));
  LADDER_TRY(const store::StreamCounters counters, reader->counters(stream));
  const MutexLock lock(mutex_);
  if (kept_.size() >= kMax) kept_.clear();
  kept_[stream] = {counters, now};
  return counters;
}

// Refreshes the set of active grants and the catalog.
Status GrantedWatch::settle(api::WatchReport& report) {
  const Instant now = clock_.now();
  std::set<store::GrantNo> active_grants;
  std::int64_t version = -1;
  for (const auto& held : access_.grants()) {
    LADDER_TRY(const auto status, store_.access_status({access_.owner(), access_.token(), held->no}));
    version = status.catalog_version;
    if (check_access_status(access_, held.get(), status, now)) active_grants.insert(held->no);
  }
  if (access_.is_owner()) {
    LADDER_TRY(const auto status, store_.access_status({access_.owner(), access_.token(), 0}));
    version = status.catalog_version;
    report.ended = !check_access_status(access_, nullptr, status, now);
  } else {
    report.ended = active_grants.empty();
  }
  if (report.ended) return {};
  LADDER_TRY(auto catalog, catalogs_.get(access_.owner()));
  if (catalog->version() != version) {
    LADDER_TRY(catalog, catalogs_.refresh(access_.owner()));
  }
  moved_ = moved_ || catalog_ != catalog || active_grants_ != active_grants;
  if (catalog_ == catalog && active_grants_ == active_grants && scope_) return {};
  catalog_ = std::move(catalog);
  active_grants_ = std::move(active_grants);
  std::string scope = scope_text();
  scope_changed_ = scope_changed_ || (scope_ && *scope_ != scope);
  scope_ = std::move(scope);
  return {};
}

// Lists every granted stream of every existing connection, to detect scope changes.
std::string GrantedWatch::scope_text() const {
  std::string text;
  for (const auto& held : access_.grants()) {
    if (!active_grants_.contains(held->no)) continue;
    for (const grant::StreamGrant& granted : held->grant.streams) {
      for (const std::string& id : granted.instance_ids) {
        const ConnectionEntry* const connection = catalog_->connection(id);
        if (!connection || !catalog_->find_stream(*connection, granted.name)) continue;
        text += format("{} {}:{} {}:{}\n", held->no, granted.name.size(), granted.name, id.size(), id);
      }
    }
  }
  return text;
}

Result<std::vector<GrantedWatch::WatchedStream>> GrantedWatch::streams_of(const api::WatchTarget& target) const {
  api::SearchRequest request;
  request.streams = {target.stream};
  request.scope.connection_id = target.connection_id;
  LADDER_TRY(SearchScope reached, search_scope(access_, *catalog_, request));
  std::vector<WatchedStream> streams;
  for (SearchStream& place : reached.streams) {
    const HeldGrant* const held = place.read_scope.held.get();
    if (held && !active_grants_.contains(held->no)) continue;
    LADDER_TRY(auto fields, shown_fields(*catalog_, place.read_scope));
    streams.push_back({std::move(place.read_scope), std::move(fields), {}, std::nullopt});
  }
  return streams;
}

// Counters are read before the records they count, so a concurrent change is reported twice rather than missed.
Status GrantedWatch::begin(const Item& item, WatchedStream& watched) {
  LADDER_TRY(const auto reader, store_.read(access_.owner()));
  LADDER_TRY(watched.known, reader->counters(watched.stream()));
  if (item.target.record_id.empty()) return {};
  LADDER_TRY(watched.shown, shown_version(*reader, watched, item.target.record_id));
  return {};
}

Status GrantedWatch::add(const std::string& name, const api::WatchTarget& target) {
  api::WatchReport report;
  LADDER_CHECK(settle(report));
  if (report.ended) return fail(Code::kGrantRevoked, "the token's grants are no longer valid; ask the owner for a new one");
  Item item{target, {}};
  LADDER_TRY(item.streams, streams_of(target));
  for (WatchedStream& watched : item.streams) LADDER_CHECK(begin(item, watched));
  const bool visible =
      target.record_id.empty()
          ? !item.streams.empty()
          : std::ranges::any_of(item.streams, [](const WatchedStream& watched) { return watched.shown.has_value(); });
  if (!visible && target.record_id.empty()) {
    return fail(Code::kStreamNotAllowed, format("the grant does not cover a stream \"{}\"", target.stream), "stream");
  }
  if (!visible) {
    return fail(Code::kNotFound,
                format("there is no record \"{}\" in stream \"{}\" that you may read", target.record_id, target.stream),
                "record_id");
  }
  items_.insert_or_assign(name, std::move(item));
  return {};
}

Result<api::WatchReport> GrantedWatch::look() {
  api::WatchReport report;
  LADDER_CHECK(settle(report));
  report.scope_changed = report.ended || std::exchange(scope_changed_, false);
  for (auto& [name, item] : items_) {
    if (report.ended) {
      report.changed.push_back(name);
      continue;
    }
    const auto changed = look_at(item);
    // Reports the changes found so far; the next look hits the same error again.
    if (!changed && report.changed.empty() && !report.scope_changed) return std::unexpected(changed.error());
    if (!changed) return report;
    if (*changed) report.changed.push_back(name);
  }
  if (report.ended) items_.clear();
  moved_ = false;
  return report;
}

// Resolves the target again under changed grants or a changed catalog; returns true if streams were added or removed.
Result<bool> GrantedWatch::relocate(Item& item) {
  auto streams = streams_of(item.target);
  if (!streams) streams = std::vector<WatchedStream>();  // not granted, or no longer there
  bool changed = streams->size() != item.streams.size();
  for (WatchedStream& watched : *streams) {
    const auto known = std::ranges::find(item.streams, watched.key(), &WatchedStream::key);
    if (known != item.streams.end()) {
      watched.known = known->known;
      watched.shown = known->shown;
    } else {
      LADDER_CHECK(begin(item, watched));
      changed = changed || item.target.record_id.empty() || watched.shown.has_value();
    }
  }
  item.streams = *std::move(streams);
  return changed;
}

Result<bool> GrantedWatch::look_at(Item& item) {
  bool changed = false;
  if (moved_) {
    LADDER_TRY(changed, relocate(item));
  }
  for (WatchedStream& watched : item.streams) {
    LADDER_TRY(const store::StreamCounters now, versions_.get(store_, access_.owner(), watched.stream(), clock_.now()));
    // A counter cached before the watch began has no news.
    if (now.max_version < watched.known.max_version) continue;
    if (now.max_version == watched.known.max_version && now.records == watched.known.records) continue;
    if (item.target.record_id.empty()) {
      LADDER_TRY(const bool seen, stream_changed(watched, now));
      changed = changed || seen;
    } else {
      watched.known = now;
      LADDER_TRY(const bool seen, record_changed(item, watched));
      changed = changed || seen;
    }
  }
  return changed;
}

Result<bool> GrantedWatch::stream_changed(WatchedStream& watched, const store::StreamCounters& now) {
  const std::int64_t since = watched.known.max_version;
  // Permanently erased records leave no log entry. A caller who sees every record notices the lower count.
  const bool fewer = now.records < watched.known.records && shows_every_record(watched.scope.granted);
  watched.known.records = now.records;
  if (fewer) {
    watched.known = now;
    return true;
  }
  LADDER_TRY(const auto reader, store_.read(access_.owner()));
  reader->show_damaged();
  for (std::int64_t walked = 0; watched.known.max_version < now.max_version && walked < kMaxWalked;) {
    LADDER_TRY(const auto changes,
               reader->changes(watched.stream(), watched.fields, watched.known.max_version, now.max_version, kBatch));
    for (const store::ChangeRow& change : changes) {
      LADDER_TRY(const bool seen, shows(*reader, watched, change, since));
      watched.known.max_version = change.version;
      if (seen) {
        watched.known = now;
        return true;
      }
    }
    walked += std::ssize(changes);
    if (std::ssize(changes) < kBatch) watched.known.max_version = now.max_version;
  }
  return false;
}

Result<bool> GrantedWatch::shows(store::Reader& reader, const WatchedStream& watched, const store::ChangeRow& change,
                                 std::int64_t since) const {
  if (change.deleted) return change.created <= since && was_visible(watched.scope.granted, change);
  const store::StreamNo stream = watched.stream();
  LADDER_TRY(const auto found, reader.records({}, std::span(&stream, 1), change.key));
  return !found.records.empty() && !found.records.front().damaged && is_visible(watched.scope, found.records.front());
}

Result<bool> GrantedWatch::record_changed(const Item& item, WatchedStream& watched) {
  LADDER_TRY(const auto reader, store_.read(access_.owner()));
  LADDER_TRY(const auto shown, shown_version(*reader, watched, item.target.record_id));
  return std::exchange(watched.shown, shown) != shown;
}

Result<std::optional<std::int64_t>> GrantedWatch::shown_version(store::Reader& reader, const WatchedStream& watched,
                                                                const std::string& key) const {
  reader.show_damaged();
  const store::StreamNo stream = watched.stream();
  LADDER_TRY(const auto found, reader.records({}, std::span(&stream, 1), key));
  if (found.records.empty() || found.records.front().damaged || !is_visible(watched.scope, found.records.front())) {
    return std::optional<std::int64_t>();
  }
  const auto versions = store::FieldVersions::decode(found.records.front().field_versions);
  if (!versions) return std::optional<std::int64_t>(found.records.front().version);
  std::int64_t newest = versions->created;
  for (const store::FieldNo field : watched.fields) {
    const auto changed = versions->changed.find(field);
    if (changed != versions->changed.end()) newest = std::max(newest, changed->second);
  }
  return std::optional(newest);
}

}  // namespace ladder::server
