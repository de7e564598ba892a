#include "ask/model.h"

#include "ask/ask_limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "base/text/visible_text.h"
#include "json/parse.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::ask {
namespace {

constexpr std::size_t kMaxJsonDepth = 32;
constexpr std::int64_t kMaxAnswerTokens = 1'024;  // about 4,000 characters
constexpr std::size_t kShownChars = 200;          // of a server's error message
constexpr std::size_t kMaxNameBytes = 200;
constexpr std::size_t kMaxKeyBytes = 4'096;

std::unexpected<Error> bad_endpoint(std::string_view endpoint) {
  return fail(Code::kInvalidRequest,
              format("ask_endpoint \"{}\" must be the address of an Ollama server, such as http://localhost:11434, or of an "
                     "OpenAI-compatible one, such as http://localhost:8080/v1",
                     visible_label(endpoint.substr(0, kShownChars))),
              "ask_endpoint");
}

// The member of an object, or null.
const boost::json::value* member(const boost::json::value* value, std::string_view name) {
  const auto* const object = value ? value->if_object() : nullptr;
  return object ? object->if_contains(name) : nullptr;
}

const boost::json::value* first_of(const boost::json::value* value) {
  const auto* const array = value ? value->if_array() : nullptr;
  return array && !array->empty() ? &array->front() : nullptr;
}

}  // namespace

Result<std::unique_ptr<LanguageModel>> LanguageModel::create(const ModelOptions& options) {
  std::string endpoint = options.endpoint;
  while (endpoint.ends_with('/')) endpoint.pop_back();
  const std::size_t scheme = endpoint.find("://");
  const std::size_t slash = scheme == std::string::npos ? scheme : endpoint.find('/', scheme + 3);
  const std::string path = slash == std::string::npos ? "" : endpoint.substr(slash);
  const auto origin = http::parse_origin(endpoint.substr(0, slash));
  const bool is_openai = path.ends_with("/v1");
  const bool plain = std::ranges::all_of(path, [](char c) { return c > 0x20 && c < 0x7F && c != '?' && c != '#'; });
  if (scheme == std::string::npos || !origin || !plain || (!path.empty() && !is_openai)) return bad_endpoint(options.endpoint);
  if (options.model.empty() || options.model.size() > kMaxNameBytes || !utf8::is_valid(options.model)) {
    return fail(Code::kInvalidRequest, "ask_endpoint needs ask_model, the name of the model, such as gemma3:12b", "ask_model");
  }
  const bool is_field = std::ranges::all_of(options.key, [](char c) { return c > 0x20 && c < 0x7F; });
  if (!is_field || options.key.size() > kMaxKeyBytes)
    return fail(Code::kInvalidRequest, "the key for ask_endpoint must be one line of printable characters", "ask_key_file");
  if (options.timeout_s < 1 || options.timeout_s > limits::kAskMaxTimeoutS) {
    return fail(Code::kInvalidRequest, format("ask_timeout must be a number of seconds from 1 to {}", limits::kAskMaxTimeoutS),
                "ask_timeout");
  }
  http::ClientOptions client;
  client.origin = endpoint.substr(0, slash);
  client.timeout = std::chrono::seconds(options.timeout_s);
  client.max_body_bytes = limits::kAskResponseBytes;
  // Link-local addresses, such as the metadata servers of clouds, are never models. Passages are not sent to a public address
  // without encryption.
  client.nearest = http::AddressScope::kLoopback;
  if (!options.allow_remote || !origin->tls) client.farthest = http::AddressScope::kPrivate;
  LADDER_TRY(auto made, http::Client::create(client));
  return std::unique_ptr<LanguageModel>(new LanguageModel(options, is_openai ? Shape::kOpenAi : Shape::kOllama,
                                                          path + (is_openai ? "/chat/completions" : "/api/chat"),
                                                          std::move(made)));
}

std::string LanguageModel::request_body(const std::string& instructions, const std::string& prompt) const {
  json::Writer out;
  out.begin_object().member("model", options_.model).member("stream", false).key("messages").begin_array();
  out.begin_object().member("role", "system").member("content", instructions).end_object();
  out.begin_object().member("role", "user").member("content", prompt).end_object();
  out.end_array();
  if (shape_ == Shape::kOllama) {
    out.key("options").begin_object().member("temperature", 0).member("num_predict", kMaxAnswerTokens).end_object();
  } else {
    out.member("temperature", 0).member("max_tokens", kMaxAnswerTokens);
  }
  out.end_object();
  return out.take();
}

Result<std::string> LanguageModel::answer_of(const http::ClientResponse& response) const {
  const auto tree = json::parse(response.body, limits::kAskResponseBytes, kMaxJsonDepth);
  if (response.status != 200) {
    std::string said;
    const auto* const error = tree ? member(&*tree, "error") : nullptr;
    const auto* const message = error && error->is_object() ? member(error, "message") : error;
    if (message && message->is_string())
      said = ": " + visible_label(utf8::slice(std::string(message->get_string()), 0, kShownChars));
    return fail(Code::kRsProtocol, format("the model server {} answered with status {}{}", address(), response.status, said));
  }
  const auto* const content = !tree ? nullptr
                              : shape_ == Shape::kOllama
                                  ? member(member(&*tree, "message"), "content")
                                  : member(member(first_of(member(&*tree, "choices")), "message"), "content");
  if (!content || !content->is_string()) {
    return fail(Code::kRsProtocol, format("the model server {} answered with something that is not a chat answer; check that it "
                                          "speaks {}",
                                          address(), shape_ == Shape::kOllama ? "Ollama's API" : "the OpenAI API"));
  }
  return std::string(content->get_string());
}

Error LanguageModel::error_of(const http::ClientError& error) const {
  switch (error.fault) {
    case http::ClientFault::kTimeout:
      return {Code::kDeadline, format("the model did not answer within {} seconds; ask_timeout allows more", options_.timeout_s)};
    case http::ClientFault::kForbidden:
      return {Code::kPermission,
              format("nothing was sent: {}. Only this computer and private networks are allowed unless ask_remote is set, "
                     "and then only with https",
                     error.message)};
    case http::ClientFault::kTooLarge:
      return {Code::kRsProtocol, format("the answer of the model is longer than {} KiB and was discarded",
                                        limits::kAskResponseBytes / limits::kKiB)};
    case http::ClientFault::kProtocol:
      return {Code::kRsProtocol, format("the model server {} did not send a valid HTTP response", address())};
    case http::ClientFault::kCancelled:
      return {Code::kStoreUnavailable, "the question was cancelled because the server is stopping"};
    case http::ClientFault::kCertificate:
      return {Code::kRsProtocol, format("the certificate of the model server is not valid: {}", error.certificate)};
    case http::ClientFault::kUnreachable:
      break;
  }
  return {Code::kStoreUnavailable, format("can't reach the model: {}", error.message)};
}

Result<std::string> LanguageModel::complete(const std::string& instructions, const std::string& prompt,
                                            const std::stop_token& stop) {
  http::ClientRequest request;
  request.method = "POST";
  request.target = target_;
  request.headers.set("Content-Type", "application/json");
  request.headers.set("Accept", "application/json");
  if (!options_.key.empty()) request.headers.set("Authorization", "Bearer " + options_.key);
  request.body = request_body(instructions, prompt);
  const auto response = client_->send(request, stop);
  if (!response) return std::unexpected(error_of(response.error()));
  return answer_of(*response);
}

}  // namespace ladder::ask
