// Keeps the store in order: health, integrity, sweeping and indexing. Every operation with an Access returns kPermission
// for a client's. Thread-safe.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "server/shared/shared_state.h"
#include "store/engines/backup.h"
#include "store/store.h"

#include <optional>
#include <string>
#include <vector>

namespace ladder::server {

class Maintenance {
 public:
  explicit Maintenance(SharedState& shared) : shared_(shared) {}

  Status check_store();                                       // the store responds and has the schema version of this program
  Status measure_store() { return shared_.store.measure(); }  // for the figures of the operator
  // Returns a readable sentence for every violated invariant. Takes as long as reading the whole store.
  Result<std::vector<std::string>> check_integrity(const store::CheckCallback& tell = {}) {
    return shared_.store.check_invariants(tell);
  }
  Result<std::string> describe_store() { return shared_.store.describe(); }
  Result<std::optional<store::BackupNote>> last_backup(const Access& access);  // nullopt: no backup is known
  // For the process that serves, over all owners. They return no data.
  Result<store::SweepReport> sweep(Deadline deadline);
  Result<bool> reindex(Deadline deadline);
  Result<store::SweepReport> sweep(const Access& access, Deadline deadline);
  // Merges the word index to few segments, which a sweep also does. True: nothing is left to merge.
  Result<bool> tidy_words(const Access& access, Deadline deadline);
  Result<bool> reindex(const Access& access, Deadline deadline);     // continues building indexes; true: all are complete
  Result<std::int64_t> records_without_words(const Access& access);  // records that reindex() still has to index
  Status clear_word_index(const Access& access);  // clears the word index; reindex() rebuilds it from the records

 private:
  SharedState& shared_;
};

}  // namespace ladder::server
