// Permanently erases records, streams and connections. Every operation returns kPermission for a client's access.
// Thread-safe.
#pragma once

#include "base/error/error.h"
#include "model/record_id.h"
#include "server/owner/grants.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

struct Erasure {
  std::int64_t records = 0;
  std::vector<std::string> revoked_grants;   // grants for this connection only
  std::vector<std::string> narrowed_grants;  // grants that continue for other connections
  std::int64_t bytes_freed = 0;              // returned to the file system
  std::string space_kept;                    // why no space was returned; empty if it was
  bool swept = true;                         // no data remains in the files; otherwise a later sweep removes it
};

// Receives progress on the erasing thread.
class ErasureObserver {
 public:
  virtual ~ErasureObserver() = default;
  virtual void erased(std::int64_t /*records*/) {}
  virtual void compacting() {}
  virtual bool wants_stop() { return false; }
};

class Erasures {
 public:
  Erasures(SharedState& shared, Grants& grants) : shared_(shared), grants_(grants) {}

  // Erases one record permanently; succeeds if it does not exist. Imports and syncs do not bring it back (erased_keys.h). Returns
  // true if its bytes are already removed from the store's files, and false if later sweeps remove them.
  Result<bool> erase_record(const Access& access, const model::RecordRef& record);
  // Erases every record of a stream in one connection, in short transactions, and returns their number. `stop` is
  // checked between transactions.
  Result<std::int64_t> erase_stream(const Access& access, std::string_view connection_id, std::string_view stream,
                                    std::stop_token stop = {});
  // Erases a connection and all its data permanently. Returns kConnectionNotFound, or kCancelled if the observer stops
  // it; calling it again resumes. Grants that name no other connection are revoked.
  Result<Erasure> erase_connection(const Access& access, std::string_view connection_id, ErasureObserver& observer);
  // Removes erased bytes for a short time. Returns true once all of them are gone.
  Result<bool> clear_erasures(const Access& access);

 private:
  SharedState& shared_;
  Grants& grants_;
};

}  // namespace ladder::server
