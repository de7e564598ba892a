// Blobs, addressed by their content: bytes are staged in chunks of one size while they are hashed, and get their name at the end.
#include "base/bytes.h"
#include "base/format.h"
#include "base/limits.h"
#include "model/quote.h"
#include "rs/resource_server.h"

#include <algorithm>

namespace ladder::rs {
namespace {

constexpr std::string_view kUnknownType = "application/octet-stream";

Status check_mime_type(std::string_view type) {
  const auto visible = [](char c) { return c > 0x20 && c < 0x7F; };
  const bool fit = type.size() <= limits::kMaxNameBytes &&
                   std::ranges::all_of(type, [&](char c) { return visible(c) || c == ' '; }) &&
                   (type.empty() || type.find('/') != std::string_view::npos);
  if (fit) return {};
  return fail(Code::kInvalidRequest, format("{} is not a MIME type such as image/png", model::quoted(type)), "mime_type");
}

// Fills the chunk as far as the source goes.
Status read_chunk(ByteSource& bytes, std::string& chunk) {
  chunk.resize(limits::kChunkBytes);
  std::size_t filled = 0;
  while (filled < chunk.size()) {
    LADDER_TRY(const std::size_t count, bytes.read(chunk.data() + filled, chunk.size() - filled));
    if (count == 0) break;
    filled += count;
  }
  chunk.resize(filled);
  return {};
}

}  // namespace

Result<std::string> ResourceServer::put_blob(const Access& access, std::string_view mime_type, ByteSource& bytes) {
  LADDER_CHECK(require_owner(access));
  LADDER_CHECK(check_mime_type(mime_type));
  store::BlobRow blob;
  blob.mime_type = mime_type.empty() ? kUnknownType : mime_type;
  LADDER_TRY(blob.value, store_.reserve_values(1));
  LADDER_TRY(const auto staging, store_.stage(blob.value, 1));
  crypto::Sha256 hash;
  std::string chunk;
  for (std::int64_t chunk_no = 0;; ++chunk_no) {
    LADDER_CHECK(read_chunk(bytes, chunk));
    if (chunk.empty()) break;
    blob.size_bytes += static_cast<std::int64_t>(chunk.size());
    if (static_cast<std::size_t>(blob.size_bytes) > limits::kMaxValueBytes) {
      return fail(Code::kResourceLimit, format("a blob holds at most {} bytes", limits::kMaxValueBytes));
    }
    hash.update(chunk);
    LADDER_CHECK(staging->put_chunk(blob.value, chunk_no, chunk));
  }
  LADDER_CHECK(staging->finish());
  blob.digest = hash.finish();
  LADDER_CHECK(store_.add_blob(access.owner(), blob));  // one that is there already stays, and what was staged now is swept
  return "blob_sha256_" + to_hex(crypto::view(blob.digest));
}

}  // namespace ladder::rs
