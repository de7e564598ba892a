// Requests and responses for the rest of Ladder. Only http/beast/ depends on Boost.Beast.
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

// Header fields in order. Names are compared case-insensitively.
class Headers {
 public:
  std::optional<std::string_view> get(std::string_view name) const;  // the first field of that name
  std::size_t count(std::string_view name) const;
  void set(std::string_view name, std::string value);  // replaces all fields of that name
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
  std::shared_ptr<const void> taken;  // the parsed body, if the application parsed it before serving; opaque to the server
  // The route, which the application looks up once and keeps here; opaque to the server.
  mutable std::shared_ptr<const void> route = {};
  std::string remote_address;  // the peer's address, for the log
  bool over_tls = false;
  bool from_trusted_proxy = false;  // the last entry of its X-Forwarded-For is the client
  std::string id;                   // created or accepted by the request-id middleware
  std::stop_token gone;  // set when the client disconnects or the server shuts down hard; only for requests that run on workers
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();  // when the request was complete

  std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
  std::string_view query() const;  // the part after the first "?"
};

// A body that is produced while it is sent. It is called from one worker thread at a time and destroyed when the client
// disconnects.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  // Replaces `piece` with the next bytes to send; returns false at the end. May block for up to a few seconds; an empty piece
  // means that it should be called again. An error closes the connection, since the head has been sent.
  virtual Result<bool> next(std::string& piece) = 0;
  // Reports whether next() has data. While it has none, no worker is used: the connection polls a few times a second, on its
  // I/O thread and never while next() runs.
  virtual bool is_ready() { return true; }
  // The server is stopping: an endless body ends after its pending pieces. It is called in the same way as is_ready().
  virtual void finish_soon() {}
};

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
  std::unique_ptr<BodyStream> stream;           // used instead of body
  std::optional<std::uint64_t> content_length;  // for a stream, if known; else it is sent chunked

  static Response json(int status, std::string body);  // application/json; charset=utf-8
};

// The PDPP error envelope (PDPP "errors") for an Error: type by status, code, message, param, details, request_id.
Response error_response(const Error& error, std::string_view request_id);

// Returns the code of the closed list that is nearest to a status of 400 or more: resource_limit for 413 and 431,
// deadline_exceeded for 503 and 504, invalid_request for other 4xx without a code of their own.
Code nearest_code(int status);

// Builds the same envelope for HTTP errors without a Code: 405, 408, 421, 431 and so on. The code is nearest_code().
Response refusal(int status, std::string_view message, std::string_view request_id);

// The grammar of HTTP fields (RFC 9110, section 5): valid names and values, and case-insensitive comparison.
bool is_token(std::string_view text);        // one or more characters of a field name or method
bool is_field_value(std::string_view text);  // no control characters except tab: a CR or LF would end the field and start another
bool is_digits(std::string_view text);       // one or more decimal digits

// Compares ASCII case-insensitively.
bool equal_without_case(std::string_view a, std::string_view b);
std::string_view trimmed(std::string_view text);  // without leading and trailing spaces and tabs
std::string_view media_type(
    std::string_view content_type);  // without parameters: that of "text/html; charset=utf-8" is "text/html"
bool has_media_type(const Request& request, std::string_view type);  // by its Content-Type header

// Serializes the head of a response. The server chooses the framing and the Connection header; an application's own
// Content-Length, Transfer-Encoding, Connection and Date are omitted.
enum class Framing : std::uint8_t { kNone, kLength, kChunked, kUntilClose };
enum class Persistence : std::uint8_t { kKeepAlive, kKeepAliveSaid, kClose };  // "said": HTTP/1.0 needs an explicit header

struct HeadShape {
  Framing framing = Framing::kLength;
  std::uint64_t length = 0;  // for kLength
  Persistence persistence = Persistence::kKeepAlive;
};

std::string_view reason_phrase(int status);

// Reports whether all names and values are valid: a CR or LF in one could inject content into the response.
bool headers_are_sound(const Headers& headers);

// Omits invalid fields, so that the result is always well-formed.
std::string response_head(int status, const Headers& headers, const HeadShape& shape, std::string_view date);

std::string http_date(std::int64_t unix_seconds);  // Sun, 06 Nov 1994 08:49:37 GMT

}  // namespace ladder::http
