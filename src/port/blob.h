// Blobs through the port: bytes leave only when asked for, and only through a record that the caller may see (contract 6.12).
#pragma once

#include "port/records.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ladder::port {

inline constexpr std::int64_t kMaxBlobReadBytes = 8 * 1024 * 1024;  // one read; more is several

struct BlobRequest {
  std::string blob_id;
  Scope scope;
  std::int64_t first_byte = 0;
  std::int64_t max_bytes = 0;  // at most kMaxBlobReadBytes; 0: only the facts
};

struct Blob {
  std::string blob_id;
  std::string mime_type;
  std::string digest;  // "sha256:…"
  std::int64_t size_bytes = 0;
  std::int64_t first_byte = 0;
  std::string bytes;
};

}  // namespace ladder::port
