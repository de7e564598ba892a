// What `ladder doctor` says of damaged rows: each record, field and blob whose stored bytes are not what was stored. Both engines
// feed it rows; it looks at their checksums, and at the SHA-256 that every long value and blob has had from the beginning, so
// that rows from before there were checksums are looked at too.
#pragma once

#include "crypto/hash.h"
#include "store/long_value.h"
#include "store/row_sums.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ladder::store {

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
