// ladder grant create: lets a client read some streams, fields, times or records. One grant per source, one token for all of
// them, shown once.
#include "base/format.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/grant_view.h"
#include "cli/shipped_sources.h"
#include "cli/stream_words.h"
#include "cli/time_words.h"
#include "cli/visible_text.h"
#include "json/writer.h"
#include "rest/render.h"

namespace ladder::cli {
namespace {

class GrantCreate final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.required_value("--client", "NAME", request_.client_id, "who may read");
    arguments.each_value(
        "--stream", "[CONNECTION/]STREAM[:field,…]", [this](const auto& text) { return streams_.stream(text); },
        "what may be read; without CONNECTION every connection that has the stream, with these fields, now; may be repeated");
    arguments.each_value(
        "--connection", "ID", [this](const auto& text) { return streams_.connection(text); },
        "every stream of this connection, with all fields; may be repeated");
    arguments.each_value(
        "--since", "TIME", [this](const auto& text) { return streams_.since(text); },
        "only records from this time on (2026-01-01, or 90d: ninety days ago); of the --stream or --connection before it");
    arguments.each_value(
        "--until", "TIME", [this](const auto& text) { return streams_.until(text); },
        "only records before this time; of the --stream or --connection before it");
    arguments.each_value(
        "--record", "KEY", [this](const auto& text) { return streams_.record(text); },
        "only this record; of the --stream before it; may be repeated");
    arguments.value("--expires", "TIME", expires_, "when the grant ends by itself: a time, or a span such as 12h, 30d, 2w or 1y");
    arguments.flag("--single-use", request_.single_use, "one token, at most 24 hours");
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
                  "a --stream is missing: say what may be read, e.g. --stream notes:title,body, or --connection ID", "stream");
    }
    request_.streams = streams_.selections();
    request_.purpose_code = purpose_.value_or("");
    if (expires_) {
      LADDER_TRY(request_.expires_at, parse_time_word(*expires_, "expires", Direction::kAhead, Clock::system().now()));
    }
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const rs::Access owner, session->owner());
    // First, so that no grant has what only an older declaration required.
    LADDER_CHECK(renew_shipped_sources(context, *session, owner, StopSignal()));
    LADDER_TRY(const rs::IssuedGrants issued, session->server().create_grants(owner, request_));
    std::vector<std::optional<rs::GrantSummary>> made;
    for (const std::string& id : issued.grant_ids) {
      auto summary = session->server().grant(owner, id);
      made.emplace_back(summary ? std::optional(*std::move(summary)) : std::nullopt);  // the token is shown whatever happens
    }
    show(context.console, issued, made);
    return kDone;
  }

 private:
  using Made = std::vector<std::optional<rs::GrantSummary>>;

  static std::string as_json(const rs::IssuedGrants& issued, const Made& made) {
    json::Writer out;
    out.begin_object().key("grant_ids").begin_array();
    for (const std::string& id : issued.grant_ids) out.string(id);
    out.end_array().member("token", issued.token).key("grants").begin_array();
    for (const auto& summary : made) {
      if (summary) rest::write_grant(out, *summary);
    }
    out.end_array().end_object();
    return out.take() + "\n";
  }

  // A line per connection and stream, with every field that can be read from now on.
  static std::string covered(const rs::GrantSummary& summary) {
    std::string text;
    for (std::size_t i = 0; i < summary.grant.streams.size(); ++i) {
      const grant::StreamGrant& stream = summary.grant.streams[i];
      for (const std::string& connection : stream.instance_ids)
        text += format("      {}/{}: {}\n", visible_label(connection), visible_label(stream.name), fields_text(summary, i));
    }
    if (summary.is_widened()) {
      text += format("      This is more than was named: {}.\n      To change that: {}\n", widening_text(summary),
                     way_out_of_widening(summary));
    }
    return text;
  }

  // The token is the result: LADDER_TOKEN=$(ladder grant create …) holds it and nothing else.
  void show(Console& console, const rs::IssuedGrants& issued, const Made& made) const {
    if (console.json()) return console.out(as_json(issued, made));
    std::string text = format("{} may read, until the grant ends:\n", visible_label(request_.client_id));
    for (std::size_t i = 0; i < issued.grant_ids.size(); ++i) {
      text += format("  {0}   (ladder grant revoke {0} ends it)\n", issued.grant_ids[i]);
      if (made[i]) text += covered(*made[i]);
    }
    // In token=$(ladder grant create …) the token goes to the shell: nothing is announced that nobody will see.
    console.err(console.out_is_terminal() ? text + "Token (shown once, give it to the client only):\n" : text);
    console.out(issued.token + "\n");
  }

  rs::GrantRequest request_;
  StreamWords streams_;
  std::optional<std::string> expires_, purpose_;
};

}  // namespace

std::unique_ptr<Command> make_grant_create() { return std::make_unique<GrantCreate>(); }

}  // namespace ladder::cli
