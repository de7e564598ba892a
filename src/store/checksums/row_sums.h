// Checksums of rows, the same on both engines: computed when a row is written, verified when it is read. A row written
// before checksums existed has none and is accepted. Damage is reported as kDamagedData; the caller adds the names of
// record and field.
//
// A record's sum has two halves, so that a window read needs the body only: the upper half covers the other columns,
// the lower half the body. Neither covers the word index columns, since reindexing updates them separately.
#pragma once

#include "base/error/error.h"
#include "crypto/hash.h"
#include "store/long_values/long_value.h"
#include "store/rows/rows.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ladder::store {

using RowSum = std::optional<std::int64_t>;  // absent: the row has none

struct RecordMetadata {
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

std::int64_t record_sum(const RecordMetadata& metadata, std::string_view body);
bool metadata_matches(RowSum sum, const RecordMetadata& metadata);
bool body_matches(RowSum sum, RecordNo no, std::string_view key, std::string_view body);

std::int64_t chunk_sum(ValueId value, std::int64_t chunk_no, std::string_view bytes);
std::int64_t page_sum(ValueId value, std::int64_t first, std::string_view page);  // of a directory page
std::int64_t blob_sum(OwnerNo owner, const BlobRow& blob);

inline bool holds(RowSum sum, std::int64_t expected) { return !sum || *sum == expected; }

// The message contains no names, and the log names the row; a caller that knows what the client may see adds the names.
// The key of a record is in the details.
Error damaged_record(RecordNo no, std::string_view key = {});
Error damaged_value(ValueId value);
Error damaged_blob();

// Reduces a damaged record to its number, stream and key, without data.
void strip_damaged(RecordRow& record);

// Reports damaged rows for `ladder doctor`: each record, field and blob whose stored bytes have changed. Both engines
// feed it rows. It verifies their checksums and the SHA-256 of every long value and blob, which also covers rows
// written before checksums existed.

// The long values of one intact record, whose rows must arrive in the order of their ids and numbers.
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

  std::map<ValueId, Field> fields_;  // by the id of the top-level value; nested values have greater ids
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
  bool has(RecordNo no) const { return records_.contains(no); }  // its row is damaged, and its body must not be parsed

 private:
  std::string record_name(StreamNo stream, std::string_view key) const;

  std::map<StreamNo, std::string> streams_;
  std::unordered_set<RecordNo> records_;
  std::vector<std::string> sentences_;
};

}  // namespace ladder::store
