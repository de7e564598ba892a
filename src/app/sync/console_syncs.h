// The synced sources as the console manages them. A page can name neither a command that prints a password nor a certificate
// file: an attacker with a browser session must not be able to run programs or read files.
#pragma once

#include "app/sync/sync_runner.h"
#include "console/synced_sources.h"

#include <atomic>
#include <optional>
#include <vector>

namespace ladder::app {

class ConsoleSyncs final : public console::SyncedSources {
 public:
  // `administrator`: the owner who runs the server, if any. Only that owner may add and change sources on a page, because the
  // server then connects to any address of its network. `ladder sync` adds the sources of other owners.
  ConsoleSyncs(server::ResourceServer& server, sync::SyncStore& store, std::optional<server::Access> administrator,
               SyncRunner::Settings settings)
      : store_(store), administrator_(std::move(administrator)), runner_(server, store, std::move(settings)) {}

  Result<std::vector<console::SyncedSource>> list(const server::Access& owner) override;
  Result<console::SyncedSource> find(const server::Access& owner, std::string_view name) override;
  Result<std::string> filling(const server::Access& owner, std::string_view connection_id) override {
    return store_.filling(owner, connection_id);
  }
  bool may_add(const server::Access& owner) const override { return administrator_ && owner.owner() == administrator_->owner(); }
  Result<std::string> add(const server::Access& owner, const console::NewSync& wanted) override;
  Result<console::SyncTest> test(const server::Access& owner, std::string_view name) override;
  Status choose(const server::Access& owner, std::string_view name, const console::SyncChoices& choices) override;
  Status set_paused(const server::Access& owner, std::string_view name, bool paused) override;
  Status run_now(const server::Access& owner, std::string_view name, std::int64_t confirmed_removals) override;
  Status set_password(const server::Access& owner, std::string_view name, const std::string& password) override;
  Status remove(const server::Access& owner, std::string_view name) override;

 private:
  Result<sync::Source> changeable(const server::Access& owner, std::string_view name);
  Result<SourceTest> sign_in(const server::Access& owner, const sync::Source& source, const std::optional<std::string>& password);
  Result<console::SyncedSource> shown(const server::Access& owner, const sync::Source& source);

  sync::SyncStore& store_;
  const std::optional<server::Access> administrator_;
  SyncRunner runner_;
  std::atomic_flag is_testing_;  // one sign-in at a time, so that pages cannot occupy all threads of the server
};

}  // namespace ladder::app
