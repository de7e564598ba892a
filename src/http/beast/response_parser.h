// Bytes of a server's answer become a ClientResponse, for the client. Boost.Beast's parser stays inside the .cpp.
#pragma once

#include "http/client.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ladder::http {

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
