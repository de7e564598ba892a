// Parses a connection's bytes into a Request. It is stricter than the grammar where leniency lets two parsers disagree about
// the end of a request (request smuggling). Boost.Beast is used only in the .cpp file.
#pragma once

#include "http/client.h"
#include "http/message/message.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ladder::http {

inline constexpr std::size_t kMaxHeaderFields = 100;
inline constexpr std::size_t kMaxMethodBytes = 32;

class RequestParser {
 public:
  enum class Step : std::uint8_t {
    kMore,   // needs more input; pass the remaining bytes again with more appended
    kHead,   // the head is complete: decide on the body, then continue
    kDone,   // the request is complete; remaining bytes belong to the next one
    kFault,  // see fault_status() and fault()
  };

  explicit RequestParser(std::size_t max_header_bytes);
  ~RequestParser();

  // Consumes bytes from the front. After kHead call allow_body() before the next put; after kDone call restart().
  Step put(std::string_view& bytes);
  void allow_body(std::size_t limit);
  void restart();

  // Valid from kHead on.
  Request& request();
  bool has_body() const;    // a body is announced and not empty
  bool keep_alive() const;  // as requested by the client
  bool is_http_1_0() const;
  bool expects_continue() const;
  std::uint64_t announced_length() const;  // 0 if chunked or absent

  int fault_status() const;
  const std::string& fault() const;
  bool has_head() const;  // the head is complete, valid or not

 private:
  struct Engine;
  std::size_t max_header_bytes_;
  std::unique_ptr<Engine> engine_;
};

// Parses a server's bytes into a ClientResponse. Boost.Beast is used only in the .cpp file.
class ResponseParser {
 public:
  enum class Step : std::uint8_t { kMore, kDone, kFault, kTooLarge };

  ResponseParser(std::size_t max_body_bytes, bool to_head_request);
  ~ResponseParser();

  Step put(std::string_view& bytes);  // consumes bytes from the front; skips interim responses (1xx)
  Step put_end();                     // the server closed the connection
  ClientResponse& response();
  bool keep_alive() const;  // valid from kDone on
  bool started() const;     // has consumed a byte
  const std::string& fault() const;

 private:
  struct Engine;
  std::size_t max_body_bytes_;
  bool to_head_request_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace ladder::http
