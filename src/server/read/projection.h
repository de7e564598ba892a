// A record as a caller sees it: exactly the requested, granted members, byte for byte. Long values are inserted from
// their chunks or cut, and cut values are listed (design D10, D20).
#pragma once

#include "api/records.h"
#include "base/error/error.h"
#include "server/access/read_scope.h"
#include "store/store.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ladder::server {

// The top-level members that are shown. Without `fields`, the owner sees every stored member, declared or not.
struct Projection {
  bool everything = false;
  std::set<std::string, std::less<>> fields;

  bool shows(std::string_view field) const { return everything || fields.contains(field); }
};

struct CutRules {
  std::optional<std::int64_t> max_field_chars;  // longer strings are truncated; longer objects and arrays become null
  std::int64_t max_bytes = 0;                   // of the complete text; values are cut to fit
};

struct ProjectedRecord {
  std::string data;  // JSON object text
  std::vector<api::CutField> cut;
};

// Returns nullopt if the record changed during the read; read it again.
Result<std::optional<ProjectedRecord>> project(store::Reader& reader, const store::RecordRow& row, const Projection& projection,
                                               const CutRules& rules);

// Decides per request which parts of a record are shown: field names, cuts, and the envelope.

// Returns the requested fields, or all granted ones. kUnknownField, kFieldNotGranted, kInvalidRequest.
Result<Projection> choose_fields(const ReadScope& read_scope, const model::Stream& declared, std::vector<std::string> fields,
                                 const std::string& view);

// Returns kInvalidRequest for invalid bounds.
Status check_bounds(std::optional<std::int64_t> max_field_chars, std::optional<std::int64_t> max_bytes);

// Sets emitted_at to the newest of the granted fields, so that it reveals no later change of a hidden field (design
// D5, D20).
api::Record to_record(const ReadScope& read_scope, const ConnectionStream& place, const store::RecordRow& row,
                      ProjectedRecord projected);

}  // namespace ladder::server
