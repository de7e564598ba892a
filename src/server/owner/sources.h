// The owner's sources with their declarations, and the connections to them. Every operation with an Access returns
// kPermission for a client's. Thread-safe.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "server/owner/grants.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

struct AddedSource {
  std::string source_id;
  std::string key;
  std::vector<std::string> unenforced;  // schema keywords that are accepted but not enforced
  bool indexed = false;                 // every requested index is complete; otherwise call Maintenance::reindex()
  // Required fields outside the stream's key. Every grant of the stream includes them.
  struct StreamFields {
    std::string stream;
    std::vector<std::string> fields;
  };
  std::vector<StreamFields> always_granted = {};
};

struct ConnectionSummary {
  std::string connection_id, source_key, source_id, display_name, status;
  Instant created_at = 0;
  struct StreamCount {
    std::string stream;
    std::int64_t records = 0;
  };
  std::vector<StreamCount> streams;
};

// A source and its declaration.
struct SourceDocument {
  std::string key, source_id, version, declaration;
};

class Sources {
 public:
  Sources(SharedState& shared, Grants& grants) : shared_(shared), grants_(grants) {}

  Result<AddedSource> add(const Access& access, std::string_view declaration_json, std::string_view key);
  Result<std::vector<SourceDocument>> documents(const Access& access);
  // Rebuilds the index and search configuration from all owners' declarations. Run it after a migration.
  Status refresh();

  // Returns kConflict if an active grant names a new connection id: it was made for an erased connection.
  Result<ConnectionSummary> add_connection(const Access& access, std::string_view source_key, std::string_view display_name,
                                           std::string_view connection_id);
  // Names the connection for every page, app and command. kConnectionNotFound; kInvalidRequest for a name of several lines.
  Status rename_connection(const Access& access, std::string_view connection_id, std::string_view display_name);
  Result<std::vector<ConnectionSummary>> connections(const Access& access);
  Result<ConnectionSummary> connection(const Access& access, std::string_view connection_id);  // kConnectionNotFound

 private:
  Status check_unclaimed(const Access& access, std::string_view connection_id);

  SharedState& shared_;
  Grants& grants_;
};

}  // namespace ladder::server
