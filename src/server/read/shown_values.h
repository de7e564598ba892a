// The values that an aggregate shows, and the records that they came from. A group key, a minimum or a maximum is text of a
// record: it counts against the budget, and where few records can have it, the ledger names them.
#pragma once

#include "api/records.h"
#include "server/catalog/catalog.h"
#include "server/ledger/disclosure.h"
#include "store/rows.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// A value that more records have tells little about each of them. The ledger attributes it to the stream.
inline constexpr std::int64_t kMaxAttributedRecords = 10;

class ShownValues {
 public:
  // A record has the value; of the field, at most `max_chars` are shown. A record that is added again counts once.
  void add(const StreamPlace& place, const store::RecordRow& row, const std::string& field,
           std::optional<std::int64_t> max_chars = {});
  void clear() { holders_.clear(); }
  bool is_full() const { return std::ssize(holders_) > kMaxAttributedRecords; }

  // Puts the records in, unless there are none or too many; then false.
  bool disclose_into(Disclosure& shown) const;

 private:
  struct Holder {
    model::RecordRef record;
    ShownField field;
  };
  std::vector<Holder> holders_;  // one more than kMaxAttributedRecords at most
};

// Characters of a JSON text as a reader sees them: a string without its quotes and escapes; nothing for null.
std::int64_t shown_chars(std::string_view json);

}  // namespace ladder::server
