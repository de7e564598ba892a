// Conditions on records: equality of scalar fields, and the range operators a stream declares. Compiled once per
// request and evaluated on each row without building a tree. Values compare as in the field index, so that rows and
// index entries always agree: times as instants, numbers by value, everything else as text.
#pragma once

#include "api/records.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "grant/grant.h"
#include "json/scan/scan.h"
#include "model/declaration/declaration.h"
#include "store/rows/rows.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

class RecordFilter {
 public:
  enum class Op : std::uint8_t { kEqual, kGreaterEqual, kGreater, kLessEqual, kLess };
  struct Condition {
    std::string field;
    Op op = Op::kEqual;
    store::IndexKind kind = store::IndexKind::kText;
    std::string value;  // as in an index entry
  };

  // Returns kUnknownField, kFieldNotGranted, or kInvalidRequest for an undeclared operator, a field without a single
  // scalar type, or a literal of the wrong type. `granted` is null for the owner.
  static Result<RecordFilter> compile(const model::Stream& stream, const grant::StreamGrant* granted,
                                      const std::vector<api::Filter>& filters);

  // Builds field = text for a relation; nullopt if the text is not a value of the field's type.
  static std::optional<RecordFilter> equal(const model::Field& field, std::string_view text);

  // Returns the same conditions plus a time range [from, to) of the field.
  RecordFilter in_time(const std::string& field, Instant from, Instant to) const;

  bool matches(const json::Value& row_body) const;
  bool empty() const { return conditions_.empty(); }
  const std::vector<Condition>& conditions() const { return conditions_; }
  const std::string& fingerprint() const { return fingerprint_; }  // equal for the same conditions; cursors are bound to it

 private:
  std::vector<Condition> conditions_;
  std::string fingerprint_;
};

}  // namespace ladder::server
