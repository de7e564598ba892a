// Ask: a question about the owner's data gives passages, and with a model an answer that is written from them.
//
// The model is an app with the client id kAskClient: it has its own grants, which the owner allows, reduces and revokes like
// those of any app, and a token that is stored encrypted. Its passages come from a search with that token, so the disclosure
// ledger records exactly what is sent to it, budgets apply, and revoked access stops it. Thread-safe.
#pragma once

#include "ask/answer.h"
#include "ask/model.h"
#include "ask/passages.h"
#include "base/mutex.h"
#include "server/resource_server.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace ladder::ask {

inline constexpr std::string_view kAskClient = "Ask (local model)";

struct ModelAccess {
  bool allowed = false;                   // it has an active grant
  std::vector<std::string> not_shared{};  // ids of active connections that its grants don't cover
};

struct WrittenAnswer {
  Passages passages;  // that the model got
  std::string sent;   // the text that the model got, with the question
  CheckedAnswer answer;
  std::chrono::milliseconds took{0};
};

class Ask {
 public:
  // Without `model`, only passages are shown.
  Ask(server::ResourceServer& server, std::unique_ptr<LanguageModel> model) : server_(server), model_(std::move(model)) {}

  const LanguageModel* model() const { return model_.get(); }
  Result<ModelAccess> access(const server::Access& owner);
  // Gives the model access to everything that the owner has now, in place of its earlier access.
  Status allow(const server::Access& owner);
  // Asks the model. `transport` names the caller in the ledger: "console" or "cli". kNotSetUp without a model,
  // kGrantRevoked if it has no access, kRateLimited while it answers another question.
  Result<WrittenAnswer> answer(const server::Access& owner, const std::string& question, const std::string& transport,
                               std::vector<std::string> connections = {});
  void stop() { stopping_.request_stop(); }  // ends a running answer

 private:
  server::ResourceServer& server_;
  std::unique_ptr<LanguageModel> model_;
  std::stop_source stopping_;
  std::atomic<bool> busy_ = false;
};

}  // namespace ladder::ask
