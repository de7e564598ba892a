// Limits on every part of a message that its sender controls. Exceeding one is an error that names it.
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

inline constexpr std::size_t kMaxHttpMessageBytes = 4 * 1024 * 1024;  // the body of a POST; also the limit of other servers
inline constexpr std::size_t kMaxLineBytes = 10'000'000;              // a line over stdio; also the limit of common clients
inline constexpr std::size_t kMaxMessageDepth = 64;                   // nesting; parsing is recursive
inline constexpr std::size_t kMaxIdBytes = 256;                       // a request id as JSON; it is echoed and logged
inline constexpr std::size_t kMaxBatch = 16;                          // messages of a batch (2025-03-26)

// An incoming JSON-RPC 2.0 message or batch, parsed in place. Only its structure is checked here.
enum class MessageKind : std::uint8_t {
  kRequest,
  kNotification,
  kResponse,  // a response to a server request; we send none
  kInvalid,
};

// The views point into the text that was parsed.
struct Message {
  MessageKind kind = MessageKind::kInvalid;
  std::string_view id;      // a request's id as sent: 7 or "7"; empty if it cannot be echoed
  std::string method;       // for requests and notifications
  std::string_view params;  // an object; empty if absent
  std::string_view meta;    // params._meta, an object; empty if absent
  std::string_view fault;   // kInvalid: the problem, a static text
};

struct Incoming {
  std::string fault;  // not empty: invalid JSON or a limit was exceeded; the rest is then unset
  bool is_array = false;
  std::size_t count = 0;          // elements of the batch
  std::vector<Message> messages;  // the message, or the first kMaxBatch of the batch
};

Incoming read_incoming(std::string_view text, std::size_t max_bytes);

// A text and the message parsed from it. Not movable, since the views point into the text.
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

// Looks up members of an object by name in one pass.
template <std::size_t N>
struct Picked {
  std::array<std::optional<json::Value>, N> values;
  bool twice = false;  // a name is repeated: parsers would disagree about its value
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

// Returns the decoded text of a string; nullopt for anything else.
std::optional<std::string> string_of(const std::optional<json::Value>& value);
inline bool is_null(const std::optional<json::Value>& value) { return !value || value->kind == json::Kind::kNull; }

// Normalizes an id so that ids can be compared: "\u0061" equals "a", but 1 does not equal "1".
std::string comparable_id(std::string_view id);

}  // namespace ladder::mcp
