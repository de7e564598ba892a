// ladder client add: registers a client that can neither register itself nor be looked up, with an id chosen by the
// owner and its redirect URIs. It replaces a client with the same id. The client gets no access until it asks for it.
#include "auth/authorization.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "json/writer.h"

namespace ladder::cli {
namespace {

class ClientAdd final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("ID", id_, "the client_id that it sends");
    arguments.each_value(
        "--redirect", "URI",
        [this](const std::string& uri) -> Status {
          redirects_.push_back(uri);
          return {};
        },
        "its redirect URI: https, http on loopback (any port), or a custom scheme; may be repeated");
    arguments.value("--name", "NAME", name_, "its name on the pages");
    arguments.example("ladder client add my-agent --redirect http://127.0.0.1/callback");
    arguments.example("ladder client add my-agent --redirect https://agent.example/back --name 'My agent'");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_CHECK(session->authorization().clients().enter(id_, name_.value_or(""), redirects_));
    if (context.console.json()) {
      json::Writer out;
      out.begin_object().member("client_id", id_).member("redirect_uris", redirects_).end_object();
      context.console.out(out.take() + "\n");
      return kDone;
    }
    context.console.out(format("{} can now request access; it has none yet\n", visible_label(id_)));
    return kDone;
  }

 private:
  std::string id_;
  std::vector<std::string> redirects_;
  std::optional<std::string> name_;
};

}  // namespace

std::unique_ptr<Command> make_client_add() { return std::make_unique<ClientAdd>(); }

}  // namespace ladder::cli
