// A server over the bookshelf. It offers minimal tools and resources that read, fail, take long, or break, and short
// ways to call them.
#pragma once

#include "book_port.h"
#include "mcp/protocol/server.h"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <string>
#include <string_view>

namespace ladder::mcp_tests {

mcp::ToolRegistry book_tools();
mcp::Options book_options();

inline constexpr std::string_view kModernMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

// {"jsonrpc":"2.0","id":ID,"method":METHOD,"params":{PARAMS}}; an empty id makes a notification.
std::string message(std::string_view id, std::string_view method, std::string_view params = {});
// The same with the metadata of a modern request.
std::string modern(std::string_view id, std::string_view method, std::string_view params = {});

struct HeardReply {
  mcp::Reply reply;
  boost::json::value body;  // null if there was no reply

  int status() const { return reply.http_status; }
  const boost::json::value& at(std::string_view pointer) const;  // fails the test if there is none
  bool has(std::string_view pointer) const;
  std::string string(std::string_view pointer) const;
  int error() const;  // returns the error code; 0 if it is a result
};

class Protocol : public ::testing::Test {
 protected:
  Protocol() : server_(book_options(), book_tools()) {}

  HeardReply stdio(std::string_view text, std::optional<mcp::Era> era = {}, std::string negotiated = {});
  // The headers of an HTTP request: exactly those given.
  struct Headers {
    std::optional<std::string> version = {}, method = {}, name = {};
  };
  HeardReply http(std::string_view text, const Headers& headers);
  HeardReply http(std::string_view text) { return http(text, Headers{}); }
  // Sends a request as a correct modern client does.
  HeardReply modern_http(std::string_view method, std::string_view params = {}, std::optional<std::string> name = {},
                         std::string_view id = "1");

  BookPort& books() { return books_; }
  mcp::Server& server() { return server_; }

 private:
  HeardReply hear(std::string_view text, const mcp::Envelope& envelope);
  BookPort books_;
  mcp::Server server_;
};

}  // namespace ladder::mcp_tests
