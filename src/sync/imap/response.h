// The responses of an IMAP server: cut from the bytes of the connection and parsed. A server may send anything, so every size
// is bounded.
#pragma once

#include "base/error/error.h"
#include "base/limits.h"
#include "sync/imap/value.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::sync::imap {

// The importer reads at most 160 MiB of a message.
inline constexpr std::size_t kMaxMessageBytes = 160 * limits::kMiB;
inline constexpr std::size_t kMaxLiteralBytes = kMaxMessageBytes + limits::kMiB;  // of one response together
inline constexpr std::size_t kMaxLineBytes = 16 * limits::kMiB;                   // of one response without its literals
inline constexpr std::size_t kMaxLiterals = 1000;

// Cuts received bytes into complete responses: a line with the literals that it contains.
class ResponseSplitter {
 public:
  std::string& buffer() { return buffer_; }  // append received bytes here
  // Returns false if more bytes are needed, kRsProtocol if the response exceeds a limit. `response` has no line end and is
  // valid until the next call.
  Result<bool> next(std::string_view& response);
  bool is_empty() const { return taken_ == buffer_.size(); }  // no received byte is waiting

 private:
  void drop_taken();

  std::string buffer_;
  std::size_t taken_ = 0;       // bytes of returned responses
  std::size_t scanned_ = 0;     // bytes that contain no end of the response
  std::size_t line_begin_ = 0;  // of the current line of the response
  std::size_t literal_bytes_ = 0, literals_ = 0;
};

struct Response {
  enum class Kind : std::uint8_t { kContinuation, kTagged, kStatus, kData };
  enum class Condition : std::uint8_t { kNone, kOk, kNo, kBad, kBye, kPreauth };
  Kind kind = Kind::kData;
  std::string tag;                         // of a tagged response
  Condition condition = Condition::kNone;  // of a tagged response or a status
  std::string code;                        // "UIDVALIDITY", upper case; empty if there is none
  std::string_view code_argument;          // "3857529045"
  std::string_view text;                   // for people, or of a continuation
  std::string name;                        // of data: "FETCH", upper case
  std::optional<std::uint64_t> number;     // of "* 12 FETCH"
  std::vector<Value> values;               // of data, after the name
};

// The parsed response points into `bytes`. kRsProtocol if it is malformed.
Result<Response> parse_response(std::string_view bytes);

}  // namespace ladder::sync::imap
