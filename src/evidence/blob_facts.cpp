#include "evidence/blob_facts.h"

#include "json/scan.h"

#include <charconv>
#include <initializer_list>

namespace ladder::evidence {
namespace {

constexpr std::size_t kMaxTextBytes = 2'048;  // longer ones are no id, address or type
constexpr std::size_t kDigestHexChars = 64;

// The first of these members that is a text.
std::string text_of(std::string_view object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto value = json::member(object, name);
    if (!value || value->kind != json::Kind::kString || value->text.size() > kMaxTextBytes) continue;
    return json::decode_string(json::raw_content(*value));
  }
  return {};
}

std::int64_t size_of(std::string_view object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto value = json::member(object, name);
    if (!value || value->kind != json::Kind::kNumber) continue;
    std::int64_t size = -1;
    const std::string_view text = value->text;
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error == std::errc() && stopped == text.data() + text.size() && size >= 0) return size;
  }
  return -1;
}

}  // namespace

std::optional<BlobFacts> blob_facts(std::string_view object_text) {
  BlobFacts facts;
  facts.blob_id = text_of(object_text, {"blob_id", "blobId"});
  facts.mime_type = text_of(object_text, {"mime_type", "mimeType", "content_type", "contentType"});
  if (facts.blob_id.empty() && facts.mime_type.empty()) return std::nullopt;
  facts.fetch_url = text_of(object_text, {"fetch_url", "fetchUrl", "url", "href"});
  facts.digest = text_of(object_text, {"digest", "sha256", "content_digest", "contentDigest"});
  facts.size_bytes = size_of(object_text, {"size_bytes", "sizeBytes", "byte_length", "byteLength"});
  if (facts.blob_id.empty() && facts.fetch_url.empty() && facts.digest.empty() && facts.size_bytes < 0) return std::nullopt;
  if (facts.digest.size() == kDigestHexChars) facts.digest.insert(0, "sha256:");
  return facts;
}

}  // namespace ladder::evidence
