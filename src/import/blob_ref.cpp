#include "import/blob_ref.h"

#include "base/bytes.h"
#include "json/writer.h"

namespace ladder::imports {

std::string blob_ref(const crypto::Digest& digest, std::string_view mime_type, std::int64_t size_bytes) {
  const std::string hex = to_hex(crypto::view(digest));
  json::Writer out;
  out.begin_object().member("blob_id", "blob_sha256_" + hex).member("mime_type", mime_type).member("sha256", hex);
  out.member("size_bytes", size_bytes).end_object();
  return out.take();
}

}  // namespace ladder::imports
