// ladder grant: the commands that create, list, revoke and show grants, and limit what can be read under them.
#include "cli/access/grant_text.h"

#include "base/text/columns.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/visible_text.h"
#include "cli/flags/stream_words.h"
#include "cli/flags/time_words.h"
#include "cli/invocation/client_names.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/invocation/shipped_sources.h"
#include "json/writer.h"
#include "rest/render.h"

#include <algorithm>

namespace ladder::cli {
namespace {

constexpr std::string_view kBytesHelp =
    "how many bytes of non-text files per day, such as images (default: 100 times the characters)";

// Parses a number per day. Returns no value if it is missing or "none".
Result<std::optional<std::int64_t>> parse_budget(const std::optional<std::string>& text, std::string_view unit,
                                                 std::string_view flag) {
  if (!text || *text == "none") return std::nullopt;
  const auto number = parse_number(*text);
  if (number && *number >= 0) return number;
  return fail(Code::kInvalidRequest, format("a budget is a number of {} per day, such as 200000, or none", unit),
              std::string(flag));
}

}  // namespace

// ladder grant create: lets a client read some streams, fields, times or records. It creates one grant per source and
// one token for all of them. The token is shown once.

namespace {

class GrantCreate final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.required_value("--client", "NAME", request_.client_id, "the client that gets access");
    arguments.each_value(
        "--stream", "[CONNECTION/]STREAM[:field,…]", [this](const auto& text) { return streams_.stream(text); },
        "what it can read; without CONNECTION, every connection that now has the stream with these fields; may be repeated");
    arguments.each_value(
        "--connection", "ID", [this](const auto& text) { return streams_.connection(text); },
        "every stream of this connection, with all fields; may be repeated");
    arguments.each_value(
        "--since", "TIME", [this](const auto& text) { return streams_.since(text); },
        "only records from this time on (2026-01-01, or 90d: ninety days ago); applies to the preceding --stream or "
        "--connection");
    arguments.each_value(
        "--until", "TIME", [this](const auto& text) { return streams_.until(text); },
        "only records before this time; applies to the preceding --stream or --connection");
    arguments.each_value(
        "--record", "KEY", [this](const auto& text) { return streams_.record(text); },
        "only this record; applies to the preceding --stream; may be repeated");
    arguments.value("--expires", "TIME", expires_, "when the grant expires: a time, or a span such as 12h, 30d, 2w or 1y");
    arguments.flag("--single-use", request_.single_use, "one token, at most 24 hours");
    arguments.value("--budget", "CHARS", budget_,
                    "how many characters a day (UTC) each grant may be shown, bytes of text files included; more is refused "
                    "until the next day");
    arguments.value("--budget-bytes", "BYTES", budget_bytes_, kBytesHelp);
    arguments.value("--purpose", "URI", purpose_, "what it is for (default: https://pdpp.dev/purpose/agent_context)");
    arguments.example("ladder grant create --client assistant --stream notes:title,body");
    arguments.example(
        "LADDER_TOKEN=$(ladder grant create --client assistant --stream notes)     # only the token goes to stdout");
    arguments.example("ladder grant create --client assistant --stream mail-1/messages:subject,body --since 2026-01-01 \\");
    arguments.example("    --stream notes --record n1 --record n2 --expires 2027-01-01");
    arguments.example("ladder grant create --client assistant --connection mail-1 --since 90d --expires 30d");
  }

  Result<int> run(Context& context) override {
    if (streams_.selections().empty()) {
      return fail(Code::kInvalidRequest,
                  "--stream is missing: choose what it can read, e.g. --stream notes:title,body, or --connection ID", "stream");
    }
    request_.streams = streams_.selections();
    request_.purpose_code = purpose_.value_or("");
    if (expires_) {
      LADDER_TRY(request_.expires_at, parse_time_word(*expires_, "expires", Direction::kAhead, Clock::system().now()));
    }
    LADDER_TRY(const auto budget, parse_budget(budget_, "characters", "budget"));
    LADDER_TRY(const auto budget_bytes, parse_budget(budget_bytes_, "bytes", "budget-bytes"));
    if (budget_bytes && !budget) {
      return fail(Code::kInvalidRequest, "--budget-bytes requires --budget (characters per day)", "budget-bytes");
    }
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    // Runs first, so that no grant includes fields that only an older declaration required.
    LADDER_CHECK(renew_shipped_sources(context, *session, owner, app::StopSignal()));
    LADDER_TRY(const server::IssuedGrants issued, session->server().grants().create(owner, request_));
    // Runs before the client gets the token.
    for (const std::string& id : issued.grant_ids) {
      if (budget) LADDER_CHECK(session->server().ledger().set_budget(owner, id, budget, budget_bytes));
    }
    std::vector<std::optional<server::GrantSummary>> made;
    for (const std::string& id : issued.grant_ids) {
      auto summary = session->server().grants().find(owner, id);
      made.emplace_back(summary ? std::optional(*std::move(summary)) : std::nullopt);  // the token is shown even if this fails
    }
    show(context.console, issued, made);
    return kDone;
  }

 private:
  using Made = std::vector<std::optional<server::GrantSummary>>;

  static std::string as_json(const server::IssuedGrants& issued, const Made& made) {
    json::Writer out;
    out.begin_object().member("grant_ids", issued.grant_ids).member("token", issued.token).key("grants").begin_array();
    for (const auto& summary : made) {
      if (summary) rest::write_grant(out, *summary);
    }
    out.end_array().end_object();
    return out.take() + "\n";
  }

  // Returns a line per connection and stream, with every field that the grant allows.
  static std::string covered(const server::GrantSummary& summary) {
    std::string text;
    for (std::size_t i = 0; i < summary.grant.streams.size(); ++i) {
      const grant::StreamGrant& stream = summary.grant.streams[i];
      for (const std::string& connection : stream.instance_ids)
        text += format("      {}/{}: {}\n", visible_label(connection), visible_label(stream.name), fields_text(summary, i));
    }
    if (summary.is_widened()) {
      text += format("      This is more than was named: {}.\n      To change this: {}\n", widening_text(summary),
                     retry_hint_of_widening(summary));
    }
    return text;
  }

  // The token is the only thing on standard output, so that LADDER_TOKEN=$(ladder grant create …) works.
  void show(Console& console, const server::IssuedGrants& issued, const Made& made) const {
    if (console.json()) return console.out(as_json(issued, made));
    std::string text = format("{} can now read:\n", visible_label(request_.client_id));
    for (std::size_t i = 0; i < issued.grant_ids.size(); ++i) {
      text += format("  {0}   (to revoke it: ladder grant revoke {0})\n", issued.grant_ids[i]);
      if (made[i]) text += covered(*made[i]);
    }
    // In token=$(ladder grant create …) the shell captures the token, so nothing announces it.
    console.err(console.out_is_terminal() ? text + "Token (shown once, give it to the client only):\n" : text);
    console.out(issued.token + "\n");
  }

  server::GrantRequest request_;
  StreamWords streams_;
  std::optional<std::string> expires_, purpose_, budget_, budget_bytes_;
};

}  // namespace

std::unique_ptr<Command> make_grant_create() { return std::make_unique<GrantCreate>(); }

// ladder grant list: lists the owner's grants, one line per stream.

namespace {

constexpr std::int64_t kFieldColumns = 40;  // for field names; grant show has the rest

// Returns "3: title, path*, text*", or "all 7: …", with as many names as fit.
std::string fields_cell(const grant::StreamGrant& stream, const grant::FieldOrigin& origin, bool& starred) {
  std::string text = format("{}{}: ", origin.all ? "all " : "", stream.fields.size());
  std::int64_t room = kFieldColumns;
  for (std::size_t i = 0; i < stream.fields.size(); ++i) {
    const bool added = origin.is_added(stream.fields[i]);
    const std::string name = (i == 0 ? "" : ", ") + visible_label(stream.fields[i]) + (added ? "*" : "");
    room -= columns_of(name);
    if (room < 0) return text + "…";
    starred = starred || added;
    text += name;
  }
  return text;
}

std::string period_cell(const grant::StreamGrant& stream) {
  std::string text = "any time";
  if (stream.time) {
    text = (stream.time->since ? short_time(*stream.time->since) : "") + ".." +
           (stream.time->until ? short_time(*stream.time->until) : "");
  }
  if (!stream.resources.empty())
    text += format(", {} record{}", stream.resources.size(), stream.resources.size() == 1 ? "" : "s");
  return text;
}

class GrantList final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.example("ladder grant list"); }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const auto grants, session->server().grants().list(owner));
    LADDER_TRY(const auto budgets, session->server().ledger().budgets(owner));
    if (context.console.json()) {
      context.console.out(rest::render_grants(grants) + "\n");
      return kDone;
    }
    ClientNames names(session->authorization().clients());
    LADDER_TRY(const std::string text, as_text(grants, budgets, names));
    context.console.out(text);
    return kDone;
  }

 private:
  static Result<std::string> as_text(const std::vector<server::GrantSummary>& grants,
                                     const std::map<std::string, server::ReadBudget>& budgets, ClientNames& names) {
    if (grants.empty()) return "No grants yet; ladder grant create creates one.\n";
    std::vector<std::vector<std::string>> rows = {
        {"GRANT", "STATUS", "CLIENT", "STREAM", "FIELDS", "PERIOD", "EXPIRES", "CHARS PER DAY", "LAST USE"}};
    bool starred = false, widened = false;
    for (const server::GrantSummary& summary : grants) {
      const grant::Grant& grant = summary.grant;
      const std::string status = summary.status + (summary.is_widened() ? " (widened)" : "");
      widened = widened || (summary.is_widened() && summary.status == "active");
      const auto budget = budgets.find(grant.grant_id);
      LADDER_TRY(const std::string client, names.text(grant.client_id));
      for (std::size_t i = 0; i < grant.streams.size(); ++i) {
        const grant::StreamGrant& stream = grant.streams[i];
        const std::string fields = fields_cell(stream, summary.origins[i], starred);
        for (const std::string& connection : stream.instance_ids) {
          rows.push_back({grant.grant_id, status, client, visible_label(connection) + "/" + visible_label(stream.name), fields,
                          period_cell(stream), grant.expires_at ? short_time(*grant.expires_at) : "never",
                          budget == budgets.end() ? "–" : std::to_string(budget->second.chars),
                          summary.row.last_used_at ? short_time(*summary.row.last_used_at) : "–"});
        }
      }
    }
    std::string text = table(rows);
    if (starred) text += "* added automatically: the source's declaration requires it\n";
    if (widened) text += "(widened): allows more than the key and the named fields; ladder doctor shows how to replace it\n";
    return text;
  }
};

}  // namespace

std::unique_ptr<Command> make_grant_list() { return std::make_unique<GrantList>(); }

// ladder grant revoke: revokes grants immediately, in every process that serves the store.

namespace {

class GrantRevoke final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.any_words("ID", ids_, "the grants");
    arguments.value("--client", "NAME", client_, "every active grant of this client");
    arguments.example("ladder grant revoke grt_0123456789abcdef");
    arguments.example("ladder grant revoke grt_0123456789abcdef grt_fedcba9876543210");
    arguments.example("ladder grant revoke --client assistant");
  }

  Result<int> run(Context& context) override {
    if (ids_.empty() && !client_) {
      return fail(Code::kInvalidRequest, "name the grants to revoke: their ids, or --client NAME; `ladder grant list` shows them",
                  "ID");
    }
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    if (ids_.size() == 1 && !client_) {
      LADDER_TRY(const server::GrantSummary summary, session->server().grants().revoke(owner, ids_.front()));
      show_grant(context.console, summary);
      return kDone;
    }
    // Revokes every grant it can before it reports an error.
    Status first;
    std::vector<server::GrantSummary> revoked;
    const auto revoke = [&](const std::string& id) {
      auto summary = session->server().grants().revoke(owner, id);
      if (summary) revoked.push_back(*std::move(summary));
      else if (first) first = std::unexpected(std::move(summary).error());
    };
    std::ranges::for_each(ids_, revoke);
    if (client_) {
      auto ids = access_status_of(*session, owner);
      if (ids) std::ranges::for_each(*ids, revoke);
      else if (first) first = std::unexpected(std::move(ids).error());
    }
    context.console.out(context.console.json() && first ? rest::render_grants(revoked) + "\n"
                                                        : as_text(context.console, revoked));
    LADDER_CHECK(first);
    return kDone;
  }

 private:
  Result<std::vector<std::string>> access_status_of(Session& session, const server::Access& owner) const {
    LADDER_TRY(const auto grants, session.server().grants().list(owner));
    std::vector<std::string> ids;
    std::string others;
    for (const server::GrantSummary& summary : grants) {
      if (summary.status != "active") continue;
      if (summary.grant.client_id == *client_) ids.push_back(summary.grant.grant_id);
      else if (others.find("'" + summary.grant.client_id + "'") == std::string::npos)
        others += (others.empty() ? "'" : ", '") + summary.grant.client_id + "'";
    }
    if (!ids.empty()) return ids;
    return fail(Code::kNotFound,
                format("client '{}' has no active grant; {}", visible_label(*client_),
                       others.empty() ? "no client has one" : "clients with active grants: " + visible_label(others)),
                "client");
  }

  // With --json an error is the only object on standard output, so earlier results are printed on standard error
  // only.
  static std::string as_text(Console& console, const std::vector<server::GrantSummary>& revoked) {
    std::string text;
    for (const server::GrantSummary& summary : revoked)
      text += format("{} of {} is revoked\n", summary.grant.grant_id, visible_label(summary.grant.client_id));
    if (!console.json()) return text;
    console.err(text);
    return {};
  }

  std::vector<std::string> ids_;
  std::optional<std::string> client_;
};

}  // namespace

std::unique_ptr<Command> make_grant_revoke() { return std::make_unique<GrantRevoke>(); }

// ladder grant show: shows what one grant allows and whether it is active.

namespace {

class GrantShow final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("ID", id_, "the grant");
    arguments.example("ladder grant show grt_0123456789abcdef");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const server::GrantSummary summary, session->server().grants().find(owner, id_));
    LADDER_TRY(const auto budgets, session->server().ledger().budgets(owner));
    const auto budget = budgets.find(id_);
    show_grant(context.console, summary, budget == budgets.end() ? nullptr : &budget->second);
    return kDone;
  }

 private:
  std::string id_;
};

}  // namespace

std::unique_ptr<Command> make_grant_show() { return std::make_unique<GrantShow>(); }

// ladder grant budget: sets how much a client may read per day under a grant.

namespace {

class GrantBudget final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("ID", id_, "the grant");
    arguments.word("CHARS", chars_, "how many characters it can read per day (UTC), or none for no limit");
    arguments.value("--bytes", "BYTES", bytes_, kBytesHelp);
    arguments.example("ladder grant budget grt_0123456789abcdef 200000");
    arguments.example("ladder grant budget grt_0123456789abcdef none");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto chars, parse_budget(chars_, "characters", "CHARS"));
    LADDER_TRY(const auto bytes, parse_budget(bytes_, "bytes", "bytes"));
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_CHECK(session->server().ledger().set_budget(owner, id_, chars, bytes));
    LADDER_TRY(const auto budgets, session->server().ledger().budgets(owner));
    const auto budget = budgets.find(id_);
    if (context.console.json()) {
      context.console.out(rest::render_budget(id_, budget == budgets.end() ? nullptr : &budget->second) + "\n");
    } else if (budget != budgets.end()) {
      context.console.out(format("{} can read {}\n", visible_label(id_), budget_text(budget->second)));
    } else {
      context.console.out(format("{} has no budget\n", visible_label(id_)));
    }
    return kDone;
  }

 private:
  std::string id_, chars_;
  std::optional<std::string> bytes_;
};

}  // namespace

std::unique_ptr<Command> make_grant_budget() { return std::make_unique<GrantBudget>(); }

}  // namespace ladder::cli
