// Content-addressed blobs: bytes are staged in equal chunks while they are hashed, and the blob is named after its
// hash.
#include "base/limits.h"
#include "base/text/format.h"
#include "model/quote.h"
#include "server/ingest/ingest.h"
#include "server/ingest/ingest_writer.h"
#include "server/shared/stored_blob.h"

#include <algorithm>
#include <vector>

namespace ladder::server {
namespace {

constexpr std::string_view kUnknownType = "application/octet-stream";

Status check_mime_type(std::string_view type) {
  const auto visible = [](char c) { return c > 0x20 && c < 0x7F; };
  const bool fit = type.size() <= limits::kMaxNameBytes &&
                   std::ranges::all_of(type, [&](char c) { return visible(c) || c == ' '; }) &&
                   (type.empty() || type.find('/') != std::string_view::npos);
  if (fit) return {};
  return fail(Code::kInvalidRequest, format("{} is not a MIME type such as image/png", model::in_quotes(type)), "mime_type");
}

// Fills the chunk as far as the source allows.
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

// If the blob already exists, it is kept and the staged bytes are swept.
Result<store::Digest> stage_blob(store::Store& store, store::OwnerNo owner, std::string_view mime_type, ByteSource& bytes) {
  store::BlobRow blob;
  blob.mime_type = mime_type.empty() ? kUnknownType : mime_type;
  LADDER_TRY(blob.value, store.reserve_values(owner, 1));
  LADDER_TRY(const auto staging, store.stage(owner, blob.value, 1, 0));
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
  LADDER_CHECK(store.add_blob(owner, blob));
  return blob.digest;
}

}  // namespace

Result<api::Blob> Ingest::put_blob(const Access& access, std::string_view mime_type, ByteSource& bytes) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_CHECK(check_mime_type(mime_type));
  if (!access.ignores_suspension()) LADDER_CHECK(shared_.quotas.admit_write(access.owner(), 0));
  LADDER_TRY(const store::Digest digest, stage_blob(shared_.store, access.owner(), mime_type, bytes));
  LADDER_TRY(const auto stored, shared_.store.find_blob(access.owner(), digest));
  if (!stored) return fail(Code::kStoreUnavailable, "the blob was removed while it was stored; try again");
  return describe_blob(*stored);
}

Status Ingest::put_blobs(const Access& access, std::span<const NewBlob> blobs, IngestObserver& observer) {
  LADDER_CHECK(with_retries(shared_.store, observer, [&] { return shared_.accesses.require_owner(access); }));
  std::vector<store::Store::BlobBytes> together;
  std::size_t size = 0;
  std::int64_t all = 0;
  for (const NewBlob& each : blobs) all += std::ssize(each.bytes);
  LADDER_CHECK(with_retries(shared_.store, observer, [&] { return shared_.quotas.admit_write(access.owner(), all); }));
  const auto add_together = [&]() -> Status {
    LADDER_CHECK(with_retries(shared_.store, observer, [&]() -> Status {
      LADDER_TRY(store::ValueId value, shared_.store.reserve_values(access.owner(), std::ssize(together)));
      for (auto& each : together) each.blob.value = value++;
      return shared_.store.add_blobs(access.owner(), together);
    }));
    together.clear();
    size = 0;
    return {};
  };
  for (const NewBlob& each : blobs) {
    LADDER_CHECK(check_mime_type(each.mime_type));
    if (each.bytes.size() > store::kMaxBlobBatchBytes) {
      const auto stored = with_retries(shared_.store, observer, [&] {
        TextBytes bytes(each.bytes);
        return stage_blob(shared_.store, access.owner(), each.mime_type, bytes);
      });
      LADDER_CHECK(stored);
      continue;
    }
    if (size + each.bytes.size() > store::kMaxBlobBatchBytes) LADDER_CHECK(add_together());
    store::BlobRow blob;
    blob.digest = crypto::sha256(each.bytes);
    blob.size_bytes = std::ssize(each.bytes);
    blob.mime_type = each.mime_type.empty() ? kUnknownType : each.mime_type;
    together.push_back({std::move(blob), each.bytes});
    size += each.bytes.size();
  }
  return together.empty() ? Status{} : add_together();
}

Status Ingest::drop_unused_blobs(const Access& access, std::span<const store::Digest> blobs, IngestObserver& observer) {
  constexpr std::size_t kAtOnce = 500;
  LADDER_CHECK(with_retries(shared_.store, observer, [&] { return shared_.accesses.require_owner(access); }));
  for (; !blobs.empty(); blobs = blobs.subspan(std::min(kAtOnce, blobs.size()))) {
    const auto some = blobs.first(std::min(kAtOnce, blobs.size()));
    LADDER_CHECK(with_retries(shared_.store, observer,
                              [&] { return shared_.store.drop_unused_blobs(access.owner(), some, shared_.clock.now()); }));
  }
  return {};
}

}  // namespace ladder::server
