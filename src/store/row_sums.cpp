#include "store/row_sums.h"

#include "base/checksum.h"
#include "base/format.h"

namespace ladder::store {
namespace {

std::uint32_t head_half(const RecordHead& head) {
  return Checksum()
      .add(head.no)
      .add(head.stream)
      .add(head.key)
      .add(head.order_key)
      .add(head.version)
      .add(head.digest)
      .add(head.emitted_at)
      .add(head.consent_time ? 1 : 0)
      .add(head.consent_time.value_or(0))
      .add(head.field_versions)
      .add(head.first_value)
      .add(head.value_count)
      .half();
}

std::uint32_t body_half(RecordNo no, std::string_view key, std::string_view body) {
  return Checksum().add(no).add(key).add(body).half();
}

Error damage(std::string which) {
  return {.code = Code::kDamagedData,
          .message =
              "stored data is damaged and is not shown: send or import the record again, or restore a backup; "
              "`ladder doctor --full` lists all damage",
          .log_detail = std::move(which)};
}

}  // namespace

std::int64_t record_sum(const RecordHead& head, std::string_view body) {
  return static_cast<std::int64_t>(std::uint64_t{head_half(head)} << 32 | body_half(head.no, head.key, body));
}

bool head_holds(RowSum sum, const RecordHead& head) {
  return !sum || static_cast<std::uint32_t>(static_cast<std::uint64_t>(*sum) >> 32) == head_half(head);
}

bool body_holds(RowSum sum, RecordNo no, std::string_view key, std::string_view body) {
  return !sum || static_cast<std::uint32_t>(*sum) == body_half(no, key, body);
}

std::int64_t chunk_sum(ValueId value, std::int64_t chunk_no, std::string_view bytes) {
  return static_cast<std::int64_t>(Checksum().add(value).add(chunk_no).add(bytes).value());
}

std::int64_t page_sum(ValueId value, std::int64_t first, std::string_view page) {
  return static_cast<std::int64_t>(Checksum().add(value).add(first).add(page).value());
}

std::int64_t blob_sum(OwnerNo owner, const BlobRow& blob) {
  return static_cast<std::int64_t>(
      Checksum().add(owner).add(crypto::view(blob.digest)).add(blob.size_bytes).add(blob.mime_type).add(blob.value).value());
}

Error damaged_record(RecordNo no, std::string_view key) {
  Error error = damage(format("record number {} does not have its checksum", no));
  if (!key.empty()) error.details().record = key;
  return error;
}
Error damaged_value(ValueId value) { return damage(format("value {} does not have its checksum", value)); }
Error damaged_blob() { return damage("the row of a blob does not have its checksum"); }

void withhold(RecordRow& record) {
  RecordRow shown;
  shown.no = record.no;
  shown.stream = record.stream;
  shown.key = std::move(record.key);
  shown.order_key = std::move(record.order_key);
  shown.body = "{}";
  shown.damaged = true;
  record = std::move(shown);
}

}  // namespace ladder::store
