// The synced sources of an owner in the store: their settings with sealed credentials, their status, and the state of their
// folders. Items change by compare-and-swap, so two processes cannot overwrite each other's state. Thread-safe.
#pragma once

#include "base/error/error.h"
#include "crypto/seal.h"
#include "server/access/access.h"
#include "store/auth_store.h"
#include "sync/folder_state.h"
#include "sync/source.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::sync {

class SyncStore {
 public:
  static constexpr std::size_t kMaxSources = 64;  // each has a thread in `ladder serve`
  static constexpr std::size_t kMaxSecretBytes = 4096;

  SyncStore(store::Store& store, const Clock& clock);

  // Every operation with an Access returns kPermission for a client's.
  Result<std::vector<store::OwnerNo>> owners();  // that have synced sources
  Result<std::vector<Source>> list(const server::Access& owner);
  Result<Source> find(const server::Access& owner, std::string_view name);  // kNotFound
  // Returns the name of the source that writes to the connection, or an empty string.
  Result<std::string> filling(const server::Access& owner, std::string_view connection_id);
  // Reports why the source cannot be added: kConflict, kInvalidRequest, kResourceLimit.
  Status check_new(const server::Access& owner, const Source& source);
  // Seals the secret. kConflict if there is a source of this name, kInvalidRequest for an invalid name or secret.
  Status add(const server::Access& owner, Source source, std::string_view secret);
  // Stores the source with a new secret, and lets it be tried at once.
  Status set_secret(const server::Access& owner, Source source, std::string_view secret);
  // Stores changed settings. kConflict if another process changed them.
  Status update(const server::Access& owner, const Source& source);
  // Makes `ladder serve` run the source within seconds.
  Status ask_for_run(const server::Access& owner, std::string_view name, std::int64_t confirmed_removals);
  Status set_paused(const server::Access& owner, std::string_view name, bool paused);
  // Removes the source and its state. The records stay.
  Status remove(const server::Access& owner, std::string_view name);
  // Returns the credential, or the command that prints it. kNotSetUp if the store's key has changed.
  Result<std::string> secret(const server::Access& owner, const Source& source);

  Result<SourceStatus> status(const server::Access& owner, std::string_view name);
  Status put_status(const server::Access& owner, std::string_view name, SourceStatus& status);

  Result<std::vector<FolderState>> folders(const server::Access& owner, std::string_view name);
  // Reports whether another source of the owner writes to the connection, too.
  Result<bool> is_filled_by_another(const server::Access& owner, std::string_view name, std::string_view connection);
  Status load_entries(const server::Access& owner, std::string_view name, FolderState& folder);
  // Stores the counters and the changed entries in one transaction. kConflict if another process changed them.
  Status save(const server::Access& owner, std::string_view name, FolderState& folder);
  Status drop(const server::Access& owner, std::string_view name, const FolderState& folder);

  Instant now() const { return clock_.now(); }

 private:
  Status replace(const server::Access& owner, const Source& source);

  store::AuthStore& items_;
  const Clock& clock_;
  const crypto::Sealer sealer_;
};

}  // namespace ladder::sync
