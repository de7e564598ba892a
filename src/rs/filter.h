// Conditions on records: field = value for scalar fields, and the range operators a stream declares. Compiled once per request,
// then asked of each row without building a tree. Times compare as instants, numbers by value, everything else by its text.
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "grant/grant.h"
#include "json/scan.h"
#include "model/declaration.h"
#include "port/records.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::rs {

class RecordFilter {
 public:
  // kUnknownField, kFieldNotGranted; kInvalidRequest for an operator that is not declared, a field that is not one scalar type,
  // or a literal of the wrong type. `granted` is null for the owner.
  static Result<RecordFilter> compile(const model::Stream& stream, const grant::StreamGrant* granted,
                                      const std::vector<port::Filter>& filters);

  bool matches(const json::Value& row_body) const;
  bool empty() const { return conditions_.empty(); }
  const std::string& fingerprint() const { return fingerprint_; }  // the same for the same conditions: cursors are bound to it

 private:
  enum class Op : std::uint8_t { kEqual, kGreaterEqual, kGreater, kLessEqual, kLess };
  struct Condition {
    std::string field;
    Op op = Op::kEqual;
    bool is_time = false, is_number = false;
    std::string text;
    Instant time = 0;
    double number = 0;
  };
  static Result<Condition> condition(const model::Stream& stream, const model::Field& field, const port::Filter& filter);
  static bool holds(const Condition& condition, const json::Value& value);

  std::vector<Condition> conditions_;
  std::string fingerprint_;
};

}  // namespace ladder::rs
