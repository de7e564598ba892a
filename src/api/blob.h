// Blobs in the API: bytes are returned only on request, and only through a record that the caller may see (PDPP
// "blobs").
#pragma once

#include "api/records.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::api {

inline constexpr std::int64_t kMaxBlobReadBytes = 8 * 1024 * 1024;  // per read; larger ranges take several reads

struct BlobRequest {
  std::string blob_id;
  Scope scope;
  std::int64_t first_byte = 0;
  std::int64_t max_bytes = 0;  // at most kMaxBlobReadBytes; 0: metadata only
  // The bytes that the caller reads next to complete one response. The budget must cover all of them, so that a
  // response is rejected before it starts.
  std::int64_t bytes_to_follow = 0;
};

// Returns true for text types, whose bytes count as characters in a budget: text/*, JSON, XML, and other line-based
// formats.
bool is_text_type(std::string_view mime_type);

struct Blob {
  std::string blob_id;
  std::string mime_type;
  std::string digest;  // "sha256:…"
  std::int64_t size_bytes = 0;
  std::int64_t first_byte = 0;
  std::string bytes;
};

// The URL of a blob's bytes within a record's data (PDPP "blobs"). The server adds it to responses and the client
// removes it, so that `data` equals the stored data.
std::string blob_path(std::string_view blob_id);  // /v1/blobs/{blob_id}

// Take and return valid JSON object text. with_fetch_url appends `fetch_url` to the top-level `blob_ref` and changes
// nothing else. Data that already has one is unchanged.
std::string with_fetch_url(std::string_view data);
std::string without_fetch_url(std::string_view data);  // removes only what with_fetch_url adds

// An object that refers to bytes stored elsewhere, recognized by its shape and not by a field's name (PDPP "records"
// and "blobs").
struct BlobReference {
  std::string blob_id;
  std::string fetch_url;
  std::string mime_type;
  std::string digest;
  std::int64_t size_bytes = -1;  // negative: unknown
};

// Takes valid JSON object text. A reference has a blob_id, or a MIME type together with a URL, a size or a digest.
std::optional<BlobReference> blob_reference(std::string_view object_text);

}  // namespace ladder::api
