// Merges one connection into another of the same source: copies the records that the other one lacks or has in an older version,
// then erases the first connection. Every operation returns kPermission for a client's access. Thread-safe.
#pragma once

#include "base/error/error.h"
#include "server/ingest/ingest.h"
#include "server/owner/erasures.h"
#include "server/owner/exports.h"
#include "server/owner/grants.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// Counts the records of the connection that ends by what a merge does with them.
struct MergeCounts {
  std::int64_t added = 0;     // the other connection has no record of this key
  std::int64_t replaced = 0;  // the other connection has an older version
  std::int64_t same = 0;      // both have the same data
  std::int64_t kept = 0;      // the other connection has a newer version
  std::int64_t left_out = 0;  // the owner has erased the record in the other connection
  bool is_complete = true;    // false: there are more records than could be compared in time

  std::int64_t copied() const { return added + replaced; }
};

// How a merge changes an active grant. A grant names connections, and a merge changes no grant.
struct MergeEffect {
  std::string grant_id, client_id;
  bool loses = false;  // the grant names the connection that ends, but not the other one
  bool gains = false;  // the grant names the other connection only, so that it covers more records
};

struct MergePreview {
  MergeCounts counts;
  std::vector<MergeEffect> effects;  // of the grants that change; the others cover the same records as before
};

struct Merged {
  MergeCounts counts;
  Erasure erasure;  // of the connection that ended
};

// Receives progress on the merging thread. A merge that is stopped while it copies has erased nothing.
class MergeObserver : public ErasureObserver {
 public:
  virtual void copied(std::int64_t /*records*/) {}
};

class Merges {
 public:
  Merges(SharedState& shared, Ingest& ingest, Exports& exports, Grants& grants, Erasures& erasures)
      : shared_(shared), ingest_(ingest), exports_(exports), grants_(grants), erasures_(erasures) {}

  // kConnectionNotFound; kInvalidRequest unless both are different connections of one source.
  Status check(const Access& access, std::string_view from, std::string_view into);
  // The same errors.
  Result<MergePreview> preview(const Access& access, std::string_view from, std::string_view into);
  // Repeating an interrupted merge continues it. kCancelled if the observer stops it; kConflict if another program keeps adding
  // records to `from`; kDamagedData if a record cannot be read, in which case nothing is erased.
  Result<Merged> merge(const Access& access, std::string_view from, std::string_view into, MergeObserver& observer);

 private:
  class Comparison;
  class Copy;
  struct Pair;

  Result<Pair> find(const Access& access, std::string_view from, std::string_view into);
  Result<MergeCounts> compare(const Access& access, const Pair& pair, Deadline deadline, MergeObserver& observer);
  Status copy(const Access& access, const Pair& pair, MergeObserver& observer);
  Status keep_reports(const Access& access, const Pair& pair);

  SharedState& shared_;
  Ingest& ingest_;
  Exports& exports_;
  Grants& grants_;
  Erasures& erasures_;
};

}  // namespace ladder::server
