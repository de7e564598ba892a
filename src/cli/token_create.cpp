// ladder token create: a token of the owner, for REST. It is shown once; only its hash is kept.
#include "base/format.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/time_words.h"
#include "json/writer.h"
#include "rs/token.h"

namespace ladder::cli {
namespace {

class TokenCreate final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.value("--expires", "TIME", expires_, "when it ends: a time, a span such as 90d, or never (default: 1y)");
    arguments.example("ladder token create --json");
    arguments.example("ladder token create --expires 90d");
  }

  Result<int> run(Context& context) override {
    rs::TokenEnd end;
    end.never = expires_ == "never";
    if (expires_ && !end.never) {
      LADDER_TRY(end.at, parse_time_word(*expires_, "expires", Direction::kAhead, Clock::system().now()));
    }
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const rs::Access owner, session->owner());
    LADDER_TRY(const std::string token, session->server().create_owner_token(owner, end));
    const std::string id = rs::token_id(rs::token_hash(token));
    if (context.console.json()) {
      json::Writer out;
      out.begin_object().member("token_id", id).member("token", token).end_object();
      context.console.out(out.take() + "\n");
    } else {
      context.console.err(format(
          "Owner token (shown once, keep it safe; it opens everything this owner has; ladder token revoke {} ends it):\n", id));
      context.console.out(token + "\n");
    }
    return kDone;
  }

 private:
  std::optional<std::string> expires_;
};

}  // namespace

std::unique_ptr<Command> make_token_create() { return std::make_unique<TokenCreate>(); }

}  // namespace ladder::cli
