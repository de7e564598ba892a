// The records of a synced source, as the synchronizer changes them. Implemented over the mail import by app/sync.
#pragma once

#include "base/error/error.h"
#include "sync/folder_state.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ladder::sync {

// The records that a staged item became.
struct StoredItem {
  imap::Uid uid = 0;
  std::vector<RecordKey> records = {};
};

struct FlagChange {
  std::string filing;
  std::string flags;  // Maildir letters
};

class RecordSink {
 public:
  virtual ~RecordSink() = default;
  // Imports the staged items and returns those that became records; the others are in the account of the import. Everything
  // is on disk when it returns.
  virtual Result<std::vector<StoredItem>> import(const std::filesystem::path& staged) = 0;
  virtual Status set_flags(std::span<const FlagChange> changes) = 0;  // records that do not exist are left out
  virtual Status remove(std::span<const RecordKey> records) = 0;
  // Reports whether something else brought records into the connection too, for example an import of an older export.
  virtual Result<bool> is_shared() = 0;
  // Reports a message that was not read.
  virtual void lose(const std::string& folder, imap::Uid uid, std::string reason) = 0;
};

}  // namespace ladder::sync
