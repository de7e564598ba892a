// A record as a caller sees it: exactly the requested, granted members, byte for byte as they came; long values are spliced in
// from their chunks, or cut, and what was cut is listed (design D10, D20).
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

// The top-level members that are shown. The owner without `fields` sees every stored member, declared or not.
struct Projection {
  bool everything = false;
  std::set<std::string, std::less<>> fields;

  bool shows(std::string_view field) const { return everything || fields.contains(field); }
};

struct CutRules {
  std::optional<std::int64_t> max_field_chars;  // longer strings are cut there; longer objects and arrays become null
  std::int64_t max_bytes = 0;                   // of the whole text; values that would not fit are cut so that they do
};

struct ProjectedRecord {
  std::string data;  // JSON object text
  std::vector<api::CutField> cut;
};

// nullopt: the record changed while it was read; read it anew.
Result<std::optional<ProjectedRecord>> project(store::Reader& reader, const store::RecordRow& row, const Projection& projection,
                                               const CutRules& rules);

// Chooses once per request which parts of a record are shown: names, cuts, and the envelope around them.

// The names to show: what was asked for, or all that is granted. kUnknownField, kFieldNotGranted, kInvalidRequest.
Result<Projection> choose_fields(const ReadScope& read_scope, const model::Stream& declared, std::vector<std::string> fields,
                                 const std::string& view);

// kInvalidRequest for bounds that are none.
Status check_bounds(std::optional<std::int64_t> max_field_chars, std::optional<std::int64_t> max_bytes);

// With the time at which the newest of its granted fields was emitted: what came later is not the caller's (design D5, D20).
api::Record to_record(const ReadScope& read_scope, const StreamPlace& place, const store::RecordRow& row,
                      ProjectedRecord projected);

}  // namespace ladder::server
