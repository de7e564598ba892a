// Handles: encoding and strict decoding. Decoded values are checked like a client's own arguments.
#include "model/handle.h"

#include "base/limits.h"
#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "json/parse.h"
#include "json/writer.h"
#include "model/closed_object.h"
#include "model/field_path.h"
#include "model/record_id.h"

#include <boost/json/string.hpp>

namespace ladder::model {
namespace {

constexpr std::size_t kHandleDepth = 4;  // a flat object; a slightly higher limit allows a better message than "too deep"

std::unexpected<Error> refuse(std::string_view why) {
  return fail(Code::kInvalidHandle, format("the handle is invalid: {}; search again to get a new one", why));
}

void write_record(json::Writer& out, const RecordRef& record) {
  out.optional_member("connection_id", record.connection_id);
  out.member("stream", record.stream).member("record_id", record.record_id);
}

void write_integer(json::Writer& out, json::Name name, const std::optional<std::int64_t>& value) {
  if (value) out.member(name, *value);
}

void write_text(json::Writer& out, json::Name name, const std::optional<std::string>& value) {
  if (value) out.member(name, *value);
}

Result<boost::json::value> decode_tree(std::string_view handle) {
  const std::optional<std::string> text = base64url::decode(handle);
  if (!text) return refuse("it is not base64url text");
  Result<boost::json::value> tree = json::parse(*text, limits::kMaxHandleBytes, kHandleDepth);
  if (!tree) return refuse("it does not contain JSON");
  return tree;
}

// Names in handles may contain anything that a percent-encoded path segment can contain, which excludes "." and "..".
Status check_part(std::string_view name, std::string_view part) {
  if (part.empty()) return refuse(format("{} is empty", name));
  if (part == "." || part == "..") return refuse(format("{} is \"{}\"", name, part));
  if (part.size() > limits::kMaxRecordKeyBytes) return refuse(format("{} is over {} bytes", name, limits::kMaxRecordKeyBytes));
  return {};
}

Status check_record(const RecordRef& record) {
  if (!record.connection_id.empty()) LADDER_CHECK(check_part("connection_id", record.connection_id));
  LADDER_CHECK(check_part("stream", record.stream));
  return check_part("record_id", record.record_id);
}

Status check_version(const boost::json::value* v) {
  if (v != nullptr && v->is_int64() && v->get_int64() == 1) return {};
  return refuse("its version is not 1");
}

// Reads the members common to all handles. A null connection_id is the same as an absent one.
Result<RecordRef> read_record(ClosedObject& object, std::string_view kind) {
  LADDER_CHECK(check_version(object.optional("v")));
  if (object.optional_text("kind") != kind) return refuse(format("it is not a {} handle", kind));
  RecordRef record;
  const boost::json::value* connection = object.optional("connection_id");
  if (connection != nullptr && !connection->is_null()) record.connection_id = object.text("connection_id");
  record.stream = object.text("stream");
  record.record_id = object.text("record_id");
  return record;
}

Result<RecordRef> decode_direct(std::string_view text) {
  RecordRef record;
  std::string_view rest = text;
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    record.connection_id = text.substr(0, slash);
    if (!is_safe_name(record.connection_id)) return refuse("its connection_id is empty, too long, or holds \"\\\" or \"..\"");
    rest = text.substr(slash + 1);
  }
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return refuse("it names no record");
  record.stream = rest.substr(0, colon);
  record.record_id = rest.substr(colon + 1);
  if (!record.connection_id.empty() && record.record_id.starts_with('/')) {
    if (auto key = unescaped_key(std::string_view(record.record_id).substr(1))) record.record_id = *std::move(key);
  }
  if (!is_safe_name(record.stream)) return refuse("its stream is empty, too long, or holds \"/\", \"\\\" or \"..\"");
  LADDER_CHECK(check_record(record));
  return record;
}

// Accepts text of any length: only the size of a cursor is checked here; its issuer validates the rest.
Result<WindowArguments> read_window(ClosedObject& object) {
  constexpr std::int64_t kAny = INT64_MIN;  // the selector checks ranges
  WindowArguments window;
  window.offset_chars = object.optional_integer("offset_chars", kAny);
  window.limit_chars = object.optional_integer("limit_chars", kAny);
  window.before_chars = object.optional_integer("before_chars", kAny);
  window.after_chars = object.optional_integer("after_chars", kAny);
  if (object.optional("cursor") != nullptr) window.cursor = object.text("cursor");
  if (object.optional("q") != nullptr) window.q = object.text("q");
  return window;
}

// The plain id of a record, if decode_direct reads it back as the same record; shorter than a JSON handle.
std::optional<std::string> direct_id(const RecordRef& record) {
  if (record.connection_id.empty() || record.connection_id.starts_with('{')) return std::nullopt;
  std::string id = record.connection_id + "/" + record.stream + ":" + record.record_id;
  const auto same = decode_direct(id);
  if (!same || *same != record) return std::nullopt;
  return id;
}

}  // namespace

std::string encode_record_handle(const RecordRef& record) {
  if (const auto id = direct_id(record)) return base64url::encode(*id);
  json::Writer out;
  out.begin_object().member("v", 1).member("kind", "record");
  write_record(out, record);
  out.end_object();
  return base64url::encode(out.text());
}

std::string encode_field_window_handle(const FieldWindowHandle& handle) {
  const WindowArguments& window = handle.window;
  const bool is_plain =
      window.offset_chars && !window.limit_chars && !window.cursor && !window.q && !window.before_chars && !window.after_chars;
  if (const auto id = is_plain ? direct_id(handle.record) : std::nullopt) {
    json::Writer list;
    list.begin_array().string(*id).string(handle.field_path).number(*window.offset_chars).end_array();
    return base64url::encode(list.text());
  }
  json::Writer out;
  out.begin_object().member("v", 1).member("kind", "field-window");
  write_record(out, handle.record);
  out.member("field_path", handle.field_path);
  write_integer(out, "offset_chars", handle.window.offset_chars);
  write_integer(out, "limit_chars", handle.window.limit_chars);
  write_text(out, "cursor", handle.window.cursor);
  write_text(out, "q", handle.window.q);
  write_integer(out, "before_chars", handle.window.before_chars);
  write_integer(out, "after_chars", handle.window.after_chars);
  out.end_object();
  return base64url::encode(out.text());
}

std::string encode_blob_handle(const BlobHandle& handle) {
  json::Writer out;
  out.begin_object().member("v", 1).member("kind", "blob");
  write_record(out, handle.record);
  out.member("field_path", handle.field_path);
  if (handle.first_byte > 0) out.member("first_byte", handle.first_byte);
  write_integer(out, "max_bytes", handle.max_bytes);
  out.end_object();
  return base64url::encode(out.text());
}

Result<RecordRef> decode_record_handle(std::string_view handle) {
  if (handle.size() > limits::kMaxHandleBytes) return refuse(format("it is over {} bytes", limits::kMaxHandleBytes));
  Result<std::string> decoded = percent_decode(handle);
  if (!decoded) return refuse(decoded.error().message);
  // base64url contains no ":", every direct id has one.
  if (decoded->find(':') != std::string::npos) return decode_direct(*decoded);
  const std::optional<std::string> text = base64url::decode(*decoded);
  if (text && !text->starts_with('{') && utf8::is_valid(*text)) return decode_direct(*text);
  LADDER_TRY(const boost::json::value tree, decode_tree(*decoded));
  Faults faults(Code::kInvalidHandle, "handle");
  ClosedObject object(faults, &tree, "", {"v", "kind", "connection_id", "stream", "record_id"});
  Result<RecordRef> record = read_record(object, "record");
  if (!record) return record;
  if (const Status status = faults.status(); !status) return refuse(status.error().message);
  LADDER_CHECK(check_record(*record));
  return record;
}

namespace {

// [id, field path, offset]: the short form for a window that starts at a character offset.
Result<FieldWindowHandle> decode_list(const boost::json::array& list) {
  if (list.size() != 3 || !list[0].is_string() || !list[1].is_string() || !list[2].is_int64()) {
    return refuse("its list is not an id, a field path and an offset");
  }
  FieldWindowHandle out;
  LADDER_TRY(out.record, decode_direct(std::string_view(list[0].get_string())));
  out.field_path = std::string_view(list[1].get_string());
  out.window.offset_chars = list[2].get_int64();
  if (const auto path = parse_field_path(out.field_path); !path) return refuse(path.error().message);
  if (const auto window = checked(out.window); !window) return refuse(window.error().message);
  return out;
}

}  // namespace

Result<FieldWindowHandle> decode_field_window_handle(std::string_view handle) {
  if (handle.size() > limits::kMaxHandleBytes) return refuse(format("it is over {} bytes", limits::kMaxHandleBytes));
  LADDER_TRY(const boost::json::value tree, decode_tree(handle));
  if (const boost::json::array* const list = tree.if_array()) return decode_list(*list);
  Faults faults(Code::kInvalidHandle, "handle");
  ClosedObject object(faults, &tree, "",
                      {"v", "kind", "connection_id", "stream", "record_id", "field_path", "offset_chars", "limit_chars", "cursor",
                       "q", "before_chars", "after_chars"});
  FieldWindowHandle out;
  LADDER_TRY(out.record, read_record(object, "field-window"));
  out.field_path = object.text("field_path");
  LADDER_TRY(out.window, read_window(object));
  if (const Status status = faults.status(); !status) return refuse(status.error().message);
  LADDER_CHECK(check_record(out.record));
  if (const auto path = parse_field_path(out.field_path); !path) return refuse(path.error().message);
  if (const auto window = checked(out.window); !window) return refuse(window.error().message);
  return out;
}

Result<BlobHandle> decode_blob_handle(std::string_view handle) {
  if (handle.size() > limits::kMaxHandleBytes) return refuse(format("it is over {} bytes", limits::kMaxHandleBytes));
  LADDER_TRY(const boost::json::value tree, decode_tree(handle));
  Faults faults(Code::kInvalidHandle, "handle");
  ClosedObject object(faults, &tree, "",
                      {"v", "kind", "connection_id", "stream", "record_id", "field_path", "first_byte", "max_bytes"});
  BlobHandle out;
  LADDER_TRY(out.record, read_record(object, "blob"));
  out.field_path = object.text("field_path");
  out.first_byte = object.optional_integer("first_byte", 0).value_or(0);
  out.max_bytes = object.optional_integer("max_bytes", 1);
  if (const Status status = faults.status(); !status) return refuse(status.error().message);
  LADDER_CHECK(check_record(out.record));
  if (const auto path = parse_field_path(out.field_path); !path) return refuse(path.error().message);
  return out;
}

// Percent-encoding in handles and identifiers, for valid UTF-8.

Result<std::string> percent_decode(std::string_view text) {
  std::optional<std::string> decoded = percent_decode_bytes(text);
  if (!decoded) return fail(Code::kInvalidHandle, "a % is not followed by two hexadecimal digits; write %25 for a plain %");
  if (!utf8::is_valid(*decoded)) return fail(Code::kInvalidHandle, "the percent-encoded bytes are not valid UTF-8");
  return *std::move(decoded);
}

}  // namespace ladder::model
