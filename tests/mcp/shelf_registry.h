// A server over the shelf offers tools and resources as small as they can be that still do what tools do: read, fail, take
// long, break. And short ways to ask it.
#pragma once

#include "mcp/protocol/server.h"
#include "shelf.h"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <string>
#include <string_view>

namespace ladder::mcp_tests {

mcp::ToolRegistry shelf_registry();
mcp::Options shelf_options();

inline constexpr std::string_view kModernMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

// {"jsonrpc":"2.0","id":ID,"method":METHOD,"params":{PARAMS}}; an empty id makes a notification.
std::string message(std::string_view id, std::string_view method, std::string_view params = {});
// The same with what a modern request says of itself.
std::string modern(std::string_view id, std::string_view method, std::string_view params = {});

struct Heard {
  mcp::Reply reply;
  boost::json::value body;  // null when nothing was said

  int status() const { return reply.http_status; }
  const boost::json::value& at(std::string_view pointer) const;  // fails the test when there is none
  bool has(std::string_view pointer) const;
  std::string string(std::string_view pointer) const;
  int error() const;  // its code; 0 when it is a result
};

class Protocol : public ::testing::Test {
 protected:
  Protocol() : server_(shelf_options(), shelf_registry()) {}

  Heard stdio(std::string_view text, std::optional<mcp::Era> era = {}, std::string negotiated = {});
  // Over HTTP: the headers that are given, and no others.
  struct Headers {
    std::optional<std::string> version = {}, method = {}, name = {};
  };
  Heard http(std::string_view text, const Headers& headers);
  Heard http(std::string_view text) { return http(text, Headers{}); }
  // As a proper modern client asks.
  Heard modern_http(std::string_view method, std::string_view params = {}, std::optional<std::string> name = {},
                    std::string_view id = "1");

  Shelf& shelf() { return shelf_; }
  mcp::Server& server() { return server_; }

 private:
  Heard hear(std::string_view text, const mcp::Envelope& envelope);
  Shelf shelf_;
  mcp::Server server_;
};

}  // namespace ladder::mcp_tests
