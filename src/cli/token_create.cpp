// ladder token create: a token of the owner, for REST. It is shown once; only its hash is kept.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "json/writer.h"

namespace ladder::cli {
namespace {

class TokenCreate final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.example("ladder token create --json"); }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const rs::Access owner, session->owner());
    LADDER_TRY(const std::string token, session->server().create_owner_token(owner));
    if (context.console.json()) {
      json::Writer out;
      out.begin_object().member("token", token).end_object();
      context.console.out(out.take() + "\n");
    } else {
      context.console.err("Owner token (shown once, keep it safe; it opens everything this owner has):\n");
      context.console.out(token + "\n");
    }
    return kDone;
  }
};

}  // namespace

std::unique_ptr<Command> make_token_create() { return std::make_unique<TokenCreate>(); }

}  // namespace ladder::cli
