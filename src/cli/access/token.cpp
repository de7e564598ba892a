// ladder token create: creates an owner token for REST. The token is shown once; only its hash is stored.
#include "server/access/token.h"
#include "base/text/format.h"
#include "cli/flags/time_words.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "json/writer.h"

namespace ladder::cli {
namespace {

class TokenCreate final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.value("--expires", "TIME", expires_, "when it expires: a time, a span such as 90d, or never (default: 1y)");
    arguments.example("ladder token create --json");
    arguments.example("ladder token create --expires 90d");
  }

  Result<int> run(Context& context) override {
    server::TokenExpiry end;
    end.never = expires_ == "never";
    if (expires_ && !end.never) {
      LADDER_TRY(end.at, parse_time_word(*expires_, "expires", Direction::kAhead, Clock::system().now()));
    }
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const std::string token, session->server().owner_tokens().create(owner, end));
    const std::string id = server::token_id(server::token_hash(token));
    if (context.console.json()) {
      json::Writer out;
      out.begin_object().member("token_id", id).member("token", token).end_object();
      context.console.out(out.take() + "\n");
    } else {
      context.console.err(
          format("Owner token (shown once; keep it safe, it gives access to all of this owner's data; ladder token revoke {} "
                 "revokes it):\n",
                 id));
      context.console.out(token + "\n");
    }
    return kDone;
  }

 private:
  std::optional<std::string> expires_;
};

}  // namespace

std::unique_ptr<Command> make_token_create() { return std::make_unique<TokenCreate>(); }

// ladder token list and ladder token revoke: manage the owner's tokens by id. The store does not contain the tokens
// themselves.

namespace {

std::string as_json(const std::vector<server::OwnerToken>& tokens) {
  json::Writer out;
  out.begin_object().key("tokens").begin_array();
  for (const server::OwnerToken& token : tokens) {
    out.begin_object().member("token_id", token.token_id).member("status", token.status);
    out.member("created_at", format_time(token.created_at));
    if (token.expires_at) out.member("expires_at", format_time(*token.expires_at));
    if (token.revoked_at) out.member("revoked_at", format_time(*token.revoked_at));
    out.end_object();
  }
  return out.end_array().end_object().take() + "\n";
}

class TokenList final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.example("ladder token list"); }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const auto tokens, session->server().owner_tokens().list(owner));
    context.console.out(context.console.json() ? as_json(tokens) : as_text(tokens));
    return kDone;
  }

 private:
  static std::string as_text(const std::vector<server::OwnerToken>& tokens) {
    if (tokens.empty())
      return "No owner tokens; ladder token create creates one. Client tokens are listed by ladder grant list.\n";
    std::vector<std::vector<std::string>> rows = {{"TOKEN", "STATUS", "CREATED", "EXPIRES"}};
    for (const server::OwnerToken& token : tokens) {
      rows.push_back({token.token_id, token.status, short_time(token.created_at),
                      token.expires_at ? short_time(*token.expires_at) : "never"});
    }
    return table(rows);
  }
};

class TokenRevoke final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.words("ID", ids_, "the token ids, as shown by ladder token list");
    arguments.example("ladder token revoke tok_0123456789abcdef");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    // Revokes every token it can before it reports an error.
    Status first;
    std::vector<server::OwnerToken> revoked;
    for (const std::string& id : ids_) {
      auto token = session->server().owner_tokens().revoke(owner, id);
      if (token) revoked.push_back(*std::move(token));
      else if (first) first = std::unexpected(std::move(token).error());
    }
    if (context.console.json() && first) context.console.out(as_json(revoked));
    std::string text;
    for (const server::OwnerToken& token : revoked) text += token.token_id + " is revoked\n";
    if (!context.console.json()) context.console.out(text);
    else if (!first) context.console.err(text);
    LADDER_CHECK(first);
    return kDone;
  }

 private:
  std::vector<std::string> ids_;
};

}  // namespace

std::unique_ptr<Command> make_token_list() { return std::make_unique<TokenList>(); }
std::unique_ptr<Command> make_token_revoke() { return std::make_unique<TokenRevoke>(); }

}  // namespace ladder::cli
