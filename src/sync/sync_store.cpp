#include "sync/sync_store.h"

#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "crypto/hash.h"
#include "store/store.h"

#include <algorithm>

namespace ladder::sync {
namespace {

constexpr std::string_view kSourceKind = "sync_source", kStatusKind = "sync_state", kFolderKind = "sync_folder",
                           kEntriesKind = "sync_entries";
constexpr std::size_t kMaxSourceName = 64;

std::string key_of(const server::Access& owner, std::string_view name) { return format("{}\n{}", owner.owner(), name); }

std::string folder_key(const server::Access& owner, std::string_view name, const FolderState& folder) {
  const std::string digest = base64url::encode(crypto::view(crypto::sha256(folder.wire_name)));
  return format("{}\n{}", key_of(owner, name), digest.substr(0, 22));
}

std::string chunk_key(const std::string& folder, std::size_t number) { return format("{}\n{}", folder, number); }

std::string purpose_of(const server::Access& owner, std::string_view name) {
  return format("sync-secret\n{}", key_of(owner, name));
}

Status require_owner(const server::Access& access) {
  if (access.is_owner()) return {};
  return fail(Code::kPermission, "only the owner manages the synced sources");
}

Status check_name(std::string_view name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'; };
  if (!name.empty() && name.size() <= kMaxSourceName && std::ranges::all_of(name, fits) && name.front() != '.') return {};
  return fail(Code::kInvalidRequest,
              format("'{}' cannot be the name of a synced source: use up to {} small letters, digits, dots and dashes",
                     visible_label(name.substr(0, kMaxSourceName)), kMaxSourceName),
              "name");
}

std::unexpected<Error> changed_elsewhere(std::string_view name) {
  return fail(Code::kConflict, format("another process changed the synced source {} at the same time; try again", name));
}

std::vector<crypto::SealKey> keys_of(const store::Store& store) {
  std::vector<crypto::SealKey> keys;
  for (const store::SealKeyRow& row : store.seal_keys()) keys.push_back({row.id, row.secret});
  return keys;
}

}  // namespace

SyncStore::SyncStore(store::Store& store, const Clock& clock) : items_(store.auth()), clock_(clock), sealer_(keys_of(store)) {}

Result<std::vector<store::OwnerNo>> SyncStore::owners() { return items_.owners_with(kSourceKind); }

Result<std::vector<Source>> SyncStore::list(const server::Access& owner) {
  LADDER_CHECK(require_owner(owner));
  LADDER_TRY(const auto items, items_.list(kSourceKind, owner.owner()));
  std::vector<Source> sources;
  for (const store::AuthItem& item : items) {
    sources.push_back(source_of(std::string_view(item.key).substr(item.key.find('\n') + 1), item.body));
    sources.back().version = item.version;
  }
  return sources;
}

Result<Source> SyncStore::find(const server::Access& owner, std::string_view name) {
  LADDER_CHECK(require_owner(owner));
  LADDER_TRY(const auto item, items_.find(kSourceKind, key_of(owner, name)));
  if (!item)
    return fail(Code::kNotFound, format("there is no synced source '{}'; `ladder sync list` shows them", visible_label(name)),
                "name");
  Source source = source_of(name, item->body);
  source.version = item->version;
  return source;
}

Status SyncStore::replace(const server::Access& owner, const Source& source) {
  store::AuthChange change;
  change.puts.push_back({std::string(kSourceKind), key_of(owner, source.name), owner.owner(), to_body(source), clock_.now(),
                         std::nullopt, source.version});
  LADDER_TRY(const bool done, items_.apply(change));
  return done ? Status{} : changed_elsewhere(source.name);
}

Result<std::string> SyncStore::filling(const server::Access& owner, std::string_view connection_id) {
  LADDER_TRY(const auto sources, list(owner));
  for (const Source& source : sources) {
    if (source.connection == connection_id) return source.name;
    if (source.kind != Kind::kFolder) continue;
    LADDER_TRY(const auto parts, folders(owner, source.name));  // an imported folder may fill several connections
    if (std::ranges::find(parts, connection_id, &FolderState::wire_name) != parts.end()) return source.name;
  }
  return std::string();
}

Status SyncStore::check_new(const server::Access& owner, const Source& source) {
  LADDER_CHECK(require_owner(owner));
  LADDER_CHECK(check_name(source.name));
  LADDER_TRY(const auto known, list(owner));
  if (std::ranges::find(known, source.name, &Source::name) != known.end())
    return fail(
        Code::kConflict,
        format("there is a synced source '{0}' already; `ladder sync remove {0}` removes it and keeps its records", source.name),
        "name");
  if (known.size() >= kMaxSources)
    return fail(Code::kResourceLimit, format("there are {} synced sources already, which is the limit", kMaxSources));
  return {};
}

Status SyncStore::add(const server::Access& owner, Source source, std::string_view secret) {
  LADDER_CHECK(check_new(owner, source));
  source.created_at = clock_.now();
  source.version = 0;
  if (!has_secret(source.kind) && secret.empty()) return replace(owner, source);
  if (secret.empty() || secret.size() > kMaxSecretBytes)
    return fail(Code::kInvalidRequest, format("a password has 1 to {} bytes", kMaxSecretBytes), "password");
  source.sealed_secret = sealer_.seal_fresh(purpose_of(owner, source.name), secret);
  return replace(owner, source);
}

Status SyncStore::set_secret(const server::Access& owner, Source source, std::string_view secret) {
  LADDER_CHECK(require_owner(owner));
  if (!has_secret(source.kind)) return fail(Code::kInvalidRequest, format("{} needs no password", source.name), "name");
  if (secret.empty() || secret.size() > kMaxSecretBytes)
    return fail(Code::kInvalidRequest, format("a password has 1 to {} bytes", kMaxSecretBytes), "password");
  source.sealed_secret = sealer_.seal_fresh(purpose_of(owner, source.name), secret);
  LADDER_CHECK(replace(owner, source));
  LADDER_TRY(SourceStatus now, status(owner, source.name));
  now.due_at = now.failures = 0;
  return put_status(owner, source.name, now);
}

Status SyncStore::update(const server::Access& owner, const Source& source) {
  LADDER_CHECK(require_owner(owner));
  return replace(owner, source);
}

Status SyncStore::ask_for_run(const server::Access& owner, std::string_view name, std::int64_t confirmed_removals) {
  LADDER_TRY(Source source, find(owner, name));
  LADDER_TRY(const SourceStatus last, status(owner, name));
  source.asked_at = std::max(clock_.now(), last.tried_at + 1);  // also if the clock was set back
  source.confirmed_removals = confirmed_removals;
  return replace(owner, source);
}

Status SyncStore::set_paused(const server::Access& owner, std::string_view name, bool paused) {
  LADDER_TRY(Source source, find(owner, name));
  source.paused = paused;
  return replace(owner, source);
}

Status SyncStore::remove(const server::Access& owner, std::string_view name) {
  LADDER_CHECK(find(owner, name));
  LADDER_TRY(const auto all, folders(owner, name));
  for (const FolderState& folder : all) LADDER_CHECK(drop(owner, name, folder));
  store::AuthChange change;
  change.removes = {{std::string(kSourceKind), key_of(owner, name)}, {std::string(kStatusKind), key_of(owner, name)}};
  LADDER_CHECK(items_.apply(change));
  return {};
}

Result<std::string> SyncStore::secret(const server::Access& owner, const Source& source) {
  LADDER_CHECK(require_owner(owner));
  auto opened = sealer_.open(purpose_of(owner, source.name), source.sealed_secret);
  if (opened) return opened;
  return fail(Code::kNotSetUp, format("the password of {0} cannot be decrypted with the keys of this store; set it again with "
                                      "`ladder sync password {0}`",
                                      source.name));
}

Result<SourceStatus> SyncStore::status(const server::Access& owner, std::string_view name) {
  LADDER_CHECK(require_owner(owner));
  LADDER_TRY(const auto item, items_.find(kStatusKind, key_of(owner, name)));
  if (!item) return SourceStatus{};
  SourceStatus status = status_of(item->body);
  status.version = item->version;
  return status;
}

Status SyncStore::put_status(const server::Access& owner, std::string_view name, SourceStatus& status) {
  LADDER_CHECK(require_owner(owner));
  store::AuthChange change;
  change.puts.push_back({std::string(kStatusKind), key_of(owner, name), owner.owner(), to_body(status), clock_.now(),
                         std::nullopt, status.version});
  LADDER_TRY(const bool done, items_.apply(change));
  if (!done) return changed_elsewhere(name);
  ++status.version;
  return {};
}

Result<std::vector<FolderState>> SyncStore::folders(const server::Access& owner, std::string_view name) {
  LADDER_CHECK(require_owner(owner));
  LADDER_TRY(const auto items, items_.list(kFolderKind, owner.owner()));
  const std::string prefix = key_of(owner, name) + '\n';
  std::vector<FolderState> folders;
  for (const store::AuthItem& item : items) {
    if (!item.key.starts_with(prefix)) continue;
    folders.push_back(folder_of(item.body));
    folders.back().version = item.version;
  }
  return folders;
}

Result<bool> SyncStore::is_filled_by_another(const server::Access& owner, std::string_view name, std::string_view connection) {
  LADDER_TRY(const auto sources, list(owner));
  for (const Source& other : sources) {
    if (other.name == name) continue;
    LADDER_TRY(const auto states, folders(owner, other.name));
    const bool writes = std::ranges::any_of(states, [&](const FolderState& state) {
      return state.chunk_count > 0 && (other.kind == Kind::kFolder ? state.wire_name : other.connection) == connection;
    });
    if (writes) return true;
  }
  return false;
}

Status SyncStore::load_entries(const server::Access& owner, std::string_view name, FolderState& folder) {
  LADDER_CHECK(require_owner(owner));
  if (folder.loaded) return {};
  const std::string key = folder_key(owner, name, folder);
  for (std::int64_t i = 0; i < folder.chunk_count; ++i) {
    LADDER_TRY(const auto item, items_.find(kEntriesKind, chunk_key(key, static_cast<std::size_t>(i))));
    if (!item) return changed_elsewhere(name);
    folder.chunks.push_back(chunk_of(item->body));
    folder.chunks.back().version = item->version;
  }
  folder.loaded = true;
  return {};
}

Status SyncStore::save(const server::Access& owner, std::string_view name, FolderState& folder) {
  LADDER_CHECK(require_owner(owner));
  LADDER_CHECK(load_entries(owner, name, folder));
  const std::string key = folder_key(owner, name, folder);
  const Instant now = clock_.now();
  store::AuthChange change;
  change.puts.push_back({std::string(kFolderKind), key, owner.owner(), to_body(folder), now, std::nullopt, folder.version});
  for (std::size_t i = 0; i < folder.chunks.size(); ++i) {
    const Chunk& chunk = folder.chunks[i];
    if (!chunk.changed) continue;
    change.puts.push_back(
        {std::string(kEntriesKind), chunk_key(key, i), owner.owner(), to_lines(chunk), now, std::nullopt, chunk.version});
  }
  LADDER_TRY(const bool done, items_.apply(change));
  if (!done) return changed_elsewhere(name);
  ++folder.version;
  folder.chunk_count = std::ssize(folder.chunks);
  folder.gone = static_cast<std::int64_t>(folder.count() - folder.live());
  for (Chunk& chunk : folder.chunks) chunk.version += std::exchange(chunk.changed, false) ? 1 : 0;
  return {};
}

Status SyncStore::drop(const server::Access& owner, std::string_view name, const FolderState& folder) {
  LADDER_CHECK(require_owner(owner));
  const std::string key = folder_key(owner, name, folder);
  store::AuthChange change;
  change.removes.emplace_back(kFolderKind, key);
  for (std::int64_t i = 0; i < folder.chunk_count; ++i)
    change.removes.emplace_back(kEntriesKind, chunk_key(key, static_cast<std::size_t>(i)));
  LADDER_CHECK(items_.apply(change));
  return {};
}

}  // namespace ladder::sync
