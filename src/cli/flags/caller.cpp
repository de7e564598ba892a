#include "cli/flags/caller.h"

namespace ladder::cli {
namespace {

constexpr std::string_view kFromEnvironment = "env";

}  // namespace

void Caller::declare(Arguments& arguments) {
  arguments.value("--token", "T", token_,
                  "read as the client of this token; env takes it from LADDER_TOKEN (default: as the owner)");
}

Result<server::Access> Caller::who(const Context& context, Session& session) const {
  if (!token_) return session.owner();
  const bool from_environment = *token_ == kFromEnvironment;
  if (from_environment && context.settings.token.empty()) {
    return fail(Code::kAuthentication, "--token env: LADDER_TOKEN is not set", "token");
  }
  LADDER_TRY(server::Access who, session.server().authenticate(from_environment ? context.settings.token : *token_));
  who.set_call({"cli", "", ""});
  return who;
}

std::string Caller::hint() const {
  return token_ && *token_ != kFromEnvironment ? "(for these commands put the token into LADDER_TOKEN)\n" : "";
}

}  // namespace ladder::cli
