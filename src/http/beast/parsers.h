// Bytes of a connection become a Request. Stricter than the grammar where leniency lets two readers of one stream disagree about
// where a request ends (request smuggling). Boost.Beast's parser stays inside the .cpp.
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
    kMore,   // everything useful was taken; what is left of the bytes has to come again with more behind it
    kHead,   // the head is complete: decide on the body, then go on
    kDone,   // the request is complete; what is left belongs to the next
    kFault,  // see fault_status() and fault()
  };

  explicit RequestParser(std::size_t max_header_bytes);
  ~RequestParser();

  // Takes bytes off the front. After kHead call allow_body() before the next put; after kDone call restart().
  Step put(std::string_view& bytes);
  void allow_body(std::size_t limit);
  void restart();

  // From kHead on.
  Request& request();
  bool has_body() const;    // one is announced, and not empty
  bool keep_alive() const;  // as far as the client is concerned
  bool is_http_1_0() const;
  bool expects_continue() const;
  std::uint64_t announced_length() const;  // 0 when chunked or none

  int fault_status() const;
  const std::string& fault() const;
  bool has_head() const;  // the head is complete, sound or not

 private:
  struct Engine;
  std::size_t max_header_bytes_;
  std::unique_ptr<Engine> engine_;
};

// Bytes of a server's answer become a ClientResponse, for the client. Boost.Beast's parser stays inside the .cpp.
class ResponseParser {
 public:
  enum class Step : std::uint8_t { kMore, kDone, kFault, kTooLarge };

  ResponseParser(std::size_t max_body_bytes, bool to_head_request);
  ~ResponseParser();

  Step put(std::string_view& bytes);  // takes bytes off the front; interim answers (1xx) are passed over
  Step put_end();                     // the server closed the connection
  ClientResponse& response();
  bool keep_alive() const;  // from kDone on
  bool started() const;     // has taken a byte
  const std::string& fault() const;

 private:
  struct Engine;
  std::size_t max_body_bytes_;
  bool to_head_request_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace ladder::http
