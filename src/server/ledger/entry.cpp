#include "server/ledger/entry.h"

#include "base/text/bytes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <span>

namespace ladder::server {
namespace {

// Reads values in sequence. After malformed input, all further reads return empty values.
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
  // Reads the number of items that follow, each at least one byte long.
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

// Two sinks for the same serialization code: Counter computes the size, and Writer writes into a buffer of that size.
class Counter {
 public:
  void number(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    size_ += bits < 0x80 ? 1 : (static_cast<std::size_t>(std::bit_width(bits)) + 6) / 7;
  }
  void text(std::string_view text) {
    number(std::ssize(text));
    size_ += text.size();
  }
  template <class Part>
  void sized(const Part& part) {
    number(part.size);
    size_ += static_cast<std::size_t>(part.size);
  }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};

class Writer {
 public:
  explicit Writer(char* to) : to_(to) {}

  void number(std::int64_t value) {
    auto left = static_cast<std::uint64_t>(value);
    for (; left >= 0x80; left >>= 7) *to_++ = static_cast<char>(left | 0x80);
    *to_++ = static_cast<char>(left);
  }
  void text(std::string_view text) {
    number(std::ssize(text));
    if (text.empty()) return;
    std::memcpy(to_, text.data(), text.size());
    to_ += text.size();
  }
  template <class Part>
  void sized(const Part& part) {
    number(part.size);
    part.put(*this);
  }

 private:
  char* to_;
};

template <class Put>
std::int64_t counted(const Put& put) {
  Counter counter;
  put(counter);
  return static_cast<std::int64_t>(counter.size());
}

// A length-prefixed part whose size is computed once.
template <class Put>
struct SizedPart {
  explicit SizedPart(const Put& part) : put(part), size(counted(part)) {}
  const Put& put;
  std::int64_t size;
};

// Calls `put` with each sink in turn.
template <class Put>
void pack_into(std::string& out, const Put& put) {
  const auto size = static_cast<std::size_t>(counted(put));
  const std::size_t before = out.size();
  out.resize_and_overwrite(before + size, [&](char* to, std::size_t) {
    Writer writer(to + before);
    put(writer);
    return before + size;
  });
}

template <class Put>
std::string packed(const Put& put) {
  std::string out;
  pack_into(out, put);
  return out;
}

// --- the serialization of journal entries, and of the parts that pages use too ---

template <class Sink, class Grant>
void put_head(Sink& out, Instant at, std::string_view client_id, std::span<const Grant> grants,
              std::initializer_list<std::string_view> texts) {
  out.number(at);
  out.text(client_id);
  out.number(std::ssize(grants));
  for (const Grant& grant : grants) {
    out.text(grant.grant_id);
    out.number(grant.chars);
    out.number(grant.bytes);
  }
  for (const std::string_view text : texts) out.text(text);
}

template <class Sink>
void put_head(Sink& out, const LedgerEntry& entry) {
  put_head<Sink, GrantShare>(out, entry.at, entry.client_id, entry.grants,
                             {entry.request_id, entry.transport, entry.name, entry.shown.kind, entry.shown.query});
}

template <class Sink>
void put_field(Sink& out, std::string_view path, Unit unit, const std::optional<crypto::Digest>& digest, std::int64_t size,
               std::span<const ShownRange> ranges) {
  out.text(path);
  out.number(static_cast<std::int64_t>(unit));
  out.text(digest ? crypto::view(*digest) : std::string_view());
  out.number(size);
  out.number(std::ssize(ranges));
  std::int64_t last = 0;
  for (const ShownRange& range : ranges) {
    out.number(range.start - last);
    out.number(range.end - range.start);
    last = range.end;
  }
}

template <class Sink>
void put_fields(Sink& out, const std::vector<ShownField>& fields) {
  out.number(std::ssize(fields));
  for (const ShownField& field : fields) put_field(out, field.path, field.unit, field.digest, field.size, field.ranges);
}

template <class Sink>
void put_ref(Sink& out, const model::RecordRef& record) {
  out.text(record.connection_id);
  out.text(record.stream);
  out.text(record.record_id);
}

template <class Sink>
void put_record(Sink& out, const ShownRecord& record) {
  put_ref(out, record.record);
  put_fields(out, record.fields);
}

template <class Sink>
void put_record(Sink& out, const ShownWindow& shown) {
  const ShownRange range = shown.range();
  put_ref(out, shown.window.record);
  out.number(1);
  put_field(out, shown.window.path, Unit::kChars, shown.digest, shown.window.size_chars,
            {&range, range.start < range.end ? std::size_t{1} : std::size_t{0}});
}

}  // namespace

std::string pack_head(const LedgerEntry& entry) {
  return packed([&](auto& out) { put_head(out, entry); });
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
  for (std::string* text : {&into.request_id, &into.transport, &into.name, &into.shown.kind, &into.shown.query})
    *text = in.text();
  return in.at_end();
}

void pack_fields(std::string& out, const std::vector<ShownField>& fields) {
  pack_into(out, [&](auto& to) { put_fields(to, fields); });
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
  return packed([&](auto& out) { put_record(out, record); });
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
  const auto head = [&](auto& out) { put_head(out, entry); };
  return packed([&](auto& out) {
    out.number(owner);
    out.sized(SizedPart(head));
    out.number(std::ssize(entry.shown.records));
    for (const ShownRecord& shown : entry.shown.records) {
      const auto record = [&shown](auto& to) { put_record(to, shown); };
      out.sized(SizedPart(record));
    }
  });
}

void pack_entry(const WindowEntry& entry, std::string& into) {
  struct {
    std::string_view grant_id;
    std::int64_t chars, bytes;
  } const grant{entry.grant_id, entry.shown.range().end - entry.shown.range().start, 0};
  const auto put_its_head = [&](auto& out) {
    put_head(out, entry.at, entry.client_id, std::span(&grant, 1),
             {entry.request_id, entry.transport, entry.name, kWindowKind, entry.query});
  };
  const auto put_its_record = [&](auto& out) { put_record(out, entry.shown); };
  const SizedPart head(put_its_head);
  const SizedPart record(put_its_record);
  into.clear();
  pack_into(into, [&](auto& out) {
    out.number(entry.owner);
    out.sized(head);
    out.number(1);
    out.sized(record);
  });
}

std::int64_t LedgerEntry::chars() const {
  std::int64_t counted = 0;
  for (const GrantShare& share : grants) counted += share.chars;
  return std::min(counted, shown.total(Unit::kChars));
}

LedgerEntry WindowEntry::full_entry() const {
  LedgerEntry entry{at,
                    std::string(client_id),
                    {},
                    std::string(request_id),
                    std::string(transport),
                    std::string(name),
                    shown.full_disclosure()};
  entry.grants = {{std::string(grant_id), entry.shown.total(Unit::kChars), 0}};
  entry.shown.query = query;
  return entry;
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
