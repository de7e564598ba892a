// How large a message may be, in every direction that its sender decides. Crossing one is an error that says which.
#pragma once

#include "json/scan/scan.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::mcp {

inline constexpr std::size_t kMaxHttpMessageBytes = 4 * 1024 * 1024;  // the body of a POST; what other servers take, too
inline constexpr std::size_t kMaxLineBytes = 10'000'000;              // a line over stdio; where common clients stop as well
inline constexpr std::size_t kMaxMessageDepth = 64;                   // nesting; reading it uses the stack
inline constexpr std::size_t kMaxIdBytes = 256;                       // a request's id as JSON; it is echoed and logged
inline constexpr std::size_t kMaxArgumentBytes = 8'192;  // of a tool's arguments as JSON; answers and errors repeat them
inline constexpr std::size_t kMaxBatch = 16;             // messages of an array (2025-03-26)

// JSON-RPC 2.0 as it arrives: one message or an array of them, taken apart in place. What the text says is judged elsewhere; here
// only its shape is.
enum class MessageKind : std::uint8_t {
  kRequest,
  kNotification,
  kResponse,  // to a request of ours; we send none
  kInvalid,
};

// Views point into the text it was read from.
struct Message {
  MessageKind kind = MessageKind::kInvalid;
  std::string_view id;      // a request's, as it was sent: 7 or "7"; empty when there is none that could be echoed
  std::string method;       // of requests and notifications
  std::string_view params;  // an object; empty when absent
  std::string_view meta;    // params._meta, an object; empty when absent
  std::string_view fault;   // kInvalid: what is wrong, a static text
};

struct Incoming {
  std::string fault;  // not empty: no JSON, or beyond a limit; then there is nothing else
  bool is_array = false;
  std::size_t count = 0;          // elements of the array
  std::vector<Message> messages;  // the one, or the first kMaxBatch of the array
};

Incoming read_incoming(std::string_view text, std::size_t max_bytes);

// A message and what was read of it. It stays where it is, since the views point into its own text.
class Received {
 public:
  Received(std::string text, std::size_t max_bytes) : text_(std::move(text)), incoming_(read_incoming(text_, max_bytes)) {}
  Received(const Received&) = delete;
  Received& operator=(const Received&) = delete;

  const Incoming& incoming() const { return incoming_; }

 private:
  std::string text_;
  Incoming incoming_;
};

// Members of an object, by name, in one walk.
template <std::size_t N>
struct Picked {
  std::array<std::optional<json::Value>, N> values;
  bool twice = false;  // one of the names stands there more than once: readers would disagree about what it says
};

template <std::size_t N>
Picked<N> pick(std::string_view object, const std::array<std::string_view, N>& names) {
  Picked<N> picked;
  if (object.empty()) return picked;
  for (json::Members members(object); members.next();) {
    for (std::size_t at = 0; at < N; ++at) {
      if (!json::name_equals(members.raw_name(), names[at])) continue;
      if (picked.values[at]) picked.twice = true;
      else picked.values[at] = members.value();
    }
  }
  return picked;
}

// The decoded text of a string; nullopt for anything else.
std::optional<std::string> string_of(const std::optional<json::Value>& value);
inline bool is_null(const std::optional<json::Value>& value) { return !value || value->kind == json::Kind::kNull; }

// An id as one text, whichever way it was written, so that ids can be compared: "\u0061" is "a", and never 1 the same as "1".
std::string comparable_id(std::string_view id);

}  // namespace ladder::mcp
