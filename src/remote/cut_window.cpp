// A window of a value that the server reads no windows of: GET …/records/{record_id} with that one field, once, within the bound
// of an answer, and the window is cut here. It counts like Ladder's own: the text of a string, the JSON text of an object or
// array.
#include "base/casefold.h"
#include "base/format.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "crypto/hash.h"
#include "json/pointer.h"
#include "model/field_path.h"
#include "model/match_span.h"
#include "port/target.h"
#include "remote/readers.h"
#include "remote/remote_port.h"

#include <algorithm>

namespace ladder::remote {
namespace {

constexpr std::string_view kOperation = "record";

std::optional<std::string_view> type_of(const json::Value& value) {
  if (value.kind == json::Kind::kString) return "string";
  if (value.kind == json::Kind::kObject) return "object";
  if (value.kind == json::Kind::kArray) return "array";
  return std::nullopt;
}

}  // namespace

Result<WholeValue> RemotePort::whole_value(const port::FieldWindowRequest& request, const std::stop_token& stop) {
  if (auto known = values_.find(request)) return *std::move(known);
  LADDER_TRY(const model::FieldPath path, model::parse_field_path(request.field_path));
  port::RecordRequest asked;
  asked.record = request.record;
  asked.connector_key = request.connector_key;
  asked.fields = {path.field};
  LADDER_TRY(const Reply reply, exchange_.get(kOperation, port::target_of(asked), stop));
  LADDER_TRY(const port::Record record,
             understood(exchange_, kOperation, reply.body, [&](Answer& answer) { return read_record(answer, asked.record); }));
  const auto field = json::member(record.data, path.field);
  const auto value = field ? json::resolve(*field, path.nested) : std::nullopt;
  if (!value) {
    return fail(Code::kFieldNotFound, format("the record has no \"{}\"", request.field_path), "field_path");
  }
  const auto type = type_of(*value);
  if (!type) {
    return fail(Code::kFieldNotText, format("\"{}\" is neither text nor an object nor an array", request.field_path),
                "field_path");
  }
  WholeValue whole;
  whole.record = record.ref;
  whole.type = *type;
  whole.text = std::make_shared<const std::string>(plain_text(*value));
  whole.size_chars = utf8::count(*whole.text);
  whole.digest = crypto::digest_text(crypto::sha256(*whole.text));
  values_.keep(request, whole);
  return whole;
}

Result<WindowRead> RemotePort::cut_window(const port::FieldWindowRequest& request, std::int64_t most_chars,
                                          const std::stop_token& stop) {
  LADDER_TRY(const model::WindowSelector selector, model::checked(request.window));
  if (selector.kind == model::SelectorKind::kCursor) {
    return fail(Code::kInvalidCursor, "the cursor is not one that this adapter made; start again without it", "cursor");
  }
  LADDER_TRY(const WholeValue whole, whole_value(request, stop));
  WindowRead read;
  evidence::FieldWindow& window = read.window;
  window.record = request.record;
  if (window.record.connection_id.empty()) window.record.connection_id = whole.record.connection_id;
  window.path = request.field_path;
  window.type = whole.type;
  window.digest = whole.digest;
  window.size_chars = whole.size_chars;
  window.start_chars = std::min(selector.offset_chars, whole.size_chars);
  window.limit_chars = selector.limit();
  std::int64_t chars = std::min(selector.limit(), most_chars);
  if (selector.kind == model::SelectorKind::kQuery) {
    FoldedFinder finder(selector.q);
    const auto found = finder.feed(*whole.text);
    if (!found) return fail(Code::kQueryNotFound, "the text does not occur in the field", "q");
    const model::MatchSpan span = model::span_around(selector, *found, finder.needle_chars(), whole.size_chars);
    window.start_chars = span.start;
    window.limit_chars = span.limit;
    window.match = evidence::Match{selector.q, *found, *found + finder.needle_chars()};
    chars = span.end - span.start;
  }
  window.text = utf8::slice(*whole.text, window.start_chars, chars);
  window.end_chars = window.start_chars + utf8::count(window.text);
  return read;
}

}  // namespace ladder::remote
