#include "remote/bounds.h"

#include "api/preview.h"
#include "base/text/utf8.h"
#include "crypto/hash.h"
#include "json/scan/scan.h"

namespace ladder::remote {
namespace {

std::string digest_of(std::string_view text) { return crypto::digest_text(crypto::sha256(text)); }

bool is_overlong(const json::Value& value, std::int64_t max_chars) {
  if (std::ssize(value.text) <= max_chars) return false;  // the byte count is an upper bound of the chars
  if (value.kind == json::Kind::kString) return utf8::count(json::decode_string(json::raw_content(value))) > max_chars;
  return (value.kind == json::Kind::kObject || value.kind == json::Kind::kArray) && utf8::count(value.text) > max_chars;
}

bool has_overlong(std::string_view data, std::int64_t max_chars) {
  if (std::ssize(data) <= max_chars) return false;
  for (json::Members members(data); members.next();) {
    if (is_overlong(members.value(), max_chars)) return true;
  }
  return false;
}

}  // namespace

bool may_mean_bounds(const Error& error) {
  if (error.code != Code::kInvalidRequest && error.code != Code::kInvalidArgument) return false;
  return error.param.empty() || error.param == "max_field_chars" || error.param == "max_bytes";
}

void truncate_long_values(api::Record& record, std::int64_t max_chars) {
  if (has_overlong(record.data, max_chars)) {
    api::Trimmed trimmed = api::trim(record.data, std::move(record.cut), max_chars, digest_of);
    record.data = std::move(trimmed.data);
    record.cut = std::move(trimmed.cut);
  }
  for (api::Expansion& expansion : record.expanded) {
    for (api::Record& child : expansion.records) truncate_long_values(child, max_chars);
  }
}

}  // namespace ladder::remote
