// Tracks the values that an aggregate shows and the records they came from. A group key, a minimum or a maximum is
// text of a record: it counts toward the budget, and if few records can have it, the ledger lists them.
#pragma once

#include "api/records.h"
#include "server/catalog/catalog.h"
#include "server/ledger/disclosure.h"
#include "store/rows/rows.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// A value shared by more records reveals little about each of them; the ledger then attributes it to the stream.
inline constexpr std::int64_t kMaxAttributedRecords = 10;

class ShownValues {
 public:
  // Adds a record with the value, of which at most `max_chars` are shown. Adding a record again has no effect.
  void add(const ConnectionStream& place, const store::RecordRow& row, const std::string& field,
           std::optional<std::int64_t> max_chars = {});
  void clear() { holders_.clear(); }
  bool is_full() const { return std::ssize(holders_) > kMaxAttributedRecords; }

  // Adds the records to the disclosure; returns false if there are none or too many.
  bool disclose_into(Disclosure& shown) const;

 private:
  struct Holder {
    model::RecordRef record;
    ShownField field;
  };
  std::vector<Holder> holders_;  // at most kMaxAttributedRecords + 1
};

// Returns the characters of a JSON text as displayed: strings without quotes and escapes, zero for null.
std::int64_t shown_chars(std::string_view json);

}  // namespace ladder::server
