// The flags of `ladder serve` and `ladder ask` for the language model that writes answers. Off unless --ask-endpoint is given.
#pragma once

#include "ask/model.h"
#include "base/error/error.h"
#include "cli/invocation/command.h"

#include <memory>
#include <optional>
#include <string>

namespace ladder::cli {

class AskFlags {
 public:
  static constexpr const char* kKeyVariable = "LADDER_ASK_KEY";

  void declare(Arguments& arguments);
  // Returns null if no endpoint is configured. The error names the setting.
  Result<std::unique_ptr<ask::LanguageModel>> model(const Context& context) const;

  friend bool operator==(const AskFlags&, const AskFlags&) = default;

 private:
  std::optional<std::string> endpoint_, model_, key_file_, timeout_;
  bool remote_ = false;
};

}  // namespace ladder::cli
