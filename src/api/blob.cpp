#include "api/blob.h"

#include "base/text/number.h"
#include "json/scan/scan.h"
#include "json/writer.h"
#include "model/handle.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

namespace ladder::api {
namespace {

// A record's blob_ref and the member with the URL of its bytes.
struct BlobRef {
  json::Value object;
  std::string fetch_url;  // ,"fetch_url":"/v1/blobs/…"
};

std::optional<BlobRef> blob_ref_of(std::string_view data) {
  const auto blob = json::member(data, "blob_ref");
  if (!blob || blob->kind != json::Kind::kObject) return std::nullopt;
  const auto id = json::member(blob->text, "blob_id");
  if (!id || id->kind != json::Kind::kString) return std::nullopt;
  BlobRef found{*blob, ",\"fetch_url\":"};
  json::append_string(found.fetch_url, blob_path(json::decode_string(json::raw_content(*id))));
  return found;
}

}  // namespace

bool is_text_type(std::string_view mime_type) {
  // Human-readable types under application/ and message/.
  constexpr std::array<std::string_view, 16> kTextTypes = {
      "application/json",     "application/x-ndjson", "application/jsonl",    "application/xml",
      "application/yaml",     "application/x-yaml",   "application/toml",     "application/javascript",
      "application/sql",      "application/rtf",      "application/x-sh",     "application/x-tex",
      "application/x-subrip", "application/mbox",     "application/x-python", "message/rfc822"};
  std::string bare(mime_type.substr(0, mime_type.find_first_of("; ")));
  std::ranges::transform(bare, bare.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return bare.starts_with("text/") || bare.ends_with("+json") || bare.ends_with("+xml") || bare.ends_with("+yaml") ||
         std::ranges::find(kTextTypes, bare) != kTextTypes.end();
}

std::string blob_path(std::string_view blob_id) { return "/v1/blobs/" + model::percent_encode(blob_id); }

std::string with_fetch_url(std::string_view data) {
  std::string extended(data);
  const auto blob = blob_ref_of(data);
  if (!blob || json::member(blob->object.text, "fetch_url")) return extended;
  const auto brace = static_cast<std::size_t>(blob->object.text.data() - data.data()) + blob->object.text.size() - 1;
  return extended.insert(brace, blob->fetch_url);
}

std::string without_fetch_url(std::string_view data) {
  std::string plain(data);
  const auto blob = blob_ref_of(data);
  if (!blob || !blob->object.text.ends_with(blob->fetch_url + "}")) return plain;
  const auto end = static_cast<std::size_t>(blob->object.text.data() - data.data()) + blob->object.text.size() - 1;
  return plain.erase(end - blob->fetch_url.size(), blob->fetch_url.size());
}

namespace {

constexpr std::size_t kMaxTextBytes = 2'048;  // longer texts are not an id, URL or type
constexpr std::size_t kDigestHexChars = 64;

// Returns the first of these members that is a string.
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
    if (const auto size = parse_number(value->text); size && *size >= 0) return *size;
  }
  return -1;
}

}  // namespace

std::optional<BlobReference> blob_reference(std::string_view object_text) {
  BlobReference facts;
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

}  // namespace ladder::api
