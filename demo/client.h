// A small modern-era MCP client over HTTP. Of a response it uses only the text, as a model does, and the calls printed
// in it.
#pragma once

#include "http/client.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

struct Call {
  std::string tool;
  std::string arguments;  // a JSON object
};

// Returns every `tool args={…}` of a text, in order.
std::vector<Call> calls_in(std::string_view text);

class Client {
 public:
  Client(const std::string& url, std::string token);  // http://127.0.0.1:7663

  std::string call(const Call& call);  // returns the response's text, also for an error
  // Returns the structured content as JSON; empty if the tool returned an error.
  std::string structured(const Call& call);
  std::vector<std::string> tools();  // returns the tool names
  std::string server();              // returns the server's name and version

 private:
  // Returns the result of a request as JSON; ends the program if there is none.
  std::string request(std::string_view method, const std::string& params, std::string_view name = {});

  std::unique_ptr<ladder::http::Client> http_;
  std::string token_;
  int id_ = 0;
};

}  // namespace demo
