#include "client.h"

#include "base/text/format.h"

#include <boost/json.hpp>

#include <cstdlib>
#include <iostream>

namespace demo {
namespace {

using ladder::format;

constexpr std::string_view kVersion = "2026-07-28";
constexpr std::string_view kEnvelope =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"demo","version":"1"}})";

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "agent: " << why << '\n';
  std::exit(1);
}

boost::json::value parsed(const std::string& json) { return boost::json::parse(json); }

// Returns the position after the object that begins at `open`.
std::size_t end_of_object(std::string_view text, std::size_t open) {
  bool quoted = false;
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '\\') ++at;
    else if (c == '"') quoted = !quoted;
    else if (!quoted && c == '{') ++depth;
    else if (!quoted && c == '}' && --depth == 0) return at + 1;
  }
  return text.size();
}

}  // namespace

std::vector<Call> calls_in(std::string_view text) {
  constexpr std::string_view kMark = " args={";
  std::vector<Call> calls;
  for (std::size_t at = text.find(kMark); at != text.npos; at = text.find(kMark, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && ((text[begin - 1] >= 'a' && text[begin - 1] <= 'z') || text[begin - 1] == '_')) --begin;
    const std::size_t open = at + kMark.size() - 1, end = end_of_object(text, open);
    calls.push_back({std::string(text.substr(begin, at - begin)), std::string(text.substr(open, end - open))});
  }
  return calls;
}

Client::Client(const std::string& url, std::string token) : token_(std::move(token)) {
  ladder::http::ClientOptions options;
  options.origin = url;
  auto made = ladder::http::Client::create(options);
  if (!made) give_up(made.error().message);
  http_ = *std::move(made);
}

std::string Client::request(std::string_view method, const std::string& params, std::string_view name) {
  ladder::http::ClientRequest request;
  request.method = "POST";
  request.target = "/mcp";
  request.body = format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{{{}{}{}}}}})", ++id_, method, params,
                        params.empty() ? "" : ",", kEnvelope);
  request.headers.add("Authorization", "Bearer " + token_);
  request.headers.add("Content-Type", "application/json");
  request.headers.add("Accept", "application/json, text/event-stream");
  request.headers.add("MCP-Protocol-Version", std::string(kVersion));
  request.headers.add("Mcp-Method", std::string(method));
  if (!name.empty()) request.headers.add("Mcp-Name", std::string(name));
  const auto response = http_->send(request, {});
  if (!response) give_up(response.error().message);
  if (response->status != 200) give_up(format("{} was answered with {}: {}", method, response->status, response->body));
  const auto answer = parsed(response->body);
  if (!answer.as_object().contains("result")) give_up(response->body);
  return boost::json::serialize(answer.at("result"));
}

std::string Client::call(const Call& call) {
  const auto result =
      parsed(request("tools/call", format(R"("name":"{}","arguments":{})", call.tool, call.arguments), call.tool));
  return std::string(result.at("content").at(0).at("text").as_string());
}

std::string Client::structured(const Call& call) {
  const auto result =
      parsed(request("tools/call", format(R"("name":"{}","arguments":{})", call.tool, call.arguments), call.tool));
  const auto* const refused = result.as_object().if_contains("isError");
  if (refused != nullptr && refused->as_bool()) return {};
  return boost::json::serialize(result.at("structuredContent"));
}

std::vector<std::string> Client::tools() {
  const auto result = parsed(request("tools/list", {}));
  std::vector<std::string> names;
  for (const auto& tool : result.at("tools").as_array()) names.emplace_back(tool.at("name").as_string());
  return names;
}

std::string Client::server() {
  const auto result = parsed(request("server/discover", {}));
  const auto& info = result.at("_meta").at("io.modelcontextprotocol/serverInfo");
  return std::string(info.at("name").as_string()) + " " + std::string(info.at("version").as_string());
}

}  // namespace demo
