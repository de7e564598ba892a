// Finding one value of a record by its path: in the row's text, and below a large object or array through its directory. Costs
// the depth of the path and at most about 16 KiB of text a level, however large the record (design D3).
#pragma once

#include "base/result.h"
#include "json/scan.h"
#include "model/field_path.h"
#include "store/long_value.h"
#include "store/rows.h"
#include "store/store.h"

#include <optional>
#include <string>

namespace ladder::store {

// A long value by its reference, or a short one whole.
struct Located {
  std::optional<LongRef> ref;
  json::Kind kind = json::Kind::kNull;  // of the value, long or short
  std::string text;                     // of a short value: decoded for strings, JSON text for the others
};

// kFieldNotFound when the record has nothing there. kNotFound when the text is gone although the row points at it: the record
// changed after `row` was read, so read it anew (never on SQLite within one Reader).
Result<Located> locate(Reader& reader, const RecordRow& row, const model::FieldPath& path);

}  // namespace ladder::store
