// Ingest of lines without the database. First line: the stream and the largest piece of the input ("notes 7"). The
// rest: NDJSON, with repetitions (repetition.h). Lines equal those of a plain split; each is rejected with a code of
// the receipt, or its record is split into stored parts and rebuilt from them.
#include "base/limits.h"
#include "base/text/utf8.h"
#include "frame.h"
#include "grant/grant.h"
#include "ingest_target.h"
#include "json/scan/decimal.h"
#include "json/scan/pointer.h"
#include "model/envelope.h"
#include "model/record_id.h"
#include "repetition.h"
#include "server/ingest/ingest.h"
#include "server/ingest/ingest_prepare.h"
#include "split_record.h"
#include "store/long_values/split.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace ladder::fuzz {
namespace {

constexpr std::size_t kMaxBytes = 96 * limits::kKiB;
constexpr std::size_t kMaxLine = 40 * limits::kKiB;
constexpr Instant kNow = 1'775'001'600 * kSecond;

class StillClock final : public Clock {
 public:
  Instant now() const override { return kNow; }
};

// Supplies the text in pieces of a bounded size.
class Pieces final : public server::ByteSource {
 public:
  Pieces(std::string_view text, std::size_t most) : text_(text), most_(most), chance_(text) {}

  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    const std::size_t count = std::min({capacity, text_.size(), 1 + chance_.below(most_)});
    std::memcpy(buffer, text_.data(), count);
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
  std::size_t most_;
  Chance chance_;
};

// Removes and returns the next line of the text by a plain split.
std::string_view cut_line(std::string_view& text, bool is_first) {
  std::string_view line = take_line(text);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (is_first && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  return line;
}

// The previous record, for comparison with the next one.
struct Before {
  std::string data;
  std::string body;
  std::string order_key;
};

class Ingest {
 public:
  explicit Ingest(const server::ConnectionStream& place) : stream_(*place.declared), preparer_(place, clock_) {}

  void line(const server::Line& line);

 private:
  void check_refusal(const server::Line& line, const Error& error);
  void check_accepted(const server::Line& line, store::RecordWrite& write);
  void check_key(const model::Envelope& envelope, const store::RecordWrite& write);
  void check_visible(const store::RecordWrite& write, const json::Value& data);
  void check_order(const Before& before, const store::RecordWrite& write, const json::Value& data);
  void check_changes(const Before& before, const store::RecordWrite& write, const json::Value& data);

  const model::Stream& stream_;
  StillClock clock_;
  server::LinePreparer preparer_;
  std::optional<Before> before_;
};

void Ingest::line(const server::Line& line) {
  store::RecordWrite write;
  const Status prepared = preparer_.prepare(line, write);
  if (!prepared) return check_refusal(line, prepared.error());
  FUZZ_CHECK(!line.too_long && json::check(line.text, limits::kMaxJsonDepth));
  check_accepted(line, write);
}

void Ingest::check_refusal(const server::Line& line, const Error& error) {
  FUZZ_CHECK(!error.message.empty() && utf8::is_valid(error.message));
  const bool is_json = !line.too_long && json::check(line.text, limits::kMaxJsonDepth).has_value();
  switch (error.code) {
    case Code::kResourceLimit:
      FUZZ_CHECK(line.too_long);
      return;
    case Code::kInvalidUtf8:
      FUZZ_CHECK(!utf8::is_valid(line.text));
      return;
    case Code::kMalformedNdjson:
      FUZZ_CHECK(!is_json || json::value_of(line.text).kind != json::Kind::kObject);
      return;
    case Code::kInvalidRecord:
    case Code::kInvalidRecordIdentity:
    case Code::kStreamNotDeclared:
      FUZZ_CHECK(is_json);
      return;
    default:
      FUZZ_CHECK(false && "a code of the receipt");
  }
}

void Ingest::check_accepted(const server::Line& line, store::RecordWrite& write) {
  const auto envelope = model::read_envelope(line.text);
  FUZZ_CHECK(envelope && envelope->is_delete == write.is_delete);
  check_key(*envelope, write);
  FUZZ_CHECK(parse_time(write.emitted_at).has_value());
  write.first_value = 1000;
  FUZZ_CHECK(preparer_.write_body(write, write.values).has_value());
  if (write.is_delete) {
    FUZZ_CHECK(write.body.empty() && write.value_count == 0 && write.values.chunks.empty());
    return;
  }
  const json::Value& data = envelope->data;
  FUZZ_CHECK(!stream_.schema.validate(data));
  if (preparer_.lone_surrogates() == 0) FUZZ_CHECK(write.digest == crypto::sha256(data.text));
  SplitRecord record(data, write);
  record.check_row();
  record.check_values();
  Chance chance(line.text);
  record.check_paths(chance);
  FUZZ_CHECK(store::changed_fields(write.body, write.body).empty());
  check_visible(write, data);
  if (before_) {
    check_order(*before_, write, data);
    check_changes(*before_, write, data);
  }
  before_ = Before{std::string(data.text), write.body, write.order_key};
}

void Ingest::check_key(const model::Envelope& envelope, const store::RecordWrite& write) {
  const std::size_t arity = stream_.primary_key.size();
  FUZZ_CHECK(!write.key.empty() && write.key.size() <= limits::kMaxRecordKeyBytes && utf8::is_valid(write.key));
  const std::vector<std::string> parts = model::key_parts(write.key, arity);
  FUZZ_CHECK(parts.size() == arity && model::join_key(parts) == write.key);
  FUZZ_CHECK(model::check_identity(stream_, write.key, envelope.data).has_value());
}

// A time constraint gives the same result for the data, the row and the time stored with it.
void Ingest::check_visible(const store::RecordWrite& write, const json::Value& data) {
  if (stream_.consent_time_field.empty()) return;
  grant::StreamGrant granted;
  granted.time = grant::TimeConstraint{.field = stream_.consent_time_field, .since = kNow, .until = {}};
  const bool expected = write.consent_time && *write.consent_time >= kNow;
  FUZZ_CHECK(grant::is_visible(granted, write.key, data) == expected);
  FUZZ_CHECK(grant::is_visible(granted, write.key, {json::Kind::kObject, write.body}) == expected);
}

// Records with a smaller number as cursor have the smaller sort key; integers compare exactly, others as doubles.
void Ingest::check_order(const Before& before, const store::RecordWrite& write, const json::Value& data) {
  FUZZ_CHECK(write.order_key.ends_with(write.key) && write.order_key.size() > write.key.size());
  if (stream_.cursor_field.empty()) return;
  const auto old_value = json::member(before.data, stream_.cursor_field);
  const auto new_value = json::member(data.text, stream_.cursor_field);
  const auto is_number = [](const auto& value) { return value && value->kind == json::Kind::kNumber; };
  if (!is_number(old_value) || !is_number(new_value)) return;
  const json::Decimal a(old_value->text);
  const json::Decimal b(new_value->text);
  if (!a.is_integer() || !b.is_integer()) return;
  constexpr std::size_t kNumberBytes = 1 + 8 + 8;
  const std::string old_number = before.order_key.substr(0, kNumberBytes);
  const std::string new_number = write.order_key.substr(0, kNumberBytes);
  FUZZ_CHECK(a < b ? old_number <= new_number : a > b ? old_number >= new_number : old_number == new_number);
}

// A field with different content is among the changed fields; one with the same text is not.
void Ingest::check_changes(const Before& before, const store::RecordWrite& write, const json::Value& data) {
  const std::vector<std::string> changed = store::changed_fields(before.body, write.body);
  const auto is_listed = [&](const std::string& name) { return std::ranges::count(changed, name) == 1; };
  for (json::Members walk(data.text); walk.next();) {
    const std::string name = json::decode_string(walk.raw_name());
    const auto old_value = json::member(before.data, name);
    if (!old_value || !same_value(*old_value, walk.value())) FUZZ_CHECK(is_listed(name));
    if (old_value && old_value->text == walk.value().text) FUZZ_CHECK(!is_listed(name));
  }
  for (json::Members walk(before.data); walk.next();) {
    const std::string name = json::decode_string(walk.raw_name());
    if (!json::member(data.text, name)) FUZZ_CHECK(is_listed(name));
  }
}

std::size_t piece_size(std::string_view text) {
  std::size_t size = 0;
  std::from_chars(text.data(), text.data() + text.size(), size);
  return std::clamp<std::size_t>(size, 1, kMaxBytes);
}

}  // namespace

void run(std::string_view input) {
  const std::string_view head = take_line(input);
  const std::size_t space = std::min(head.find(' '), head.size());
  const std::string text = expanded(input, kMaxBytes);
  Pieces pieces(text, space == head.size() ? kMaxBytes : piece_size(head.substr(space + 1)));
  server::LineSource lines(pieces, kMaxLine);
  Ingest ingest(target_named(head.substr(0, space)));
  std::string_view rest = text;
  server::Line line;
  for (std::int64_t number = 1;; ++number) {
    const auto more = lines.next(line);
    FUZZ_CHECK(more.has_value());
    FUZZ_CHECK(*more == !rest.empty());
    if (!*more) break;
    const bool has_end = rest.find('\n') != std::string_view::npos;
    const std::string_view expected = cut_line(rest, number == 1);
    FUZZ_CHECK(line.number == number && line.unterminated == !has_end);
    FUZZ_CHECK(line.too_long == (expected.size() > kMaxLine));
    if (line.too_long) FUZZ_CHECK(line.text.empty() && line.digest == crypto::sha256(expected));
    if (!line.too_long) FUZZ_CHECK(line.text == expected);
    ingest.line(line);
  }
  FUZZ_CHECK(lines.bytes_read() == static_cast<std::int64_t>(text.size()));
}

}  // namespace ladder::fuzz
