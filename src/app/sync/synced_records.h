// The records of a synced source: fetched messages, events and contacts go through the sandboxed import, so they become the same
// records as in an import of the mailbox; flags and removals are written directly.
#pragma once

#include "app/import/import_run.h"
#include "app/stop_signal.h"
#include "server/resource_server.h"
#include "sync/record_sink.h"

#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace ladder::app {

class SyncedRecords final : public sync::RecordSink, private ImportWatcher {
 public:
  struct Target {
    std::string connection, name;  // the connection's id and its label
    std::string format;            // of the import: "mail", "calendar"; "" for folders and programs, which import by themselves
    std::string place;             // for the report
    ExtractorProgram extractor;
    bool is_shared = false;    // another synced source writes to the connection, too
    bool has_records = false;  // an earlier run filled the connection: it is not created again if it was erased
  };
  // `account` is the report of earlier runs; `keep` stores it after each batch.
  using Keep = std::function<Status(const UnitAccount& account)>;
  SyncedRecords(server::ResourceServer& server, const server::Access& owner, Target target, UnitAccount account, Keep keep,
                const std::stop_token& stop);

  Result<std::vector<sync::StoredItem>> import(const std::filesystem::path& staged) override;
  Status set_flags(std::span<const sync::FlagChange> changes) override;
  Status remove(std::span<const sync::RecordKey> records) override;
  Result<bool> is_shared() override;
  void lose(const std::string& folder, sync::imap::Uid uid, std::string reason) override;

  const UnitAccount& account() const { return account_; }

 private:
  void note(std::string_view) override {}
  void unit_done(const UnitAccount& account) override;
  void record_read(const imports::wire::RecordHeader& head, std::string_view data) override;
  Result<bool> import_folder(const std::filesystem::path& staged);
  Status import_singly(const std::filesystem::path& staged);
  Status write_lines(const std::string& stream, const std::string& lines);
  Status keep_account(const ImportRun& run);

  server::ResourceServer& server_;
  const server::Access& owner_;
  const Target target_;
  UnitAccount account_;
  const Keep keep_;
  StopRequest stop_;
  std::stop_callback<std::function<void()>> pass_on_stop_;
  std::map<sync::imap::Uid, sync::StoredItem> read_;  // of the current batch
  UnitAccount batch_;
  bool has_records_;
};

}  // namespace ladder::app
