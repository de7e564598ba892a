// The checksums that rows carry, alike on both engines: made when a row is written, checked when it is read. A row that was
// written before there were checksums has none and is taken as it is. Damage is kDamagedData; who knows the record and the field
// adds their names.
//
// A record's sum has two halves, so that a window read needs the body alone: the upper one is that of its other columns, the
// lower one that of its body. Columns of the word index are in neither, since reindexing writes them by themselves.
#pragma once

#include "base/error/error.h"
#include "crypto/hash.h"
#include "store/long_values/long_value.h"
#include "store/rows.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ladder::store {

using RowSum = std::optional<std::int64_t>;  // absent: the row has none

struct RecordHead {
  RecordNo no = 0;
  StreamNo stream = 0;
  std::string_view key, order_key;
  std::int64_t version = 0;
  std::string_view digest, emitted_at;
  std::optional<Instant> consent_time;
  std::string_view field_versions;
  ValueId first_value = 0;
  std::int64_t value_count = 0;
};

std::int64_t record_sum(const RecordHead& head, std::string_view body);
bool head_holds(RowSum sum, const RecordHead& head);
bool body_holds(RowSum sum, RecordNo no, std::string_view key, std::string_view body);

std::int64_t chunk_sum(ValueId value, std::int64_t chunk_no, std::string_view bytes);
std::int64_t page_sum(ValueId value, std::int64_t first, std::string_view page);  // of a directory
std::int64_t blob_sum(OwnerNo owner, const BlobRow& blob);

inline bool holds(RowSum sum, std::int64_t expected) { return !sum || *sum == expected; }

// The message names nothing, and the log says which row; whoever knows what the caller may hear adds the names. The key of a
// record is in the details.
Error damaged_record(RecordNo no, std::string_view key = {});
Error damaged_value(ValueId value);
Error damaged_blob();

// The stand-in for a damaged record: its number, stream and key, no data.
void withhold(RecordRow& record);

// Reports damaged rows for `ladder doctor`: each record, field and blob whose stored bytes have changed. Both engines
// feed it rows; it looks at their checksums, and at the SHA-256 that every long value and blob has had from the beginning, so
// that rows from before there were checksums are looked at too.

// The long values of one intact record, whose rows come by in the order of their ids and numbers.
class ValueDamage {
 public:
  explicit ValueDamage(std::string_view body);
  void chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes, RowSum sum);
  void page(ValueId value, std::int64_t first, std::string_view page, RowSum sum);
  std::vector<std::string> damaged_fields();  // after the last row

 private:
  struct Field {
    std::string name;
    LongRef ref;
    crypto::Sha256 hash;
    std::int64_t next_chunk = 0, bytes = 0;
    bool damaged = false;
  };
  Field* owner(ValueId value);

  std::map<ValueId, Field> fields_;  // by the id of the top-level value; those inside it have greater ones
};

// The chunks of a blob, in order.
class BlobDamage {
 public:
  explicit BlobDamage(const BlobRow& blob) : blob_(blob) {}
  void chunk(std::int64_t chunk_no, std::string_view bytes, RowSum sum);
  bool is_damaged();  // after the last chunk

 private:
  const BlobRow& blob_;
  crypto::Sha256 hash_;
  std::int64_t next_chunk_ = 0, bytes_ = 0;
  bool damaged_ = false;
};

class DamageReport {
 public:
  void add_stream(StreamNo stream, std::string_view connection_id, std::string_view name);
  void add_record(StreamNo stream, RecordNo no, std::string_view key);
  void add_field(StreamNo stream, std::string_view key, std::string_view field);
  void add_blob(const Digest& digest);

  const std::vector<std::string>& sentences() const { return sentences_; }
  bool has(RecordNo no) const { return records_.contains(no); }  // its row is damaged, and its body must not be looked into

 private:
  std::string record_name(StreamNo stream, std::string_view key) const;

  std::map<StreamNo, std::string> streams_;
  std::unordered_set<RecordNo> records_;
  std::vector<std::string> sentences_;
};

}  // namespace ladder::store
