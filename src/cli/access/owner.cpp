// ladder owner link, passphrase, sessions: manage how the owner signs in. They need only access to the store.
#include "auth/authorization.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/secret_input.h"
#include "json/writer.h"

#include <unistd.h>

namespace ladder::cli {
namespace {

constexpr std::string_view kDefaultAddress = "http://localhost:7663";

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

class OwnerLink final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.value("--public-url", "URL", public_url_, "the server's address (default: http://localhost:7663)");
    arguments.example("ladder owner link");
    arguments.example("ladder owner link --public-url https://data.example");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const std::string token, session->authorization().owners().make_link(owner));
    const std::string url =
        format("{}/sign-in/link?token={}", without_slash(public_url_.value_or(std::string(kDefaultAddress))), token);
    if (context.console.json()) {
      json::Writer out;
      out.begin_object().member("url", url).member("expires_in", auth::kLinkLife / kSecond).end_object();
      context.console.out(out.take() + "\n");
    } else {
      context.console.err("Open this link within 15 minutes, in a browser that can reach `ladder serve`; it works once:\n");
      context.console.out(url + "\n");
    }
    return kDone;
  }

 private:
  std::optional<std::string> public_url_;
};

class OwnerPassphrase final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.flag("--keep-sessions", keep_, "keep signed-in browsers signed in");
    arguments.example("ladder owner passphrase");
    arguments.example("ladder owner passphrase < passphrase.txt");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    const std::string passphrase = read_secret(context.console, "New passphrase, 12 characters or more: ");
    LADDER_CHECK(auth::check_passphrase(passphrase));
    if (isatty(STDIN_FILENO) != 0 && read_secret(context.console, "Once more: ") != passphrase) {
      return fail(Code::kInvalidRequest, "the passphrases do not match; nothing was changed", "passphrase");
    }
    LADDER_CHECK(session->authorization().owners().set_passphrase(owner, passphrase));
    std::int64_t ended = 0;
    if (!keep_) {
      LADDER_TRY(ended, session->authorization().owners().end_all_sessions(owner));
    }
    context.console.err(format("The passphrase of {} is set; {} ended\n", visible_label(owner.owner_name()),
                               ended == 1 ? "1 session" : format("{} sessions", ended)));
    return kDone;
  }

 private:
  bool keep_ = false;
};

class OwnerSessions final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.value("--end", "ID", end_, "sign out this session");
    arguments.flag("--end-all", end_all_, "sign out every session");
    arguments.example("ladder owner sessions");
    arguments.example("ladder owner sessions --end-all");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    auth::Owners& owners = session->authorization().owners();
    if (end_all_) {
      LADDER_TRY(const std::int64_t ended, owners.end_all_sessions(owner));
      context.console.err(format("{} ended\n", ended == 1 ? "1 session" : format("{} sessions", ended)));
      return kDone;
    }
    if (end_) {
      LADDER_TRY(const bool ended, owners.end_session(owner, *end_));
      if (!ended) return fail(Code::kNotFound, "unknown session; `ladder owner sessions` lists them", "end");
      return kDone;
    }
    LADDER_TRY(const auto all, owners.sessions(owner));
    if (context.console.json()) {
      json::Writer out;
      out.begin_array();
      for (const auth::Session& one : all) {
        out.begin_object().member("id", one.id).member("created_at", format_time(one.created_at));
        out.member("seen_at", format_time(one.seen_at)).member("address", one.visitor.address);
        out.member("agent", one.visitor.agent).end_object();
      }
      out.end_array();
      context.console.out(out.take() + "\n");
      return kDone;
    }
    std::vector<std::vector<std::string>> rows = {{"ID", "SINCE", "SEEN", "ADDRESS", "BROWSER"}};
    for (const auth::Session& one : all) {
      rows.push_back({one.id, format_time(one.created_at), format_time(one.seen_at), visible_label(one.visitor.address),
                      visible_label(one.visitor.agent)});
    }
    if (rows.size() == 1) context.console.err("No browser is signed in\n");
    else context.console.out(table_or_lines(context.console, rows));
    return kDone;
  }

 private:
  std::optional<std::string> end_;
  bool end_all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_owner_link() { return std::make_unique<OwnerLink>(); }
std::unique_ptr<Command> make_owner_passphrase() { return std::make_unique<OwnerPassphrase>(); }
std::unique_ptr<Command> make_owner_sessions() { return std::make_unique<OwnerSessions>(); }

}  // namespace ladder::cli
