// The protocol from ladder-extract to ladder: frames on a pipe.
//
//   kind (1 byte)  length (4 bytes, big-endian, at most kMaxFrameBytes)  payload
//
// The child is not trusted: the reader rejects every frame that exceeds a limit or breaks the order, with kRsProtocol.
#pragma once

#include "base/error/error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ladder::imports::wire {

enum class Kind : char {
  kHello = 'H',       // first, exactly once, in every protocol version: identifies ladder-extract, see messages.h
  kFormat = 'T',      // one entry of the format list: its name, a tab, a summary
  kProtection = 'Q',  // a sandbox layer, see messages.h
  // The plan, sent once.
  kUnit = 'U',     // a unit: JSON, see messages.h
  kRefusal = 'F',  // a refused file: a Loss
  kLink = 'N',     // a link; it is not followed, and its target is read if it is in the tree: a Loss
  kKnown = 'W',    // a known export that is not read, or not well, and a sentence that says so: a Loss
  kLeft = 'Y',     // a file that no format claims: a Loss whose reason is what it is, or ""
  kPlanned = 'P',  // the plan is complete: JSON
  // A unit being read, after "read N POSITION" on the child's standard input.
  kDeclaration = 'D',  // the source's declaration: JSON
  kRecord = 'R',       // a record header (see messages.h) and the start of its data
  kMore = 'M',         // more bytes of the record or blob
  kBlob = 'B',         // a blob starts: its MIME type
  kBlobEnd = 'b',      // the blob is complete: "1", or abandoned: "0"
  kLost = 'L',         // a Loss
  kSkipped = 'S',      // a Loss whose file is the stream
  kCheckpoint = 'K',   // a position
  kGone = 'V',         // a record that its source has deleted: a Loss whose file is the stream and whose reason is the key
  kComplete = 'C',     // the unit had every record of its source: records that it did not send are gone
  kProgress = 'G',     // bytes of the unit read so far, as a decimal number
  kUnitEnd = 'E',      // the unit is done: "", or a sentence why the rest cannot be read
  kFailed = 'X',       // the whole run failed: a sentence
};

inline constexpr std::size_t kMaxFrameBytes = 1024 * 1024;

struct Frame {
  Kind kind = Kind::kProgress;
  std::string payload;
};

// A source of frames: the child process, or a fake in tests.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  // Returns the next frame. An error ends the session.
  virtual Result<Frame> next() = 0;
};

// Appends a frame. payload.size() <= kMaxFrameBytes.
void append_frame(std::string& out, Kind kind, std::string_view payload);
// Appends the header of a frame with that payload size.
void append_frame_header(std::string& out, Kind kind, std::size_t payload_bytes);

// Splits incoming bytes into frames.
class FrameReader {
 public:
  void feed(std::string_view bytes);
  // Returns a buffer to read into. Call commit() with the number of bytes read.
  std::span<char> prepare(std::size_t bytes);
  void commit(std::size_t count) { end_ += count; }
  // Returns false if the next frame is incomplete, kRsProtocol if its length or kind is invalid.
  Result<bool> next(Frame& frame);
  bool idle() const { return at_ == end_; }  // no partial frame is buffered

 private:
  std::string buffer_;
  std::size_t at_ = 0, end_ = 0;  // range of buffered bytes that have not been returned
};

}  // namespace ladder::imports::wire
