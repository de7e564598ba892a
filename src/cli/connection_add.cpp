// ladder connection add: a configured account of a source.
#include "base/format.h"
#include "cli/command.h"
#include "cli/connection_view.h"
#include "cli/exit_code.h"

namespace ladder::cli {
namespace {

class ConnectionAdd final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("KEY", source_key_, "the source's key, as source add printed it");
    arguments.value("--name", "NAME", name_, "a label for people");
    arguments.value("--id", "ID", id_, "the connection's id (default: a new random one)");
    arguments.example("ladder connection add notes --name \"My notes\"");
    arguments.example("ladder connection add notes --id notes-home");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const rs::Access owner, session->owner());
    LADDER_TRY(const rs::ConnectionSummary added,
               session->server().add_connection(owner, source_key_, name_.value_or(""), id_.value_or("")));
    if (context.console.json()) {
      json::Writer out;
      write_connection(out, added);
      context.console.out(out.take() + "\n");
    } else {
      context.console.out(connection_text(added) + next_step(added));
    }
    return kDone;
  }

 private:
  static std::string next_step(const rs::ConnectionSummary& added) {
    const std::string stream = added.streams.empty() ? "STREAM" : added.streams.front().stream;
    return format("Next: ladder ingest --connection {} --stream {} FILE\n", added.connection_id, stream);
  }

  std::string source_key_;
  std::optional<std::string> name_, id_;
};

}  // namespace

std::unique_ptr<Command> make_connection_add() { return std::make_unique<ConnectionAdd>(); }

}  // namespace ladder::cli
