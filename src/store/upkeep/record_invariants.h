// Invariants of records and of the values that they own, for both engines. The engine reads the records and looks up what
// each should have in the change log and among the chunks.
#pragma once

#include "store/long_values/long_value.h"
#include "store/rows/rows.h"
#include "store/sql/database.h"
#include "store/upkeep/rules.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

// The columns of a record that are checked, and its body in raw form.
struct CheckedRecord {
  RecordNo no = 0;
  std::int64_t version = 0;
  std::string_view digest, field_versions, order_key, key, body;
  ValueId first_value = 0;
  std::int64_t value_count = 0;

  bool owns(ValueId value) const { return value >= first_value && value < first_value + value_count; }
};

class RecordInvariants {
 public:
  RecordInvariants(sql::Session& session, ReportFault report) : session_(session), report_(std::move(report)) {}

  // Reports what is wrong with the record by itself. Calls `change` for each entry that the change log must have, and
  // `value` for each long value that the body refers to, with its number of chunks.
  using ExpectChange = std::function<Status(FieldNo field, std::int64_t version)>;
  using ExpectValue = std::function<Status(const LongRef& ref, std::int64_t chunks)>;
  Status check(const CheckedRecord& record, const ExpectChange& change, const ExpectValue& value);

  // After all records: reports changes, chunks and directory pages that no row requires, and values with two owners.
  Status finish();

 private:
  // The ids that one record, blob or loose set owns.
  struct IdRange {
    ValueId first = 0;
    std::int64_t count = 0;
    std::string owner;
    ValueId end() const { return first + count; }
  };

  Status check_versions(const CheckedRecord& record, const ExpectChange& change);
  Status check_references(const CheckedRecord& record, const ExpectValue& value);
  Status check_change_total();
  Status check_owners();
  Status check_orphans(const sql::Statement& ids_after, std::string_view what);

  sql::Session& session_;
  const ReportFault report_;
  std::vector<IdRange> ranges_;
  std::int64_t expected_changes_ = 0;
};

}  // namespace ladder::store
