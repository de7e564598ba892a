#include "server/read/shown_values.h"

#include "base/text/utf8.h"
#include "crypto/hash.h"
#include "json/scan/scan.h"
#include "model/field_path.h"

#include <algorithm>

namespace ladder::server {
namespace {

std::string text_of(const json::Value& value) {
  return value.kind == json::Kind::kString ? json::decode_string(json::raw_content(value)) : std::string(value.text);
}

}  // namespace

std::int64_t shown_chars(std::string_view json) {
  if (json.empty() || json == "null") return 0;
  return utf8::count(text_of(json::value_of(json)));
}

void ShownValues::add(const ConnectionStream& place, const store::RecordRow& row, const std::string& field,
                      std::optional<std::int64_t> max_chars) {
  if (is_full()) return;
  const auto value = json::member(json::value_of(row.body).text, field);
  if (!value || value->kind == json::Kind::kReference) return;
  const std::string text = text_of(*value);
  ShownField shown{model::format_field_path(field), Unit::kChars, crypto::sha256(text), utf8::count(text), {}};
  add_range(shown.ranges, {0, std::min(shown.size, max_chars.value_or(shown.size))});
  model::RecordRef record{place.connection->row.connection_id, place.declared->name, row.key};
  if (std::ranges::find(holders_, record, &Holder::record) != holders_.end()) return;
  holders_.push_back({std::move(record), std::move(shown)});
}

bool ShownValues::disclose_into(Disclosure& shown) const {
  if (holders_.empty() || is_full()) return false;
  for (const Holder& holder : holders_) {
    ShownField& field =
        shown.record(holder.record).field(holder.field.path, Unit::kChars, holder.field.digest, holder.field.size);
    for (const ShownRange& range : holder.field.ranges) add_range(field.ranges, range);
  }
  return true;
}

}  // namespace ladder::server
