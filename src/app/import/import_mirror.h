// The records that are gone at the source: those of a connection that an import of everything did not find in its files. They are
// told, and with --mirror deleted.
#pragma once

#include "app/import/import_unit.h"
#include "base/error/error.h"
#include "json/writer.h"
#include "server/import_roles.h"
#include "server/shared/key_set.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace ladder::app {

// The keys that a run has seen of a connection.
class SeenConnection {
 public:
  void add(const std::string& unit, ImportUnit& read);  // takes its keys
  // The first reason why not all keys are known.
  void miss(std::string reason) {
    if (incomplete_.empty()) incomplete_ = std::move(reason);
  }

  const std::string& incomplete() const { return incomplete_; }
  bool is_complete() const { return is_complete_; }  // a program said that it sent every record
  const std::set<std::string>& units() const { return units_; }
  std::int64_t erased() const { return erased_; }  // records that were left out, because the owner erased them
  std::map<std::string, server::KeySet>& keys() { return keys_; }

 private:
  std::int64_t erased_ = 0;
  bool is_complete_ = false;
  std::map<std::string, server::KeySet> keys_;  // by stream
  std::set<std::string> units_;
  std::string incomplete_;
};

// The missing records of a connection, and whether they were deleted.
struct GoneRecords {
  std::string connection;
  std::int64_t gone = 0, all = 0, removed = 0;
  std::string kept;  // why they were not deleted; "" if they were, or if deleting was not requested
};
std::string gone_text(const GoneRecords& gone);
void write(json::Writer& out, const GoneRecords& gone);

struct MirrorRequest {
  bool mirror = false;  // delete them
  bool yes = false;     // also if the connection shrinks by more than a fifth
};

// Called with the number before anything is deleted.
using AnnounceGone = std::function<void(const GoneRecords& gone)>;

Result<GoneRecords> find_gone(const server::ImportRoles& roles, const server::Access& owner, const std::string& connection,
                              SeenConnection& seen, MirrorRequest request, const Stop& stop, const AnnounceGone& announce);

}  // namespace ladder::app
