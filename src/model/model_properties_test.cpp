// Properties of the model over random input: formatted values parse back, and no bytes crash a parser.
#include "base/limits.h"
#include "base/text/utf8.h"
#include "model/declaration/declaration.h"
#include "model/envelope.h"
#include "model/field_path.h"
#include "model/handle.h"
#include "model/record_id.h"
#include "model/window_selector.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ladder::model {
namespace {

// Pieces that are special in the grammars, between ordinary and random code points.
rc::Gen<std::string> any_text() {
  const auto piece = rc::gen::oneOf(
      rc::gen::element<std::string>("/", "\\", "..", ".", ":", "\"", "[", "]", ",", "%", "%2F", "~", "~1", " ", "\n", "a", "key",
                                    "é", "中", "😀", "e\u0301", "\u202E", "\u200D", "pdpp://record/", std::string("\0", 1)),
      rc::gen::map(rc::gen::inRange<std::uint32_t>(0, 0x110000), [](std::uint32_t code_point) {
        std::string out;
        utf8::append(out, static_cast<char32_t>(code_point));
        return out;
      }));
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece), [](const std::vector<std::string>& pieces) {
    std::string out;
    for (const std::string& each : pieces) out += each;
    return out;
  });
}

// Any text that is a valid name: not empty, no "." or "..", within limits.
rc::Gen<std::string> any_name() {
  return rc::gen::suchThat(any_text(), [](const std::string& text) {
    return !text.empty() && text != "." && text != ".." && text.size() <= limits::kMaxRecordKeyBytes;
  });
}

rc::Gen<std::string> any_bytes() {
  return rc::gen::map(rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>()),
                      [](const std::vector<std::uint8_t>& bytes) { return std::string(bytes.begin(), bytes.end()); });
}

RecordRef any_ref() {
  const bool has_connection = *rc::gen::arbitrary<bool>();
  return {has_connection ? *any_name() : std::string(), *any_name(), *any_name()};
}

RC_GTEST_PROP(ModelProperties, RecordIdsRoundTrip, ()) {
  const RecordRef ref = any_ref();
  const auto back = parse_record_id(format_record_id(ref));
  RC_ASSERT(back.has_value());
  RC_ASSERT((*back == ref));
}

RC_GTEST_PROP(ModelProperties, CompoundKeysRoundTrip, ()) {
  auto parts = *rc::gen::resize(20, rc::gen::container<std::vector<std::string>>(any_text()));
  while (join_key(parts).size() > limits::kMaxRecordKeyBytes) parts.pop_back();
  while (parts.size() < 2) parts.emplace_back();
  const std::string key = join_key(parts);
  RC_ASSERT((key_parts(key, parts.size()) == parts));
  RC_ASSERT(json::check(key, 1).has_value());
  RC_ASSERT((canonical_key(json::value_of(key), parts.size()) == key));
  const RecordRef ref{"c", "s", key};
  RC_ASSERT((parse_record_id(format_record_id(ref)) == ref));
}

RC_GTEST_PROP(ModelProperties, VisibleIdsAreOnePlainLine, ()) {
  const std::string id = format_record_id(any_ref());
  RC_ASSERT(utf8::is_valid(id));
  RC_ASSERT(std::none_of(id.begin(), id.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
}

RC_GTEST_PROP(ModelProperties, HandlesRoundTrip, ()) {
  const RecordRef ref = any_ref();
  RC_ASSERT((decode_record_handle(encode_record_handle(ref)) == ref));
  RC_ASSERT((decode_record_handle(percent_encode(encode_record_handle(ref))) == ref));
  std::string field = *any_name() + "x";
  std::erase(field, '\0');
  FieldWindowHandle handle{ref, format_field_path(field), {}};
  handle.window.limit_chars = *rc::gen::inRange<std::int64_t>(1, limits::kWindowMaxChars + 1);
  if (*rc::gen::arbitrary<bool>()) {
    handle.window.q = *any_name();
    handle.window.before_chars = *rc::gen::inRange<std::int64_t>(0, limits::kContextMaxChars + 1);
  } else {
    handle.window.offset_chars = *rc::gen::inRange<std::int64_t>(0, INT64_MAX);
  }
  const std::string encoded = encode_field_window_handle(handle);
  RC_PRE(encoded.size() <= limits::kMaxHandleBytes);
  const auto back = decode_field_window_handle(encoded);
  RC_ASSERT(back.has_value());
  RC_ASSERT((back->record == ref));
  RC_ASSERT((back->field_path == handle.field_path));
  RC_ASSERT((back->window.q == handle.window.q));
  RC_ASSERT((back->window.offset_chars == handle.window.offset_chars));
  RC_ASSERT((back->window.before_chars == handle.window.before_chars));
}

RC_GTEST_PROP(ModelProperties, FieldPathsRoundTrip, ()) {
  const auto without_nul = [](std::string text) {
    std::erase(text, '\0');
    return text;
  };
  const std::string field = without_nul(*any_name()) + "x";
  auto nested = *rc::gen::container<std::vector<std::string>>(any_text());
  if (nested.size() >= limits::kMaxPointerDepth) nested.resize(limits::kMaxPointerDepth - 1);
  for (std::string& token : nested) token = without_nul(token);
  std::string text = format_field_path(field, nested);
  while (text.size() > limits::kMaxFieldPathBytes) {
    nested.pop_back();
    text = format_field_path(field, nested);
  }
  const auto path = parse_field_path(text);
  RC_ASSERT(path.has_value());
  RC_ASSERT((path->field == field));
  RC_ASSERT((path->nested == nested));
}

RC_GTEST_PROP(ModelProperties, PercentEncodingRoundTrips, ()) {
  const std::string text = *any_text();
  const std::string encoded = percent_encode(text);
  RC_ASSERT((percent_decode(encoded) == text));
  RC_ASSERT((encoded.find_first_of("/:?#[]@ \n\"") == std::string::npos));
}

// A text that parses must also be safe to use, and format to a text that parses to the same value.
void feed_everything(const std::string& bytes) {
  if (const auto ref = parse_record_id(bytes)) RC_ASSERT((parse_record_id(format_record_id(*ref)) == *ref));
  if (const auto ref = decode_record_handle(bytes)) RC_ASSERT((decode_record_handle(encode_record_handle(*ref)) == *ref));
  if (const auto handle = decode_field_window_handle(bytes)) RC_ASSERT(parse_field_path(handle->field_path).has_value());
  if (const auto path = parse_field_path(bytes)) RC_ASSERT(!path->field.empty());
  if (const auto decoded = percent_decode(bytes)) RC_ASSERT(utf8::is_valid(*decoded));
  if (const auto selector = checked({.q = bytes})) RC_ASSERT(!selector->q.empty());
  if (const auto number = parse_window_integer(bytes, "offset_chars")) RC_ASSERT(!bytes.empty());
  if (const auto parsed = parse_declaration(bytes)) RC_ASSERT((parse_declaration(parsed->document)->text == parsed->text));
  if (json::check(bytes, limits::kMaxJsonDepth)) {
    if (const auto envelope = read_envelope(bytes))
      RC_ASSERT((envelope->is_delete || envelope->data.kind == json::Kind::kObject));
    if (const auto key = canonical_key(json::value_of(bytes), 1)) RC_ASSERT(!key->empty());
  }
  if (const auto parts = key_parts(bytes, 2); !parts.empty()) RC_ASSERT((parts.size() == 2U));
}

RC_GTEST_PROP(ModelProperties, RandomBytesNeverCrash, ()) { feed_everything(*any_bytes()); }

RC_GTEST_PROP(ModelProperties, RandomTextNeverCrashes, ()) { feed_everything(*any_text()); }

}  // namespace
}  // namespace ladder::model
