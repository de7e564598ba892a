#include "store/checksums/row_sums.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "json/scan/scan.h"
#include "model/quote.h"
#include "store/index/field_index.h"

#include <iterator>

namespace ladder::store {
namespace {

std::uint32_t metadata_half(const RecordMetadata& metadata) {
  return Checksum()
      .add(metadata.no)
      .add(metadata.stream)
      .add(metadata.key)
      .add(metadata.order_key)
      .add(metadata.version)
      .add(metadata.digest)
      .add(metadata.emitted_at)
      .add(metadata.consent_time ? 1 : 0)
      .add(metadata.consent_time.value_or(0))
      .add(metadata.field_versions)
      .add(metadata.first_value)
      .add(metadata.value_count)
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

std::int64_t record_sum(const RecordMetadata& metadata, std::string_view body) {
  return static_cast<std::int64_t>(std::uint64_t{metadata_half(metadata)} << 32 | body_half(metadata.no, metadata.key, body));
}

bool metadata_matches(RowSum sum, const RecordMetadata& metadata) {
  return !sum || static_cast<std::uint32_t>(static_cast<std::uint64_t>(*sum) >> 32) == metadata_half(metadata);
}

bool body_matches(RowSum sum, RecordNo no, std::string_view key, std::string_view body) {
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
  Error error = damage(format("record number {} has a wrong checksum", no));
  if (!key.empty()) error.details().record = key;
  return error;
}
Error damaged_value(ValueId value) { return damage(format("value {} has a wrong checksum", value)); }
Error damaged_blob() { return damage("the row of a blob has a wrong checksum"); }

void strip_damaged(RecordRow& record) {
  RecordRow shown;
  shown.no = record.no;
  shown.stream = record.stream;
  shown.key = std::move(record.key);
  shown.order_key = std::move(record.order_key);
  shown.body = "{}";
  shown.damaged = true;
  record = std::move(shown);
}

ValueDamage::ValueDamage(std::string_view body) {
  for (json::Members members(body); members.next();) {
    if (members.value().kind != json::Kind::kReference) continue;
    auto ref = parse_reference(members.value().text);
    if (!ref) continue;
    const ValueId id = ref->id;
    fields_.emplace(id, Field{.name = json::decode_string(members.raw_name()), .ref = *std::move(ref), .hash = {}});
  }
}

ValueDamage::Field* ValueDamage::owner(ValueId value) {
  const auto after = fields_.upper_bound(value);
  return after == fields_.begin() ? nullptr : &std::prev(after)->second;
}

void ValueDamage::chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes, RowSum sum) {
  Field* const field = owner(value);
  if (!field) return;
  if (!holds(sum, chunk_sum(value, chunk_no, bytes))) field->damaged = true;
  if (value != field->ref.text_id) return;  // a long string inside the value has its own chunks, which the digest does not cover
  if (chunk_no != field->next_chunk++) field->damaged = true;
  field->hash.update(bytes);
  field->bytes += std::ssize(bytes);
}

void ValueDamage::page(ValueId value, std::int64_t first, std::string_view page, RowSum sum) {
  Field* const field = owner(value);
  if (field && !holds(sum, page_sum(value, first, page))) field->damaged = true;
}

std::vector<std::string> ValueDamage::damaged_fields() {
  std::vector<std::string> names;
  for (auto& [id, field] : fields_) {
    const bool same = field.hash.finish() == field.ref.digest && field.bytes == field.ref.size_bytes;
    if (field.damaged || !same) names.push_back(field.name);
  }
  return names;
}

void BlobDamage::chunk(std::int64_t chunk_no, std::string_view bytes, RowSum sum) {
  if (!holds(sum, chunk_sum(blob_.value, chunk_no, bytes)) || chunk_no != next_chunk_++) damaged_ = true;
  hash_.update(bytes);
  bytes_ += std::ssize(bytes);
}

bool BlobDamage::is_damaged() { return hash_.finish() != blob_.digest || bytes_ != blob_.size_bytes || damaged_; }

void DamageReport::add_stream(StreamNo stream, std::string_view connection_id, std::string_view name) {
  streams_[stream] = format("stream {} of connection {}", model::in_quotes(name), model::in_quotes(connection_id));
}

std::string DamageReport::record_name(StreamNo stream, std::string_view key) const {
  const auto found = streams_.find(stream);
  return format("record {} in {}", model::in_quotes(key), found == streams_.end() ? "an unknown stream" : found->second);
}

void DamageReport::add_record(StreamNo stream, RecordNo no, std::string_view key) {
  records_.insert(no);
  sentences_.push_back(format("{} is damaged: send or import it again", record_name(stream, key)));
}

void DamageReport::add_field(StreamNo stream, std::string_view key, std::string_view field) {
  sentences_.push_back(
      format("field {} of {} is damaged: send or import the record again", model::in_quotes(field), record_name(stream, key)));
}

void DamageReport::add_blob(const Digest& digest) {
  sentences_.push_back(format("blob {} is damaged: store it again", blob_id(digest)));
}

}  // namespace ladder::store
