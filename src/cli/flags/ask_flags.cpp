#include "cli/flags/ask_flags.h"

#include "ask/ask_limits.h"
#include "base/text/format.h"
#include "base/text/number.h"

#include <fstream>

namespace ladder::cli {
namespace {

constexpr std::size_t kMaxKeyFileBytes = 8 * limits::kKiB;

// Returns the first line of the file.
Result<std::string> key_in(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string key;
  if (!in || !std::getline(in, key) || key.empty() || key.size() > kMaxKeyFileBytes) {
    return fail(Code::kInvalidRequest,
                format("{} can't be read, or its first line is empty; it must hold the key of the model server", file),
                "ask_key_file");
  }
  if (key.ends_with('\r')) key.pop_back();
  return key;
}

}  // namespace

void AskFlags::declare(Arguments& arguments) {
  arguments.value("--ask-endpoint", "URL", endpoint_,
                  "a model that writes answers from your passages: an Ollama server, or an OpenAI-compatible one (…/v1)");
  arguments.value("--ask-model", "NAME", model_, "the name of the model, as the model server knows it");
  arguments.value("--ask-key-file", "FILE", key_file_, "a file with the key of the model server (or set LADDER_ASK_KEY)");
  arguments.flag("--ask-remote", remote_, "allow a model server outside this computer and private networks; it must use https");
  arguments.value("--ask-timeout", "SECONDS", timeout_, "how long an answer may take (default 60)");
}

Result<std::unique_ptr<ask::LanguageModel>> AskFlags::model(const Context& context) const {
  if (!endpoint_ || endpoint_->empty()) return nullptr;
  ask::ModelOptions options;
  options.endpoint = *endpoint_;
  options.model = model_.value_or("");
  options.allow_remote = remote_;
  options.timeout_s = limits::kAskTimeoutS;
  if (timeout_) options.timeout_s = parse_number<int>(*timeout_).value_or(0);
  if (key_file_) {
    LADDER_TRY(options.key, key_in(*key_file_));
  } else {
    options.key = context.environment(kKeyVariable).value_or("");
  }
  return ask::LanguageModel::create(options);
}

}  // namespace ladder::cli
