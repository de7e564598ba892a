// A language model behind an HTTP endpoint that the owner has configured: Ollama's chat API or an OpenAI-compatible one. It is
// sent only what complete() gets. Thread-safe.
#pragma once

#include "base/error/error.h"
#include "http/client.h"

#include <memory>
#include <stop_token>
#include <string>

namespace ladder::ask {

struct ModelOptions {
  std::string endpoint;       // "http://localhost:11434" (Ollama), or an address that ends with /v1 (OpenAI-compatible)
  std::string model;          // "gemma3:12b"
  std::string key = {};       // sent as a bearer token; empty: none
  bool allow_remote = false;  // the endpoint may have a public address; then it must use https
  int timeout_s = 60;         // for a whole answer
};

class LanguageModel {
 public:
  // kInvalidRequest names the setting that is wrong.
  static Result<std::unique_ptr<LanguageModel>> create(const ModelOptions& options);

  // Returns the text of the answer, which is untrusted. kStoreUnavailable if the server can't be reached, kDeadline if it is
  // too slow, kPermission if its address is not allowed, kRsProtocol for anything that is not an answer.
  Result<std::string> complete(const std::string& instructions, const std::string& prompt, const std::stop_token& stop);

  const std::string& name() const { return options_.model; }
  const std::string& address() const { return options_.endpoint; }
  // True if only this computer or a private network is allowed.
  bool stays_near() const { return !options_.allow_remote; }

 private:
  enum class Shape : std::uint8_t { kOllama, kOpenAi };
  LanguageModel(ModelOptions options, Shape shape, std::string target, std::unique_ptr<http::Client> client)
      : options_(std::move(options)), shape_(shape), target_(std::move(target)), client_(std::move(client)) {}

  std::string request_body(const std::string& instructions, const std::string& prompt) const;
  Result<std::string> answer_of(const http::ClientResponse& response) const;
  Error error_of(const http::ClientError& error) const;

  ModelOptions options_;
  Shape shape_;
  std::string target_;
  std::unique_ptr<http::Client> client_;
};

}  // namespace ladder::ask
