// What imports keep about a connection: where they are and what became of everything they read.
#include "base/format.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "rs/resource_server.h"
#include "rs/wording.h"

namespace ladder::rs {

Status ResourceServer::keep_import(const Access& access, std::string_view connection_id, std::string_view unit,
                                   std::string_view body) {
  LADDER_CHECK(require_owner(access));
  if (unit.empty() || unit.size() > limits::kMaxRecordKeyBytes || !utf8::is_valid(unit) ||
      unit.find('\0') != std::string_view::npos) {
    return fail(Code::kInvalidRequest,
                format("a part of an import has a name of 1 to {} bytes of UTF-8", limits::kMaxRecordKeyBytes));
  }
  if (body.size() > kMaxImportBytes)
    return fail(Code::kResourceLimit, format("an account of an import holds at most {} bytes", kMaxImportBytes));
  LADDER_TRY(const auto catalog, catalogs_.newest(access.owner()));
  const ConnectionEntry* connection = catalog->connection(connection_id);
  if (!connection) return unknown_connection(*catalog, connection_id);
  return store_.keep_import(connection->row.no, {std::string(unit), std::string(body), clock_.now()});
}

Result<std::vector<store::ImportRow>> ResourceServer::imports(const Access& access, std::string_view connection_id) {
  LADDER_CHECK(require_owner(access));
  LADDER_TRY(const auto catalog, catalogs_.newest(access.owner()));
  const ConnectionEntry* connection = catalog->connection(connection_id);
  if (!connection) return unknown_connection(*catalog, connection_id);
  return store_.imports(connection->row.no);
}

}  // namespace ladder::rs
