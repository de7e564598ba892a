// Finds one value of a record by its path: in the row's text, and below a large object or array through its directory.
// Costs the depth of the path and at most about 16 KiB of text per level, however large the record (design D3).
#pragma once

#include "model/field_path.h"
#include "store/long_values/long_value.h"
#include "store/store.h"

#include <optional>
#include <string>

namespace ladder::store {

// A long value by reference, or the text of a short one.
struct Located {
  std::optional<LongRef> ref;
  json::Kind kind = json::Kind::kNull;  // of the value, long or short
  std::string text;                     // of a short value: decoded for strings, JSON text for the others
};

// kFieldNotFound when the record has no value there. kNotFound when the text is missing although the row references it:
// the record changed after `row` was read, so read it again (never on SQLite within one Reader).
Result<Located> locate(Reader& reader, const RecordRow& row, const model::FieldPath& path);

}  // namespace ladder::store
