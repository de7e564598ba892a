#include "server/ledger/entry.h"

#include "base/text/bytes.h"

namespace ladder::server {
namespace {

// Reads one part after the other; after the first that is missing it answers with nothing.
class Unpacker {
 public:
  Unpacker(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  std::uint64_t number() {
    const auto value = ok_ ? get_varint(bytes_, at_) : std::nullopt;
    ok_ = ok_ && value.has_value();
    return value.value_or(0);
  }
  std::int64_t signed_number() { return static_cast<std::int64_t>(number()); }
  std::string text() {
    const auto value = ok_ ? get_sized(bytes_, at_) : std::nullopt;
    ok_ = ok_ && value.has_value();
    return std::string(value.value_or(""));
  }
  std::optional<crypto::Digest> digest() {
    const std::string bytes = text();
    if (bytes.empty()) return std::nullopt;
    ok_ = ok_ && bytes.size() == crypto::Digest{}.size();
    if (!ok_) return std::nullopt;
    return crypto::to_digest(bytes);
  }
  // How many items follow, each of at least one byte.
  std::size_t count() {
    const std::uint64_t items = number();
    ok_ = ok_ && items <= bytes_.size() - at_;
    return ok_ ? static_cast<std::size_t>(items) : 0;
  }

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && at_ == bytes_.size(); }
  std::size_t at() const { return at_; }

 private:
  std::string_view bytes_;
  std::size_t at_;
  bool ok_ = true;
};

void put_number(std::string& out, std::int64_t value) { put_varint(out, static_cast<std::uint64_t>(value)); }

}  // namespace

std::string pack_head(const LedgerEntry& entry) {
  std::string out;
  put_number(out, entry.at);
  put_sized(out, entry.client_id);
  put_number(out, std::ssize(entry.grants));
  for (const GrantShare& grant : entry.grants) {
    put_sized(out, grant.grant_id);
    put_number(out, grant.chars);
    put_number(out, grant.bytes);
  }
  for (const std::string* text : {&entry.request_id, &entry.door, &entry.name, &entry.shown.kind, &entry.shown.query}) {
    put_sized(out, *text);
  }
  return out;
}

bool read_head(std::string_view packed, LedgerEntry& into) {
  Unpacker in(packed, 0);
  into.at = in.signed_number();
  into.client_id = in.text();
  into.grants.resize(in.count());
  for (GrantShare& grant : into.grants) {
    grant.grant_id = in.text();
    grant.chars = in.signed_number();
    grant.bytes = in.signed_number();
  }
  for (std::string* text : {&into.request_id, &into.door, &into.name, &into.shown.kind, &into.shown.query}) *text = in.text();
  return in.at_end();
}

void pack_fields(std::string& out, const std::vector<ShownField>& fields) {
  put_number(out, std::ssize(fields));
  for (const ShownField& field : fields) {
    put_sized(out, field.path);
    put_number(out, static_cast<std::int64_t>(field.unit));
    put_sized(out, field.digest ? crypto::view(*field.digest) : std::string_view());
    put_number(out, field.size);
    put_number(out, std::ssize(field.ranges));
    std::int64_t last = 0;
    for (const ShownRange& range : field.ranges) {
      put_number(out, range.start - last);
      put_number(out, range.end - range.start);
      last = range.end;
    }
  }
}

std::optional<std::vector<ShownField>> read_fields(std::string_view bytes, std::size_t& at) {
  Unpacker in(bytes, at);
  std::vector<ShownField> fields(in.count());
  for (ShownField& field : fields) {
    field.path = in.text();
    const std::uint64_t unit = in.number();
    if (unit > static_cast<std::uint64_t>(Unit::kRecords)) return std::nullopt;
    field.unit = static_cast<Unit>(unit);
    field.digest = in.digest();
    field.size = in.signed_number();
    field.ranges.resize(in.count());
    std::int64_t last = 0;
    for (ShownRange& range : field.ranges) {
      range.start = last + in.signed_number();
      range.end = range.start + in.signed_number();
      last = range.end;
    }
  }
  if (!in.ok()) return std::nullopt;
  at = in.at();
  return fields;
}

std::string pack_record(const ShownRecord& record) {
  std::string out;
  put_sized(out, record.record.connection_id);
  put_sized(out, record.record.stream);
  put_sized(out, record.record.record_id);
  pack_fields(out, record.fields);
  return out;
}

std::optional<ShownRecord> read_record(std::string_view packed) {
  Unpacker in(packed, 0);
  ShownRecord record;
  record.record.connection_id = in.text();
  record.record.stream = in.text();
  record.record.record_id = in.text();
  if (!in.ok()) return std::nullopt;
  std::size_t at = in.at();
  auto fields = read_fields(packed, at);
  if (!fields || at != packed.size()) return std::nullopt;
  record.fields = *std::move(fields);
  return record;
}

std::string pack_entry(store::OwnerNo owner, const LedgerEntry& entry) {
  std::string out;
  put_number(out, owner);
  put_sized(out, pack_head(entry));
  put_number(out, std::ssize(entry.shown.records));
  for (const ShownRecord& record : entry.shown.records) put_sized(out, pack_record(record));
  return out;
}

std::optional<OwnedEntry> read_entry(std::string_view packed) {
  Unpacker in(packed, 0);
  OwnedEntry read;
  read.owner = in.signed_number();
  const std::string head = in.text();
  if (!in.ok() || !read_head(head, read.entry)) return std::nullopt;
  const std::size_t records = in.count();
  for (std::size_t i = 0; i < records; ++i) {
    auto record = read_record(in.text());
    if (!in.ok() || !record) return std::nullopt;
    read.entry.shown.records.push_back(*std::move(record));
  }
  if (!in.at_end()) return std::nullopt;
  return read;
}

}  // namespace ladder::server
