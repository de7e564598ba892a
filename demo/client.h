// A small MCP client over HTTP, in the modern era, that sees of an answer what a model sees: its text, and the calls that stand
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

// Every `tool args={…}` in a text, in order.
std::vector<Call> calls_in(std::string_view text);

class Client {
 public:
  Client(const std::string& url, std::string token);  // http://127.0.0.1:7663

  std::string call(const Call& call);  // the text of its answer, an error's too
  // The answer's structured content as JSON; empty when the tool refused.
  std::string structured(const Call& call);
  std::vector<std::string> tools();  // their names
  std::string server();              // its name and version

 private:
  // The result of a request as JSON; ends the program when there is none.
  std::string request(std::string_view method, const std::string& params, std::string_view name = {});

  std::unique_ptr<ladder::http::Client> http_;
  std::string token_;
  int id_ = 0;
};

}  // namespace demo
