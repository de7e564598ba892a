// Handles. The input is used twice: as a handle from outside, and as the JSON that a handle encodes (most mutations of
// a base64url text fail before any interesting code). Accepted input obeys the rules for arguments and encodes to a
// handle that decodes to the same.
#include "base/limits.h"
#include "base/text/base64.h"
#include "base/text/utf8.h"
#include "frame.h"
#include "model/field_path.h"
#include "model/handle.h"

namespace ladder::fuzz {
namespace {

void check_part(std::string_view part) {
  FUZZ_CHECK(!part.empty() && part != "." && part != ".." && part.size() <= limits::kMaxRecordKeyBytes && utf8::is_valid(part));
}

void check_record(const model::RecordRef& record) {
  if (!record.connection_id.empty()) check_part(record.connection_id);
  check_part(record.stream);
  check_part(record.record_id);
}

void check_refusal(const Error& error) {
  FUZZ_CHECK(error.code == Code::kInvalidHandle && !error.message.empty() && utf8::is_valid(error.message));
}

void check_record_handle(std::string_view handle) {
  const auto record = model::decode_record_handle(handle);
  if (!record) return check_refusal(record.error());
  FUZZ_CHECK(handle.size() <= limits::kMaxHandleBytes);
  check_record(*record);
  const std::string text = model::encode_record_handle(*record);
  const auto again = model::decode_record_handle(text);
  FUZZ_CHECK(again.has_value());
  FUZZ_CHECK(*again == *record && model::encode_record_handle(*again) == text);
  // Percent-encoding does not change the result.
  FUZZ_CHECK(model::decode_record_handle(model::percent_encode(text)) == *record);
}

bool same_window(const model::WindowArguments& a, const model::WindowArguments& b) {
  return a.cursor == b.cursor && a.q == b.q && a.offset_chars == b.offset_chars && a.limit_chars == b.limit_chars &&
         a.before_chars == b.before_chars && a.after_chars == b.after_chars;
}

void check_field_window_handle(std::string_view handle) {
  const auto window = model::decode_field_window_handle(handle);
  if (!window) return check_refusal(window.error());
  check_record(window->record);
  FUZZ_CHECK(model::parse_field_path(window->field_path).has_value());
  FUZZ_CHECK(model::checked(window->window).has_value());
  const std::string text = model::encode_field_window_handle(*window);
  const auto again = model::decode_field_window_handle(text);
  FUZZ_CHECK(again.has_value());
  FUZZ_CHECK(again->record == window->record && again->field_path == window->field_path);
  FUZZ_CHECK(same_window(again->window, window->window));
  // A record handle is never accepted as a handle of the other kind.
  FUZZ_CHECK(!model::decode_record_handle(text));
}

void check_percent(std::string_view bytes) {
  const std::string encoded = model::percent_encode(bytes);
  const auto decoded = model::percent_decode(encoded);
  FUZZ_CHECK(decoded.has_value() == utf8::is_valid(bytes));
  if (decoded) FUZZ_CHECK(*decoded == bytes);
  if (const auto direct = model::percent_decode(bytes)) FUZZ_CHECK(utf8::is_valid(*direct) && direct->size() <= bytes.size());
}

void check_base64url(std::string_view bytes) {
  const std::string encoded = base64url::encode(bytes);
  FUZZ_CHECK(base64url::decode(encoded) == bytes);
  // Decoding is strict: only one text decodes to given bytes.
  if (const auto decoded = base64url::decode(bytes)) FUZZ_CHECK(base64url::encode(*decoded) == bytes);
}

}  // namespace

void run(std::string_view input) {
  check_percent(input);
  check_base64url(input);
  const std::string encoded = base64url::encode(input);
  for (const std::string_view handle : {input, std::string_view(encoded)}) {
    check_record_handle(handle);
    check_field_window_handle(handle);
  }
}

}  // namespace ladder::fuzz
