#include "store/compression/compression.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>

namespace ladder::store {
namespace {

// Higher levels take up to four times as long for 1 to 2 % less (mail in pieces of 1 to 4 KB).
constexpr int kLevel = 1;
// Below this zstd's own header and the raw size eat up what is saved.
constexpr std::size_t kLeastBytes = 64;
// The raw size takes up to so many bytes of the row.
constexpr std::size_t kRowBytes = 4;
constexpr int kMaxRowsPassedOver = 63;

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

// zstd's own mark of a frame. The library may also know older formats, which Ladder never wrote.
constexpr std::string_view kFrame = "\x28\xB5\x2F\xFD";

// Into exactly that many bytes; in one go, so that zstd allocates no window of its own, whatever the frame asks for.
bool decompress(std::string_view frame, char* raw, std::size_t raw_size) {
  if (!frame.starts_with(kFrame)) return false;
  return ZSTD_decompressDCtx(decompression_context(), raw, raw_size, frame.data(), frame.size()) == raw_size;
}

}  // namespace

std::string compressed(std::string_view raw) {
  if (raw.size() < kLeastBytes) return {};
  // There is room for what makes the row smaller, and no more: zstd gives up when it needs more.
  std::string bytes(raw.size() - kRowBytes - 1, '\0');
  const std::size_t size = ZSTD_compressCCtx(compression_context(), bytes.data(), bytes.size(), raw.data(), raw.size(), kLevel);
  if (ZSTD_isError(size)) return {};
  bytes.resize(size);
  return bytes;
}

StoredBytes ChunkCompressor::store(std::int64_t value, std::string_view raw) {
  if (value != value_) pass_over_ = missed_ = 0;
  value_ = value;
  if (pass_over_ > 0) {
    --pass_over_;
    return {raw, std::nullopt};
  }
  compressed_ = compressed(raw);
  missed_ = compressed_.empty() ? std::min(2 * missed_ + 1, kMaxRowsPassedOver) : 0;
  pass_over_ = missed_;
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

bool take_raw(const StoredBytes& stored, std::size_t most, std::string& raw) {
  const auto bytes = raw_bytes(stored, most, raw);
  if (!bytes) return false;
  if (bytes->data() == raw.data()) raw.resize(bytes->size());
  else raw = *bytes;
  return true;
}

}  // namespace ladder::store
