#include "store/compression/compression.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>

namespace ladder::store {
namespace {

// Higher levels take up to four times as long and save only 1 to 2 % more (mail in pieces of 1 to 4 KB).
constexpr int kLevel = 1;
// Below this size, zstd's header and the raw size outweigh the savings.
constexpr std::size_t kMinBytes = 64;
// Bytes that the raw size may take in the row.
constexpr std::size_t kRowBytes = 4;
constexpr int kMaxSkippedRows = 63;

struct Free {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

template <class Context>
Context* made(Context* context) {
  if (context == nullptr) throw std::bad_alloc();
  return context;
}

ZSTD_CCtx* compression_context() {
  thread_local const std::unique_ptr<ZSTD_CCtx, Free> context(made(ZSTD_createCCtx()));
  return context.get();
}

ZSTD_DCtx* decompression_context() {
  thread_local const std::unique_ptr<ZSTD_DCtx, Free> context(made(ZSTD_createDCtx()));
  return context.get();
}

// The magic number of a zstd frame. The library may also accept older formats, which Ladder never wrote.
constexpr std::string_view kFrame = "\x28\xB5\x2F\xFD";

// Decompresses into exactly `raw_size` bytes in one call, so that zstd allocates no window, whatever the frame
// requests.
bool decompress(std::string_view frame, char* raw, std::size_t raw_size) {
  if (!frame.starts_with(kFrame)) return false;
  return ZSTD_decompressDCtx(decompression_context(), raw, raw_size, frame.data(), frame.size()) == raw_size;
}

}  // namespace

std::string compressed(std::string_view raw) {
  if (raw.size() < kMinBytes) return {};
  // The buffer has room only for results that make the row smaller; zstd fails when it needs more.
  std::string bytes(raw.size() - kRowBytes - 1, '\0');
  const std::size_t size = ZSTD_compressCCtx(compression_context(), bytes.data(), bytes.size(), raw.data(), raw.size(), kLevel);
  if (ZSTD_isError(size)) return {};
  bytes.resize(size);
  return bytes;
}

StoredBytes ChunkCompressor::store(std::int64_t value, std::string_view raw) {
  if (value != value_) skip_ = missed_ = 0;
  value_ = value;
  if (skip_ > 0) {
    --skip_;
    return {raw, std::nullopt};
  }
  compressed_ = compressed(raw);
  missed_ = compressed_.empty() ? std::min(2 * missed_ + 1, kMaxSkippedRows) : 0;
  skip_ = missed_;
  return stored(raw, compressed_);
}

std::optional<std::string_view> raw_bytes(const StoredBytes& stored, std::size_t most, std::string& buffer) {
  if (!stored.raw_size) return stored.bytes;
  if (*stored.raw_size < 0 || static_cast<std::uint64_t>(*stored.raw_size) > most) return std::nullopt;
  const auto raw_size = static_cast<std::size_t>(*stored.raw_size);
  if (buffer.size() < raw_size) buffer.resize(raw_size);
  if (!decompress(stored.bytes, buffer.data(), raw_size)) return std::nullopt;
  return std::string_view(buffer).substr(0, raw_size);
}

std::string_view raw_text(const StoredBytes& stored, std::size_t most, std::string& buffer) {
  if (const auto bytes = raw_bytes(stored, most, buffer)) return *bytes;
  buffer.assign(static_cast<std::size_t>(std::clamp<std::int64_t>(*stored.raw_size, 1, static_cast<std::int64_t>(most))), ' ');
  return buffer;
}

bool read_raw(const StoredBytes& stored, std::size_t most, std::string& raw) {
  const auto bytes = raw_bytes(stored, most, raw);
  if (!bytes) return false;
  if (bytes->data() == raw.data()) raw.resize(bytes->size());
  else raw = *bytes;
  return true;
}

}  // namespace ladder::store
