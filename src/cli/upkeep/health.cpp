// ladder health: checks whether a running server and its store respond, for container health checks and for people.
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/upkeep/running_server.h"
#include "json/writer.h"

namespace ladder::cli {
namespace {

constexpr std::string_view kDefaultUrl = "http://127.0.0.1:7663";

class Health final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.optional_word("URL", url_, "the server's address (default: http://127.0.0.1:7663)");
    arguments.value("--ca", "FILE", ca_file_, "PEM certificates to trust for https:// (default: the system's)");
    arguments.example("ladder health");
    arguments.example("ladder health https://data.example");
  }

  Result<int> run(Context& context) override {
    const std::string url = url_.value_or(std::string(kDefaultUrl));
    LADDER_TRY(const ServerState state, ask_server(url, ca_file_.value_or("")));
    if (context.console.json()) {
      json::Writer out;
      out.begin_object().member("url", url).member("ready", state.ready).member("status", state.text).end_object();
      context.console.out(out.take() + "\n");
    } else {
      context.console.out(format("{}: {}\n", visible_label(url), visible_label(state.text)));
    }
    return state.ready ? kDone : kFailed;
  }

 private:
  std::optional<std::string> url_, ca_file_;
};

}  // namespace

std::unique_ptr<Command> make_health() { return std::make_unique<Health>(); }

}  // namespace ladder::cli
