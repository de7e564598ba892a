// A record as a caller sees it: exactly the requested, granted members, byte for byte as they came; long values are spliced in
// from their chunks, or cut, and what was cut is listed (design D10, D20).
#pragma once

#include "base/result.h"
#include "port/records.h"
#include "store/store.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ladder::rs {

// Which top-level members are shown. The owner without `fields` sees every stored member, declared or not.
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
  std::vector<port::CutField> cut;
};

// nullopt: the record changed while it was read; read it anew.
Result<std::optional<ProjectedRecord>> project(store::Reader& reader, const store::RecordRow& row, const Projection& projection,
                                               const CutRules& rules);

}  // namespace ladder::rs
