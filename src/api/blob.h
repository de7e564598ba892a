// Blobs through the port: bytes leave only when asked for, and only through a record that the caller may see (PDPP "blobs").
#pragma once

#include "api/records.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::api {

inline constexpr std::int64_t kMaxBlobReadBytes = 8 * 1024 * 1024;  // one read; more is several

struct BlobRequest {
  std::string blob_id;
  Scope scope;
  std::int64_t first_byte = 0;
  std::int64_t max_bytes = 0;  // at most kMaxBlobReadBytes; 0: only the facts
  // The bytes that the caller reads next to complete one response. A budget has to have room for all of them, so that a response
  // is refused before it begins.
  std::int64_t bytes_to_follow = 0;
};

// Bytes of such a type are text: a budget counts each as one character. text/*, JSON, XML, and what is written in lines of text.
bool is_text_type(std::string_view mime_type);

struct Blob {
  std::string blob_id;
  std::string mime_type;
  std::string digest;  // "sha256:…"
  std::int64_t size_bytes = 0;
  std::int64_t first_byte = 0;
  std::string bytes;
};

// The address of a blob's bytes inside a record's data (PDPP "blobs"): a server adds it on the way out, and whoever reads the
// answer takes it off again, so that `data` is what is stored.
std::string blob_path(std::string_view blob_id);  // /v1/blobs/{blob_id}

// Checked JSON object text in and out. The top-level `blob_ref` gets one member more at its end, `fetch_url`; everything else
// keeps its bytes. Data that has one already stays as it is.
std::string with_fetch_url(std::string_view data);
std::string without_fetch_url(std::string_view data);  // takes off what with_fetch_url adds, and nothing else

// Objects that stand for bytes kept elsewhere, told by their shape and never by a field's name (PDPP "records" and "blobs").
struct BlobFacts {
  std::string blob_id;
  std::string fetch_url;
  std::string mime_type;
  std::string digest;
  std::int64_t size_bytes = -1;  // unknown when negative
};

// Of checked JSON object text: it has a blob_id, or a MIME type together with an address, a size or a digest.
std::optional<BlobFacts> blob_facts(std::string_view object_text);

}  // namespace ladder::api
