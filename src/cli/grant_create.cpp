// ladder grant create: lets a client read some streams, fields, times or records. One grant per source, one token for all of
// them, shown once.
#include "base/format.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/stream_words.h"
#include "cli/visible_text.h"
#include "json/writer.h"

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
        "--since", "TIME", [this](const auto& text) { return streams_.since(text); },
        "only records from this time on; of the --stream before it");
    arguments.each_value(
        "--until", "TIME", [this](const auto& text) { return streams_.until(text); },
        "only records before this time; of the --stream before it");
    arguments.each_value(
        "--record", "KEY", [this](const auto& text) { return streams_.record(text); },
        "only this record; of the --stream before it; may be repeated");
    arguments.value("--expires", "TIME", expires_, "when the grant ends by itself");
    arguments.flag("--single-use", request_.single_use, "one token, at most 24 hours");
    arguments.value("--purpose", "URI", purpose_, "what it is for (default: https://pdpp.dev/purpose/agent_context)");
    arguments.example("ladder grant create --client assistant --stream notes:title,body");
    arguments.example(
        "LADDER_TOKEN=$(ladder grant create --client assistant --stream notes)     # only the token goes to stdout");
    arguments.example("ladder grant create --client assistant --stream mail-1/messages:subject,body --since 2026-01-01 \\");
    arguments.example("    --stream notes --record n1 --record n2 --expires 2027-01-01");
  }

  Result<int> run(Context& context) override {
    if (streams_.selections().empty()) {
      return fail(Code::kInvalidRequest, "a --stream is missing: say what may be read, e.g. --stream notes:title,body", "stream");
    }
    request_.streams = streams_.selections();
    request_.purpose_code = purpose_.value_or("");
    if (expires_) {
      LADDER_TRY(request_.expires_at, parse_time_word(*expires_, "expires"));
    }
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const rs::Access owner, session->owner());
    LADDER_TRY(const rs::IssuedGrants issued, session->server().create_grants(owner, request_));
    std::vector<std::string> covered;
    for (const std::string& id : issued.grant_ids) {
      const auto made = session->server().grant(owner, id);
      covered.push_back(made ? streams_of(made->grant) : "");  // the token is shown whatever happens
    }
    show(context.console, issued, covered);
    return kDone;
  }

 private:
  // "mail-gmail/messages, notes-home/notes"
  static std::string streams_of(const grant::Grant& grant) {
    std::string text;
    for (const grant::StreamGrant& stream : grant.streams) {
      for (const std::string& connection : stream.instance_ids)
        text += format("{}{}/{}", text.empty() ? "" : ", ", visible_label(connection), visible_label(stream.name));
    }
    return text;
  }

  static std::string as_json(const rs::IssuedGrants& issued) {
    json::Writer out;
    out.begin_object().key("grant_ids").begin_array();
    for (const std::string& id : issued.grant_ids) out.string(id);
    out.end_array().member("token", issued.token).end_object();
    return out.take() + "\n";
  }

  // The token is the result: LADDER_TOKEN=$(ladder grant create …) holds it and nothing else.
  void show(Console& console, const rs::IssuedGrants& issued, const std::vector<std::string>& covered) const {
    if (console.json()) return console.out(as_json(issued));
    std::string text = format("{} may read what was named, until the grant ends:\n", visible_label(request_.client_id));
    for (std::size_t i = 0; i < issued.grant_ids.size(); ++i) {
      const std::string& id = issued.grant_ids[i];
      text += format("  {}   {}   (ladder grant revoke {} ends it)\n", id, covered[i], id);
    }
    console.err(text + "Token (shown once, give it to the client only):\n");
    console.out(issued.token + "\n");
  }

  rs::GrantRequest request_;
  StreamWords streams_;
  std::optional<std::string> expires_, purpose_;
};

}  // namespace

std::unique_ptr<Command> make_grant_create() { return std::make_unique<GrantCreate>(); }

}  // namespace ladder::cli
