// The wire from ladder-extract to ladder: frames on a pipe, each a kind, a length and so many bytes.
//
//   kind (1 byte)  length (4 bytes, big-endian, at most kMaxFrameBytes)  payload
//
// The child is not trusted: a reader accepts nothing that crosses a limit or breaks the order, and says so as kRsProtocol.
#pragma once

#include "base/error/error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ladder::imports::wire {

enum class Kind : char {
  kHello = 'H',       // first, once, whatever else changes: which ladder-extract this is, see messages.h
  kFormat = 'T',      // of the list of formats: its name, a tab, what it reads
  kProtection = 'Q',  // a layer of its sandbox, see messages.h
  // The plan, once.
  kUnit = 'U',     // a unit: JSON, see child.h
  kRefusal = 'F',  // something refused by name: a Loss
  kLink = 'N',     // a link, which is not followed and costs nothing that lies in the tree itself: a Loss
  kPlanned = 'P',  // the plan is complete: JSON
  // A unit being read, after "read N POSITION" on the child's standard input.
  kDeclaration = 'D',  // of its source: JSON
  kRecord = 'R',       // a record's head (see records.h) and the beginning of its data
  kMore = 'M',         // more of the record's or blob's bytes
  kBlob = 'B',         // a blob begins: its MIME type
  kBlobEnd = 'b',      // it is complete: "1", or it is given up: "0"
  kLost = 'L',         // a Loss
  kSkipped = 'S',      // a Loss; its file is the stream
  kCheckpoint = 'K',   // a position
  kProgress = 'G',     // bytes of the unit read so far, as a decimal number
  kUnitEnd = 'E',      // the unit is done: "" or the sentence that says why no more of it can be read
  kFailed = 'X',       // nothing can be done at all: a sentence
};

inline constexpr std::size_t kMaxFrameBytes = 1024 * 1024;

struct Frame {
  Kind kind = Kind::kProgress;
  std::string payload;
};

// A source of frames: the child process, or a test that plays it.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  // The next frame; an error ends the conversation.
  virtual Result<Frame> next() = 0;
};

// Appends a frame. payload.size() <= kMaxFrameBytes.
void append_frame(std::string& out, Kind kind, std::string_view payload);
// Appends what stands before a payload of that many bytes.
void append_frame_head(std::string& out, Kind kind, std::size_t payload_bytes);

// Cuts frames out of bytes as they arrive.
class FrameReader {
 public:
  void feed(std::string_view bytes);
  // Memory that bytes can be read into; the first `count` of them are fed then.
  std::span<char> room(std::size_t bytes);
  void feed_from_room(std::size_t count) { end_ += count; }
  // False when the next frame is not complete yet. kRsProtocol when its length or kind is impossible.
  Result<bool> next(Frame& frame);
  bool idle() const { return at_ == end_; }  // nothing is half read

 private:
  std::string buffer_;
  std::size_t at_ = 0, end_ = 0;  // of the bytes that were fed and not cut yet
};

}  // namespace ladder::imports::wire
