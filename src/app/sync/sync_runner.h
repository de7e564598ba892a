// Runs synced sources: signs in, syncs, and keeps the outcome. `ladder sync run` and `ladder serve` use it.
#pragma once

#include "app/import/shipped_sources.h"
#include "server/resource_server.h"
#include "sync/sync_store.h"
#include "sync/synchronizer.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::app {

using SyncClient = std::unique_ptr<sync::imap::Client>;

// The result of a sign-in to a source.
struct SourceTest {
  struct Folder {
    std::string name;
    std::optional<std::int64_t> messages = {};
    bool is_synced = false;
  };
  std::vector<Folder> folders;
  bool announces = false;  // the server announces new messages at once
};

class SyncRunner {
 public:
  struct Settings {
    ExtractorProgram extractor;
    std::filesystem::path folder;  // for fetched messages, one folder per source
  };
  SyncRunner(server::ResourceServer& server, sync::SyncStore& store, Settings settings)
      : server_(server), store_(store), settings_(std::move(settings)) {}

  // Signs in and lists the folders. `secret` is the credential of a source that is not stored yet.
  Result<SourceTest> test(const server::Access& owner, const sync::Source& source, const std::optional<std::string>& secret,
                          const std::stop_token& stop);
  bool is_running(const server::Access& owner, std::string_view name) const;  // in this process or in another one
  Result<SyncClient> connect(const server::Access& owner, const sync::Source& source, const std::stop_token& stop);
  // Runs the source once and stores its status. Connects if `client` is null. kConflict if another process runs it now.
  struct Options {
    std::int64_t confirmed_removals = 0;  // up to this number of messages is removed without asking
    std::function<void(const sync::RunReport&)> progress = {};
  };
  Result<sync::RunReport> run(const server::Access& owner, const sync::Source& source, SyncClient& client, const Options& options,
                              const std::stop_token& stop);

  // Removes the source, and what is left of fetched mail. The records stay.
  Status remove(const server::Access& owner, std::string_view name);

  sync::SyncStore& store() { return store_; }

 private:
  Result<sync::RunReport> attempt(const server::Access& owner, const sync::Source& source, SyncClient& client,
                                  const Options& options, const std::stop_token& stop, sync::SourceStatus& status);
  Result<std::string> credential(const server::Access& owner, const sync::Source& source, const std::stop_token& stop);
  Result<sync::ReadFolders> folders_of(const server::Access& owner, const sync::Source& source, SyncClient& client,
                                       const std::stop_token& stop);
  std::filesystem::path folder_of(const server::Access& owner) const;
  Result<bool> has_records(const server::Access& owner, const sync::Source& source);

  server::ResourceServer& server_;
  sync::SyncStore& store_;
  const Settings settings_;
};

}  // namespace ladder::app
