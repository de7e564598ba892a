// Inflates block by block, so that every block boundary can become a restart point. At the end of a block zlib reports how many
// bits of the last byte are unused; a raw inflate can resume with those bits and the preceding window.
#include "import/tree/gzip_file.h"

#include "base/text/format.h"
#include "import/io/limits.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace ladder::imports {
namespace {

constexpr std::size_t kWindow = 32 * 1024;
constexpr std::size_t kInputBytes = 64 * 1024;
constexpr std::size_t kMaxPoints = 512;  // 16 MiB of windows
constexpr std::int64_t kFirstSpacing = 2 * 1024 * 1024;
constexpr int kGzipFormat = 15 + 16;  // makes zlib read a gzip header and checksum
constexpr int kRawFormat = -15;
constexpr std::int64_t kTrailerBytes = 8;

}  // namespace

class GzipFile::Run {
 public:
  explicit Run(const FilePieces& file) : file_(file) {}
  ~Run() { inflateEnd(&zlib_); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Status start(const Point& from) {
    at_ = from.out;
    next_in_ = from.in;
    raw_ = !from.member;
    history_ = from.window;
    if (inflateInit2(&zlib_, raw_ ? kRawFormat : kGzipFormat) != Z_OK) return fail(Code::kInternal, "zlib has no memory");
    if (raw_ && from.bits > 0) {
      char byte = 0;
      LADDER_TRY(const std::size_t got, file_.read_at(from.in - 1, &byte, 1));
      if (got == 0) return damaged();
      inflatePrime(&zlib_, from.bits, static_cast<unsigned char>(byte) >> (8 - from.bits));
    }
    if (!from.window.empty()) {
      inflateSetDictionary(&zlib_, reinterpret_cast<const Bytef*>(from.window.data()), static_cast<uInt>(from.window.size()));
    }
    return {};
  }

  std::int64_t at() const { return at_; }
  bool ended() const { return ended_; }

  // Unpacks up to `capacity` bytes and stops early at the end of a block, where point() is valid. May return 0 before ended().
  Result<std::size_t> step(char* buffer, std::size_t capacity) {
    at_block_ = false;
    if (ended_) return 0;
    if (between_members_) LADDER_CHECK(next_member());
    if (ended_) return 0;
    if (zlib_.avail_in == 0) LADDER_CHECK(more_input());
    zlib_.next_out = reinterpret_cast<Bytef*>(buffer);
    zlib_.avail_out = static_cast<uInt>(std::min<std::size_t>(capacity, 1 << 20));
    const uInt room = zlib_.avail_out;
    const int result = inflate(&zlib_, Z_BLOCK);
    const std::size_t made = room - zlib_.avail_out;
    at_ += static_cast<std::int64_t>(made);
    keep(std::string_view(buffer, made));
    if (result == Z_STREAM_END) between_members_ = true;
    else if (result != Z_OK && result != Z_BUF_ERROR) return damaged();
    else if (zlib_.avail_in == 0 && made == 0 && input_over_) return fail(Code::kInvalidRequest, "the archive is truncated here");
    // Bit 7: at a block boundary; bit 6: the last block is done.
    at_block_ = result == Z_OK && (zlib_.data_type & 128) != 0 && (zlib_.data_type & 64) == 0;
    return made;
  }

  bool at_block() const { return at_block_; }
  Point point() const { return {at_, position(), zlib_.data_type & 7, history_, false}; }

 private:
  std::unexpected<Error> damaged() const {
    return fail(Code::kInvalidRequest, format("the gzip is damaged near byte {}", position()));
  }
  std::int64_t position() const { return next_in_ - zlib_.avail_in; }

  Status more_input() {
    LADDER_TRY(const std::size_t count, file_.read_at(next_in_, input_.data(), input_.size()));
    next_in_ += static_cast<std::int64_t>(count);
    input_over_ = count == 0;
    zlib_.next_in = reinterpret_cast<Bytef*>(input_.data());
    zlib_.avail_in = static_cast<uInt>(count);
    return {};
  }

  // Another gzip may follow; anything else after a member is padding.
  Status next_member() {
    std::int64_t begin = position() + (raw_ ? kTrailerBytes : 0);
    between_members_ = false;
    std::array<char, 2> magic{};
    LADDER_TRY(const std::size_t count, file_.read_at(begin, magic.data(), magic.size()));
    if (count < 2 || magic[0] != '\x1f' || magic[1] != '\x8b') {
      ended_ = true;
      return {};
    }
    inflateEnd(&zlib_);
    zlib_ = {};
    next_in_ = begin;
    raw_ = false;
    history_.clear();
    if (inflateInit2(&zlib_, kGzipFormat) != Z_OK) return fail(Code::kInternal, "zlib has no memory");
    return {};
  }

  void keep(std::string_view made) {
    if (made.size() >= kWindow) {
      history_ = made.substr(made.size() - kWindow);
      return;
    }
    history_ += made;
    if (history_.size() > 4 * kWindow) history_.erase(0, history_.size() - kWindow);
  }

  const FilePieces& file_;
  z_stream zlib_{};
  std::array<char, kInputBytes> input_;
  std::int64_t next_in_ = 0, at_ = 0;
  std::string history_;  // the most recent output, at least one window if there was that much
  bool raw_ = false, input_over_ = false, between_members_ = false, ended_ = false, at_block_ = false;
};

GzipFile::GzipFile(FilePieces file) : file_(std::move(file)), points_{Point{0, 0, 0, {}, true}}, spacing_(kFirstSpacing) {}
GzipFile::~GzipFile() { unpackings().remove(this); }

std::list<GzipFile*>& GzipFile::unpackings() {
  thread_local std::list<GzipFile*> running;
  return running;
}

Status GzipFile::start(const Point& from) {
  std::list<GzipFile*>& running = unpackings();
  running.remove(this);
  if (running.size() >= limits::kMaxUnpackings) {
    running.back()->run_.reset();
    running.pop_back();
  }
  running.push_front(this);
  run_ = std::make_unique<Run>(file_);
  return run_->start(from);
}

void GzipFile::remember(Point point) {
  if (point.window.size() > kWindow) point.window.erase(0, point.window.size() - kWindow);
  points_.push_back(std::move(point));
  if (points_.size() <= kMaxPoints) return;
  spacing_ *= 2;
  std::vector<Point> fewer;
  for (std::size_t i = 0; i < points_.size(); i += 2) fewer.push_back(std::move(points_[i]));
  points_ = std::move(fewer);
}

Result<std::size_t> GzipFile::read_at(std::int64_t offset, char* buffer, std::size_t capacity) {
  const auto after = std::ranges::upper_bound(points_, offset, {}, &Point::out);
  const Point& nearest = *std::prev(after);
  const bool goes_on = run_ && run_->at() <= offset && run_->at() >= nearest.out;
  if (!goes_on) LADDER_CHECK(start(nearest));
  std::array<char, 16 * 1024> passed;
  while (!run_->ended()) {
    const bool there = run_->at() == offset;
    const std::size_t room =
        there ? capacity : static_cast<std::size_t>(std::min<std::int64_t>(offset - run_->at(), passed.size()));
    const auto made = run_->step(there ? buffer : passed.data(), room);
    if (!made) {
      run_.reset();
      return std::unexpected(made.error());
    }
    if (run_->at_block() && run_->at() >= points_.back().out + spacing_) remember(run_->point());
    const std::int64_t most = std::max(limits::kRatioFreeBytes, file_.size() * limits::kMaxRatio);
    if (run_->at() > std::min(most, limits::kMaxTotalBytes)) {
      run_.reset();
      return fail(Code::kResourceLimit, format("it unpacks to more than {} bytes, too much for an export of its size",
                                               std::min(most, limits::kMaxTotalBytes)));
    }
    if (there && *made > 0) return *made;
  }
  return 0;
}

}  // namespace ladder::imports
