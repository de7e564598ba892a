#include "import/child/frame_sink.h"

#include "crypto/hash.h"
#include "import/formats/record_members.h"
#include "import/io/limits.h"
#include "import/text/mime_type.h"
#include "import/wire/messages.h"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

namespace ladder::imports {
namespace {

constexpr std::size_t kGatherBytes = 64 * 1024;

}  // namespace

Status Pipe::send(wire::Kind kind, std::string_view payload) {
  if (payload.size() >= kGatherBytes) {
    wire::append_frame_header(out_, kind, payload.size());
    LADDER_CHECK(flush());
    return write_all(payload);
  }
  wire::append_frame(out_, kind, payload);
  return out_.size() >= kGatherBytes ? flush() : Status{};
}

Status Pipe::flush() {
  LADDER_CHECK(write_all(out_));
  out_.clear();
  return {};
}

Status Pipe::write_all(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(Code::kCancelled, "the importer has closed the pipe");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

namespace {

constexpr std::size_t kPieceBytes = 256 * 1024;
constexpr auto kTickEvery = std::chrono::milliseconds(500);

}  // namespace

Status FrameSink::tick() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_tick_ < kTickEvery) return {};
  last_tick_ = now;
  alive_();
  LADDER_CHECK(pipe_.send(wire::Kind::kProgress, std::to_string(bytes_read_)));
  return pipe_.flush();
}

void FrameSink::took(std::int64_t bytes) {
  bytes_read_ += bytes;
  // Ignore a pipe error here: the format's next call returns it.
  static_cast<void>(tick());
}

Result<bool> FrameSink::begin(const Record& record, std::uint64_t size) {
  has_reported_ = true;
  const wire::RecordHeader head{std::string(record.stream),    record.at, record.time, size, std::string(record.key),
                                std::string(record.emitted_at)};
  if (!wire::fits(head)) {
    LADDER_CHECK(lost(record.at, "its stream name, key or time is too long"));
    return false;
  }
  head_.clear();
  wire::append_record_header(head_, head);
  return true;
}

Status FrameSink::record(const Record& record) {
  LADDER_TRY(const bool begun, begin(record, record.data.size()));
  if (!begun) return {};
  std::string_view rest = record.data;
  const std::size_t first = std::min(rest.size(), kPieceBytes);
  head_ += rest.substr(0, first);
  LADDER_CHECK(pipe_.send(wire::Kind::kRecord, head_));
  for (rest.remove_prefix(first); !rest.empty(); rest.remove_prefix(std::min(rest.size(), kPieceBytes))) {
    LADDER_CHECK(pipe_.send(wire::Kind::kMore, rest.substr(0, kPieceBytes)));
  }
  return tick();
}

Status FrameSink::long_record(Record head, Bytes& data, std::uint64_t size) {
  LADDER_TRY(const bool begun, begin(head, size));
  if (!begun) return {};
  LADDER_CHECK(pipe_.send(wire::Kind::kRecord, head_));
  std::string piece(kPieceBytes, '\0');
  while (size > 0) {
    LADDER_TRY(const std::size_t count, data.read(piece.data(), std::min<std::uint64_t>(piece.size(), size)));
    if (count == 0) return fail(Code::kInvalidRequest, "the file ends in the middle of a record");
    size -= count;
    LADDER_CHECK(pipe_.send(wire::Kind::kMore, std::string_view(piece.data(), count)));
    LADDER_CHECK(tick());
  }
  return {};
}

Result<std::string> FrameSink::blob(std::string_view told_type, Bytes& bytes) {
  const std::string_view mime_type = fit_mime_type(told_type);
  LADDER_CHECK(pipe_.send(wire::Kind::kBlob, mime_type));
  crypto::Sha256 hash;
  std::size_t size = 0;
  const auto piece = std::make_unique_for_overwrite<char[]>(kPieceBytes);  // most blobs are much smaller
  for (;;) {
    auto count = bytes.read(piece.get(), kPieceBytes);
    if (count && size + *count > limits::kMaxBlobBytes) count = fail(Code::kResourceLimit, "it is too large to store");
    if (!count) {
      LADDER_CHECK(pipe_.send(wire::Kind::kBlobEnd, "0"));
      return std::unexpected(count.error());
    }
    if (*count == 0) break;
    size += *count;
    hash.update(std::string_view(piece.get(), *count));
    LADDER_CHECK(pipe_.send(wire::Kind::kMore, std::string_view(piece.get(), *count)));
    LADDER_CHECK(tick());
  }
  LADDER_CHECK(pipe_.send(wire::Kind::kBlobEnd, "1"));
  return blob_ref(hash.finish(), mime_type, static_cast<std::int64_t>(size));
}

Status FrameSink::lost(const wire::FileLocation& at, std::string_view reason) {
  has_reported_ = true;
  LADDER_CHECK(pipe_.send(wire::Kind::kLost, wire::to_bytes({at, std::string(reason)})));
  return tick();
}

Status FrameSink::skipped(std::string_view stream, std::string_view reason) {
  has_reported_ = true;
  LADDER_CHECK(pipe_.send(wire::Kind::kSkipped, wire::to_bytes({{std::string(stream), -1}, std::string(reason)})));
  return tick();
}

Status FrameSink::gone(std::string_view stream, std::string_view key) {
  has_reported_ = true;
  LADDER_CHECK(pipe_.send(wire::Kind::kGone, wire::to_bytes({{std::string(stream), -1}, std::string(key)})));
  return tick();
}

Status FrameSink::complete() {
  has_reported_ = true;
  return pipe_.send(wire::Kind::kComplete, "");
}

Status FrameSink::checkpoint(std::string_view position) {
  if (position.size() > kMaxPositionBytes) return {};
  // A position is stored together with the number of bytes read up to it.
  LADDER_CHECK(pipe_.send(wire::Kind::kProgress, std::to_string(bytes_read_)));
  LADDER_CHECK(pipe_.send(wire::Kind::kCheckpoint, position));
  return tick();
}

}  // namespace ladder::imports
