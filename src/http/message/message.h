// Requests and responses as the rest of Ladder sees them. Nothing here knows Boost.Beast; only http/beast/ does.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::http {

// Header fields in order; names compare without case.
class Headers {
 public:
  std::optional<std::string_view> get(std::string_view name) const;  // the first of that name
  std::size_t count(std::string_view name) const;
  void set(std::string_view name, std::string value);  // replaces all of that name
  void add(std::string_view name, std::string value);
  void remove(std::string_view name);
  void reserve(std::size_t fields) { fields_.reserve(fields); }
  const std::vector<std::pair<std::string, std::string>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct Request {
  std::string method;  // as sent, e.g. "GET"
  std::string target;  // raw path and query, e.g. "/v1/streams?x=1"
  Headers headers;
  std::string body;                   // complete, within the route's limit
  std::shared_ptr<const void> taken;  // what the application made of the body before it served it; its own business
  std::string remote_address;         // of the peer, for the log
  bool over_tls = false;
  std::string id;        // made or taken over by the request-id middleware
  std::stop_token gone;  // set when the client hangs up or the server shuts down hard; of requests placed on workers only
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();  // when all of it was there

  std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
  std::string_view query() const;  // after the first "?", without it
};

// A body that is made while it is sent. Called from one worker thread at a time; destroyed when the client has gone.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  // Replaces `piece` by the next bytes to send; false at the end. May block for up to a few seconds; returns an empty piece to be
  // asked again. An error cuts the connection, since the head has been sent.
  virtual Result<bool> next(std::string& piece) = 0;
  // Says whether next() has something to say. While it has not, no worker is taken up: the connection asks again a few times a
  // second, on its I/O thread and never while next() runs.
  virtual bool is_ready() { return true; }
  // The server stops: a body that would go on for ever ends with the pieces it still has. Called as is_ready().
  virtual void wind_up() {}
};

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
  std::unique_ptr<BodyStream> stream;           // instead of body
  std::optional<std::uint64_t> content_length;  // of a stream, when known; else it is sent chunked

  static Response json(int status, std::string body);  // application/json; charset=utf-8
};

// The PDPP error envelope (PDPP "errors") for an Error: type by status, code, message, param, details, request_id.
Response error_response(const Error& error, std::string_view request_id);

// The same envelope for what HTTP itself refuses, where no Code has that status: 405, 408, 421, 431 and so on. The code is the
// nearest of the closed list: resource_limit for 413 and 431, deadline_exceeded for 503 and 504, invalid_request for other 4xx.
Response refusal(int status, std::string_view message, std::string_view request_id);

// The grammar of HTTP fields (RFC 9110, section 5): what may stand in a name and in a value, and comparison without case.
bool is_token(std::string_view text);        // 1 or more of the characters of a field name or method
bool is_field_value(std::string_view text);  // no controls but the tab: a CR or LF would end the field and start another
bool is_digits(std::string_view text);       // 1 or more decimal digits

// ASCII letters only.
bool equal_without_case(std::string_view a, std::string_view b);
std::string_view trimmed(std::string_view text);  // without spaces and tabs at either end

// The head of an answer as bytes. Which framing and which connection header it gets is the server's business; an application's
// own Content-Length, Transfer-Encoding, Connection and Date are left out.
enum class Framing : std::uint8_t { kNone, kLength, kChunked, kUntilClose };
enum class Persistence : std::uint8_t { kKeepAlive, kKeepAliveSaid, kClose };  // "said": HTTP/1.0 has to be told

struct HeadShape {
  Framing framing = Framing::kLength;
  std::uint64_t length = 0;  // of kLength
  Persistence persistence = Persistence::kKeepAlive;
};

std::string_view reason_phrase(int status);

// Says whether every name and value may be written: a CR or LF in one would let its author write the rest of the answer.
bool headers_are_sound(const Headers& headers);

// Leaves unsound fields out, so that the result is well-formed in any case.
std::string response_head(int status, const Headers& headers, const HeadShape& shape, std::string_view date);

std::string http_date(std::int64_t unix_seconds);  // Sun, 06 Nov 1994 08:49:37 GMT

}  // namespace ladder::http
