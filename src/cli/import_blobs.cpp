#include "cli/import_blobs.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace ladder::cli {
namespace {

constexpr std::size_t kGatheredBytes = 4 * 1024 * 1024;  // of one; larger ones are stored piece by piece as they arrive
constexpr std::size_t kFullBytes = 1024 * 1024;
constexpr std::size_t kFullBlobs = 256;
constexpr std::size_t kHeldBytes = 1024 * 1024;  // of records

// The bytes of a blob: those that are here already, then what arrives.
class BlobFrames final : public rs::ByteSource {
 public:
  explicit BlobFrames(Extractor& extractor) : extractor_(extractor) {}

  // Up to so many bytes and the piece that crosses them; true when that is all there is.
  Result<bool> gather(std::size_t bytes) {
    while (!over() && piece_.size() <= bytes) LADDER_CHECK(take_frame(piece_));
    return complete_ && piece_.size() <= bytes;
  }
  std::string take_gathered() { return std::exchange(piece_, {}); }

  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    while (at_ == piece_.size() && !over()) {
      at_ = 0;
      piece_.clear();
      LADDER_CHECK(take_frame(piece_));
    }
    if (given_up_) return fail(Code::kInvalidRequest, "the blob was given up");
    const std::size_t count = std::min(capacity, piece_.size() - at_);
    std::memcpy(buffer, piece_.data() + at_, count);
    at_ += count;
    return count;
  }
  bool over() const { return complete_ || given_up_; }
  bool given_up() const { return given_up_; }

 private:
  Status take_frame(std::string& piece) {
    LADDER_TRY(const extract::Frame frame, extractor_.next());
    if (frame.kind == extract::Kind::kMore) piece += frame.payload;
    else if (frame.kind == extract::Kind::kBlobEnd) (frame.payload == "1" ? complete_ : given_up_) = true;
    else if (frame.kind != extract::Kind::kProgress) return fail(Code::kRsProtocol, "the extractor sent frames out of order");
    return {};
  }

  Extractor& extractor_;
  std::string piece_;
  std::size_t at_ = 0;
  bool complete_ = false, given_up_ = false;
};

}  // namespace

Status ImportBlobs::take(const std::string& mime_type) {
  BlobFrames bytes(extractor_);
  LADDER_TRY(const bool is_whole, bytes.gather(kGatheredBytes));
  if (bytes.given_up()) return {};
  if (!is_whole) {
    LADDER_CHECK(flush());
    const auto stored = server_.put_blob(owner_, mime_type, bytes);
    if (stored || bytes.given_up()) return {};
    return std::unexpected(stored.error());
  }
  blobs_.push_back({mime_type, bytes.take_gathered()});
  blob_bytes_ += blobs_.back().bytes.size();
  return advance();
}

bool ImportBlobs::holds(std::size_t record_bytes) const { return record_bytes_ + record_bytes <= kHeldBytes; }

void ImportBlobs::append(std::string_view bytes) {
  records_.back().data += bytes;
  record_bytes_ += bytes.size();
}

std::int64_t ImportBlobs::held(std::string_view stream) const {
  const auto of_stream = [&](const Held& record) { return record.head.stream == stream; };
  return std::ranges::count_if(records_, of_stream) + std::ranges::count_if(next_records_, of_stream);
}

Status ImportBlobs::advance() {
  const bool is_full = blob_bytes_ > kFullBytes || blobs_.size() >= kFullBlobs || record_bytes_ > kHeldBytes;
  const bool is_stored = writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  if (is_full || is_stored) LADDER_CHECK(settle());
  if (blobs_.empty() && !writing_.valid()) return pass_on(std::exchange(records_, {}));
  if (blobs_.empty() || !is_full) return {};
  written_blobs_ = std::exchange(blobs_, {});
  next_records_ = std::exchange(records_, {});
  blob_bytes_ = 0;
  writing_ = std::async(std::launch::async, [this] { return server_.put_blobs(owner_, written_blobs_, *this); });
  return {};
}

Status ImportBlobs::settle() {
  if (!writing_.valid()) return {};
  LADDER_CHECK(writing_.get());
  written_blobs_.clear();
  return pass_on(std::exchange(next_records_, {}));
}

Status ImportBlobs::flush() {
  LADDER_CHECK(settle());
  LADDER_CHECK(server_.put_blobs(owner_, blobs_, *this));
  blobs_.clear();
  blob_bytes_ = 0;
  return pass_on(std::exchange(records_, {}));
}

Status ImportBlobs::pass_on(const std::vector<Held>& records) {
  for (const Held& record : records) {
    record_bytes_ -= std::min(record_bytes_, record.data.size());
    LADDER_CHECK(pass_(record.head, record.data));
  }
  return {};
}

}  // namespace ladder::cli
