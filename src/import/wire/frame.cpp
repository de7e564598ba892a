#include "import/wire/frame.h"

#include "base/text/format.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ladder::imports::wire {
namespace {

constexpr std::size_t kHeadBytes = 5;
constexpr std::string_view kKinds = "HTQUFPDRMBbLSKGEXNWYVC";
constexpr std::size_t kShrinkBytes = 64 * 1024;  // read bytes are removed from the buffer once there are this many

}  // namespace

void append_frame_header(std::string& out, Kind kind, std::size_t payload_bytes) {
  out += static_cast<char>(kind);
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(payload_bytes >> shift & 0xFF);
}

void append_frame(std::string& out, Kind kind, std::string_view payload) {
  append_frame_header(out, kind, payload.size());
  out += payload;
}

std::span<char> FrameReader::prepare(std::size_t bytes) {
  if (at_ >= kShrinkBytes || at_ == end_) {
    std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
    end_ -= std::exchange(at_, 0);
  }
  if (buffer_.size() < end_ + bytes) buffer_.resize(end_ + bytes);
  return std::span(buffer_).subspan(end_, bytes);
}

void FrameReader::feed(std::string_view bytes) {
  std::ranges::copy(bytes, prepare(bytes.size()).begin());
  commit(bytes.size());
}

Result<bool> FrameReader::next(Frame& frame) {
  const std::string_view rest = std::string_view(buffer_).substr(at_, end_ - at_);
  if (rest.size() < kHeadBytes) return false;
  if (kKinds.find(rest[0]) == std::string_view::npos) {
    return fail(Code::kRsProtocol, format("the extractor sent a frame of an unknown kind ({})", static_cast<int>(rest[0])));
  }
  std::size_t length = 0;
  for (std::size_t i = 1; i < kHeadBytes; ++i) length = length << 8 | static_cast<unsigned char>(rest[i]);
  if (length > kMaxFrameBytes) return fail(Code::kRsProtocol, format("the extractor sent a frame of {} bytes", length));
  if (rest.size() < kHeadBytes + length) return false;
  frame.kind = static_cast<Kind>(rest[0]);
  frame.payload = rest.substr(kHeadBytes, length);
  at_ += kHeadBytes + length;
  return true;
}

}  // namespace ladder::imports::wire
