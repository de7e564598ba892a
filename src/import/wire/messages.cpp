#include "import/wire/messages.h"

#include "base/limits.h"
#include "base/text/bytes.h"
#include "base/text/utf8.h"
#include "json/parse.h"
#include "json/writer.h"

#include <boost/json/object.hpp>

#include <algorithm>

namespace ladder::imports::wire {
namespace {

constexpr std::size_t kMaxJsonBytes = 1024 * 1024;
constexpr std::size_t kMaxWordBytes = 1024;  // a format, an account, an id, a display name

std::unexpected<Error> malformed() { return fail(Code::kRsProtocol, "the extractor sent an invalid message"); }

// The members of one flat object. A missing member or a wrong type is malformed.
class Fields {
 public:
  static Result<Fields> read(std::string_view json) {
    const auto tree = json::parse(json, kMaxJsonBytes, 4);
    if (!tree || !tree->is_object()) return malformed();
    return Fields(tree->get_object());
  }
  std::string text(std::string_view name, std::size_t max_bytes = kMaxWordBytes) {
    const auto* value = object_.if_contains(boost::json::string_view(name.data(), name.size()));
    if (!value || !value->is_string() || value->get_string().size() > max_bytes) return whole_ = false, std::string();
    return {value->get_string().data(), value->get_string().size()};
  }
  std::int64_t number(std::string_view name) {
    const auto* value = object_.if_contains(boost::json::string_view(name.data(), name.size()));
    if (!value || !value->is_int64() || value->get_int64() < 0) return whole_ = false, 0;
    return value->get_int64();
  }
  bool whole() const { return whole_; }

 private:
  explicit Fields(boost::json::object object) : object_(std::move(object)) {}
  boost::json::object object_;
  bool whole_ = true;
};

// Truncates a name or sentence at a character boundary.
std::string_view beginning(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

bool take_text(std::string_view& bytes, std::string& text, std::size_t max_bytes) {
  std::size_t at = 0;
  const auto read = get_sized(bytes, at);
  if (!read || read->size() > max_bytes) return false;
  text = *read;
  bytes.remove_prefix(at);
  return utf8::is_valid(text);
}

// Zigzag encoding: small signed numbers get short varints.
std::uint64_t folded(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

bool read_varint(std::string_view& bytes, std::uint64_t& number) {
  std::size_t at = 0;
  const auto value = get_varint(bytes, at);
  if (!value) return false;
  number = *value;
  bytes.remove_prefix(at);
  return true;
}

bool read_location(std::string_view& bytes, FileLocation& place) {
  std::uint64_t byte = 0;
  if (!take_text(bytes, place.file, kMaxFileBytes) || !read_varint(bytes, byte)) return false;
  place.byte = unfolded(byte);
  return true;
}

void append_location(std::string& out, const FileLocation& place) {
  put_sized(out, beginning(place.file, kMaxFileBytes));
  put_varint(out, folded(place.byte));
}

}  // namespace

std::string to_json(const Hello& hello) {
  json::Writer out;
  out.begin_object().member("protocol", hello.protocol).member("version", hello.version).end_object();
  return out.take();
}

Result<Hello> read_hello(std::string_view json) {
  LADDER_TRY(Fields fields, Fields::read(json));
  Hello hello{fields.number("protocol"), fields.text("version")};
  const bool plain = std::ranges::all_of(hello.version, [](char c) { return c > ' ' && c <= '~'; });
  if (!fields.whole() || hello.version.empty() || hello.version.size() > kMaxVersionBytes || !plain) return malformed();
  return hello;
}

std::string to_json(const Protection& protection) {
  json::Writer out;
  out.begin_object().member("name", protection.name).member("held", std::int64_t{protection.held ? 1 : 0});
  out.member("detail", protection.detail).end_object();
  return out.take();
}

Result<Protection> read_protection(std::string_view json) {
  LADDER_TRY(Fields fields, Fields::read(json));
  Protection protection{fields.text("name"), fields.number("held") == 1, fields.text("detail", kMaxReasonBytes)};
  if (!fields.whole()) return malformed();
  return protection;
}

std::string to_json(const PlannedUnit& unit) {
  json::Writer out;
  const auto word = [](std::string_view text) { return beginning(text, kMaxWordBytes); };
  const auto path = [](std::string_view text) { return beginning(text, kMaxFileBytes); };
  out.begin_object().member("number", unit.number).member("format", word(unit.format)).member("what", word(unit.what));
  out.member("file", path(unit.file)).member("tree", path(unit.tree)).member("place", path(unit.place));
  out.member("account", word(unit.account)).member("files", unit.files);
  out.member("bytes", std::min(unit.bytes, kMaxUnitBytes)).member("fingerprint", word(unit.fingerprint));
  out.member("connection_id", word(unit.connection_id)).member("display_name", word(unit.display_name));
  out.member("source_key", word(unit.source_key));
  out.member("part", path(unit.part)).member("hint", word(unit.hint));
  out.member("newest", unit.newest).member("only_source", unit.only_source).end_object();
  return out.take();
}

Result<PlannedUnit> read_unit(std::string_view json) {
  LADDER_TRY(Fields fields, Fields::read(json));
  PlannedUnit unit{fields.number("number"),
                   fields.text("format"),
                   fields.text("what"),
                   fields.text("file", kMaxFileBytes),
                   fields.text("tree", kMaxFileBytes),
                   fields.text("account"),
                   fields.number("files"),
                   fields.number("bytes"),
                   fields.text("fingerprint")};
  unit.place = fields.text("place", kMaxFileBytes);
  unit.connection_id = fields.text("connection_id");
  unit.display_name = fields.text("display_name");
  unit.source_key = fields.text("source_key");
  unit.part = fields.text("part", kMaxFileBytes);
  unit.hint = fields.text("hint");
  unit.newest = fields.number("newest");
  unit.only_source = fields.number("only_source");
  if (!fields.whole() || unit.bytes > kMaxUnitBytes) return malformed();
  return unit;
}

std::string to_json(const PlanEnd& end) {
  json::Writer out;
  out.begin_object().member("units", end.units).member("unclaimed", end.unclaimed);
  out.member("unclaimed_kinds", end.unclaimed_kinds).end_object();
  return out.take();
}

Result<PlanEnd> read_plan_end(std::string_view json) {
  LADDER_TRY(Fields fields, Fields::read(json));
  PlanEnd end{fields.number("units"), fields.number("unclaimed"), fields.text("unclaimed_kinds")};
  if (!fields.whole()) return malformed();
  return end;
}

std::string read_sentence(std::string_view bytes) {
  if (!utf8::is_valid(bytes)) return "the extractor sent a reason that is not text";
  return std::string(beginning(bytes, kMaxReasonBytes));
}

std::string to_bytes(const Loss& loss) {
  std::string out;
  append_location(out, loss.place);
  put_sized(out, beginning(loss.reason, kMaxReasonBytes));
  return out;
}

Result<Loss> read_loss(std::string_view bytes) {
  Loss loss;
  if (!read_location(bytes, loss.place) || !take_text(bytes, loss.reason, kMaxReasonBytes) || !bytes.empty()) return malformed();
  return loss;
}

void append_record_header(std::string& out, const RecordHeader& head) {
  put_sized(out, head.stream);
  append_location(out, head.place);
  put_varint(out, head.time ? 1 : 0);
  if (head.time) put_varint(out, folded(*head.time));
  put_varint(out, head.data_bytes);
  put_sized(out, head.key);
  put_sized(out, head.emitted_at);
}

bool fits(const RecordHeader& head) {
  return head.stream.size() <= kMaxStreamBytes && head.key.size() <= kMaxKeyBytes &&
         head.emitted_at.size() <= kMaxTimeTextBytes && head.data_bytes <= limits::kMaxLineBytes;
}

Result<RecordHeader> read_record_header(std::string_view& bytes) {
  RecordHeader head;
  std::uint64_t has_time = 0, time = 0;
  if (!take_text(bytes, head.stream, kMaxStreamBytes) || !read_location(bytes, head.place) || !read_varint(bytes, has_time))
    return malformed();
  if (has_time > 1 || (has_time == 1 && !read_varint(bytes, time)) || !read_varint(bytes, head.data_bytes)) return malformed();
  if (has_time == 1) head.time = unfolded(time);
  if (head.data_bytes > limits::kMaxLineBytes) return malformed();
  if (!take_text(bytes, head.key, kMaxKeyBytes) || !take_text(bytes, head.emitted_at, kMaxTimeTextBytes)) return malformed();
  return head;
}

}  // namespace ladder::imports::wire
