#include "import/wire/frame.h"

#include "base/text/format.h"

namespace ladder::imports::wire {
namespace {

constexpr std::size_t kHeadBytes = 5;
constexpr std::string_view kKinds = "HTQUFPDRMBbLSKGEXN";
constexpr std::size_t kShrinkBytes = 64 * 1024;  // read bytes leave the buffer when so many have piled up

}  // namespace

void append_frame(std::string& out, Kind kind, std::string_view payload) {
  out += static_cast<char>(kind);
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(payload.size() >> shift & 0xFF);
  out += payload;
}

void FrameReader::feed(std::string_view bytes) {
  if (at_ >= kShrinkBytes || at_ == buffer_.size()) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  buffer_ += bytes;
}

Result<bool> FrameReader::next(Frame& frame) {
  const std::string_view rest = std::string_view(buffer_).substr(at_);
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
