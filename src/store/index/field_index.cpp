#include "store/index/field_index.h"

#include "base/text/bytes.h"
#include "store/index/order_key.h"
#include "store/long_values/long_value.h"

#include <algorithm>

namespace ladder::store {
namespace {

constexpr std::string_view kBlobPrefix = "blob_sha256_";
constexpr std::size_t kMaxIndexedText = 64;
// No text in an entry begins with this byte: 0xFF is not UTF-8.
constexpr char kDigestTag = '\xFF';

std::string digest_value(const Digest& digest) {
  std::string value(1, kDigestTag);
  value += crypto::view(digest);
  return value;
}

std::optional<std::string> text_value(const json::Value& stored) {
  switch (stored.kind) {
    case json::Kind::kBool:
    case json::Kind::kNumber:
      return index_text(stored.text);
    case json::Kind::kString:
      return index_text(json::decode_string(json::raw_content(stored)));
    case json::Kind::kReference: {
      const auto ref = parse_reference(stored.text);
      if (!ref || ref->kind != json::Kind::kString) return std::nullopt;
      return digest_value(ref->digest);
    }
    default:
      return std::nullopt;
  }
}

std::optional<Instant> time_of(const json::Value& stored) {
  if (stored.kind != json::Kind::kString) return std::nullopt;
  return read_raw_time(json::raw_content(stored));
}

void add(IndexRows& rows, const IndexSpec& index, const json::Value& stored, std::string_view order_key) {
  if (index.kind == IndexKind::kTime || index.kind == IndexKind::kDays) {
    if (const auto time = time_of(stored)) rows.days.push_back({index.no, day_of(*time)});
  }
  if (index.kind == IndexKind::kDays) return;
  if (auto value = index_value(index.kind, stored)) rows.entries.push_back({index.no, *std::move(value) += order_key});
}

std::optional<Digest> blob_of(const json::Value& stored) {
  if (stored.kind != json::Kind::kObject) return std::nullopt;
  const auto id = json::member(stored.text, "blob_id");
  if (!id || id->kind != json::Kind::kString) return std::nullopt;
  return blob_digest(json::decode_string(json::raw_content(*id)));
}

}  // namespace

IndexRows index_rows(std::span<const IndexSpec> indexes, std::string_view key, std::string_view order_key,
                     std::string_view body) {
  IndexRows rows;
  std::vector<const IndexSpec*> wanted;
  for (const IndexSpec& index : indexes) {
    if (!index.upto || key <= *index.upto) wanted.push_back(&index);
  }
  bool blob_seen = false;
  for (json::Members members(body); members.next();) {  // of several members with the same name the first counts, as in a read
    std::erase_if(wanted, [&](const IndexSpec* index) {
      if (!json::name_equals(members.raw_name(), index->field)) return false;
      add(rows, *index, members.value(), order_key);
      return true;
    });
    if (!blob_seen && json::name_equals(members.raw_name(), kBlobField)) {
      blob_seen = true;
      rows.blob = blob_of(members.value());
    }
  }
  std::ranges::sort(rows.entries);
  std::ranges::sort(rows.days);
  return rows;
}

std::string index_value(Instant time) {
  std::string value;
  put_sorted_time(value, time);
  return value;
}

std::string index_number(std::string_view number) {
  std::string value;
  put_sorted_number(value, number);
  return value;
}

std::string index_text(std::string_view decoded) {
  if (decoded.size() > kMaxIndexedText) return digest_value(crypto::sha256(decoded));
  std::string value;
  put_sorted_text(value, decoded);
  return value;
}

std::optional<std::string> index_value(IndexKind kind, const json::Value& stored) {
  switch (kind) {
    case IndexKind::kTime:
      if (const auto time = time_of(stored)) return index_value(*time);
      return std::nullopt;
    case IndexKind::kNumber:
      if (stored.kind == json::Kind::kNumber) return index_number(stored.text);
      return std::nullopt;
    case IndexKind::kText:
      return text_value(stored);
    case IndexKind::kDays:
      break;
  }
  return std::nullopt;
}

IndexRange entries_with(const std::string& value) { return {value, after_all(value)}; }

std::string after_all(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xFF') prefix.pop_back();
  if (!prefix.empty()) ++prefix.back();
  return prefix;
}

std::int64_t day_of(Instant time) { return time >= 0 ? time / kDay : -((-(time + 1)) / kDay) - 1; }

std::optional<Digest> blob_digest(std::string_view blob_id) {
  if (!blob_id.starts_with(kBlobPrefix)) return std::nullopt;
  const std::string_view hex = blob_id.substr(kBlobPrefix.size());
  const auto bytes = from_hex(hex);
  if (!bytes || bytes->size() != Digest{}.size() || to_hex(*bytes) != hex) return std::nullopt;  // each blob has one spelling
  return crypto::to_digest(*bytes);
}

std::string blob_id(const Digest& digest) { return std::string(kBlobPrefix) + to_hex(crypto::view(digest)); }

}  // namespace ladder::store
