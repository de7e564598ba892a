// Cursor values as bytes that compare like the values do.
#include "store/order_key.h"

#include "store/sort_bytes.h"

#include <algorithm>
#include <optional>

namespace ladder::store {
namespace {

constexpr char kTimeTag = 0x10;
constexpr char kNumberTag = 0x20;
constexpr char kTextTag = 0x30;
constexpr std::size_t kTextBytes = 256;

void put_text(std::string& key, std::string_view raw) {
  std::string text;
  json::StringDecoder(raw).next(text, kTextBytes + 4);
  text.resize(std::min(text.size(), kTextBytes));
  put_sorted_text(key, text);
}

}  // namespace

std::string order_key(const model::Stream& stream, const json::Value& data, std::string_view record_key) {
  std::string key;
  std::optional<json::Value> value;
  if (!stream.cursor_field.empty()) value = json::member(data.text, stream.cursor_field);
  const json::Kind kind = value ? value->kind : json::Kind::kNull;
  if (kind == json::Kind::kNumber) {
    key += kNumberTag;
    put_sorted_number(key, value->text);
  } else if (kind == json::Kind::kString) {
    const model::Field* const field = stream.field(stream.cursor_field);
    const std::string_view raw = json::raw_content(*value);
    if (const auto time = field != nullptr && field->is_time() ? read_raw_time(raw) : std::nullopt) {
      key += kTimeTag;
      put_sorted_time(key, *time);
    } else {
      key += kTextTag;
      put_text(key, raw);
    }
  } else {
    key += static_cast<char>(kMissingCursorTag);
  }
  key += record_key;
  return key;
}

std::string order_key_from(IndexKind kind, std::string_view value) {
  std::string key(1, kind == IndexKind::kNumber ? kNumberTag : kTimeTag);
  key += value;
  return key;
}

IndexRange order_keys_of(IndexKind kind) {
  IndexRange range{order_key_from(kind, {}), order_key_from(kind, {})};
  ++range.to.back();
  return range;
}

}  // namespace ladder::store
