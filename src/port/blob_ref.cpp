#include "port/blob_ref.h"

#include "json/scan.h"
#include "json/writer.h"
#include "model/handle.h"

#include <optional>

namespace ladder::port {
namespace {

// The blob_ref of a record, and the member that says where its bytes are.
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

}  // namespace ladder::port
