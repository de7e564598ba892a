#include "app/import/import_blobs.h"

#include "base/limits.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace ladder::app {
namespace {

constexpr std::size_t kGatheredBytes = 4 * 1024 * 1024;  // per blob; larger ones are stored as they arrive
constexpr std::size_t kFullBytes = 8 * 1024 * 1024;
constexpr std::size_t kFullBlobs = 256;
constexpr std::size_t kHeldBytes = 8 * 1024 * 1024;  // of records
constexpr std::size_t kUnderWayBytes = 24 * 1024 * 1024;
constexpr std::size_t kMaxRunningBatches = 4;                    // each batch has a thread
constexpr std::uint64_t kMaxBlobBytes = std::uint64_t{1} << 30;  // same limit as in the extractor

// The bytes of a blob: those that have arrived, then the rest from the extractor.
class BlobFrames final : public server::ByteSource {
 public:
  explicit BlobFrames(imports::wire::FrameSource& extractor) : extractor_(extractor) {}

  // Reads until the given number of bytes is reached. Returns true if the blob ended.
  Result<bool> gather(std::size_t bytes) {
    while (!over() && piece_.size() <= bytes) LADDER_CHECK(take_frame(piece_));
    return complete_ && piece_.size() <= bytes;
  }
  std::string take_buffered() { return std::exchange(piece_, {}); }

  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    while (at_ == piece_.size() && !over()) {
      at_ = 0;
      piece_.clear();
      LADDER_CHECK(take_frame(piece_));
    }
    if (given_up_) return fail(Code::kInvalidRequest, "the blob was abandoned");
    const std::size_t count = std::min(capacity, piece_.size() - at_);
    std::memcpy(buffer, piece_.data() + at_, count);
    at_ += count;
    return count;
  }
  bool over() const { return complete_ || given_up_; }
  bool given_up() const { return given_up_; }

 private:
  // Most blobs are one frame, which is moved and not copied.
  static void append(std::string& piece, std::string&& more) {
    if (piece.empty()) piece = std::move(more);
    else piece += more;
  }

  Status take_frame(std::string& piece) {
    LADDER_TRY(imports::wire::Frame frame, extractor_.next());
    taken_ += frame.payload.size();
    if (taken_ > kMaxBlobBytes) return fail(Code::kRsProtocol, "the extractor sent a blob that is too large");
    if (frame.kind == imports::wire::Kind::kMore) append(piece, std::move(frame.payload));
    else if (frame.kind == imports::wire::Kind::kBlobEnd) (frame.payload == "1" ? complete_ : given_up_) = true;
    else if (frame.kind != imports::wire::Kind::kProgress)
      return fail(Code::kRsProtocol, "the extractor sent frames out of order");
    return {};
  }

  imports::wire::FrameSource& extractor_;
  std::uint64_t taken_ = 0;
  std::string piece_;
  std::size_t at_ = 0;
  bool complete_ = false, given_up_ = false;
};

}  // namespace

Status ImportBlobs::take(const std::string& mime_type) {
  const bool fit = mime_type.size() <= limits::kMaxNameBytes && (mime_type.empty() || mime_type.contains('/')) &&
                   std::ranges::all_of(mime_type, [](char c) { return c >= ' ' && c <= '~'; });
  if (!fit) return fail(Code::kRsProtocol, "the extractor sent a blob with an invalid MIME type");
  BlobFrames bytes(extractor_);
  LADDER_TRY(const bool is_whole, bytes.gather(kGatheredBytes));
  if (bytes.given_up()) return {};
  if (!is_whole) {
    LADDER_CHECK(flush());
    const auto stored = ingest_.put_blob(owner_, mime_type, bytes);
    if (stored || bytes.given_up()) return {};
    return std::unexpected(stored.error());
  }
  batch_.blobs.push_back({mime_type, bytes.take_buffered()});
  batch_.bytes += batch_.blobs.back().bytes.size();
  return advance();
}

bool ImportBlobs::holds(std::size_t record_bytes) const { return record_bytes_ + record_bytes <= kHeldBytes; }

void ImportBlobs::hold(const imports::wire::RecordHeader& head) {
  batch_.records.push_back({head, {}});
  record_bytes_ += batch_.records.back().bytes();
}

void ImportBlobs::append(std::string_view bytes) {
  batch_.records.back().data += bytes;
  record_bytes_ += bytes.size();
}

std::int64_t ImportBlobs::held(std::string_view stream) const {
  const auto count = [&](const Batch& lot) {
    return std::ranges::count_if(lot.records, [&](const Held& record) { return record.head.stream == stream; });
  };
  std::int64_t sum = count(batch_);
  for (const Batch& lot : under_way_) sum += count(lot);
  return sum;
}

bool ImportBlobs::is_full() const {
  return batch_.bytes > kFullBytes || batch_.blobs.size() >= kFullBlobs || record_bytes_ > kHeldBytes;
}

Status ImportBlobs::advance() {
  const auto is_stored = [&] { return under_way_.front().stored.wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
  while (!under_way_.empty() &&
         (is_stored() || (is_full() && (bytes_under_way_ > kUnderWayBytes || under_way_.size() >= kMaxRunningBatches))))
    LADDER_CHECK(settle());
  if (batch_.blobs.empty() && under_way_.empty()) return pass_on(std::exchange(batch_.records, {}));
  if (!batch_.blobs.empty() && is_full()) start_storing();
  return {};
}

void ImportBlobs::start_storing() {
  bytes_under_way_ += batch_.bytes;
  Batch& lot = under_way_.emplace_back(std::exchange(batch_, {}));
  lot.stored = std::async(std::launch::async, [this, &lot] { return ingest_.put_blobs(owner_, lot.blobs, *this); });
}

Status ImportBlobs::settle() {
  Batch& oldest = under_way_.front();
  LADDER_CHECK(oldest.stored.get());
  bytes_under_way_ -= oldest.bytes;
  const std::vector<Held> records = std::move(oldest.records);
  under_way_.pop_front();
  return pass_on(records);
}

Status ImportBlobs::flush() {
  while (!under_way_.empty()) LADDER_CHECK(settle());
  LADDER_CHECK(ingest_.put_blobs(owner_, batch_.blobs, *this));
  const std::vector<Held> records = std::exchange(batch_, {}).records;
  return pass_on(records);
}

Status ImportBlobs::drop_unused(const std::set<store::Digest>& blobs) {
  const std::vector<store::Digest> unused(blobs.begin(), blobs.end());
  return ingest_.drop_unused_blobs(owner_, unused, *this);
}

Status ImportBlobs::pass_on(const std::vector<Held>& records) {
  for (const Held& record : records) {
    record_bytes_ -= std::min(record_bytes_, record.bytes());
    LADDER_CHECK(pass_(record.head, record.data));
  }
  return {};
}

}  // namespace ladder::app
