// ladder connection show: one connection and how many records each of its streams holds.
#include "cli/command.h"
#include "cli/connection_view.h"
#include "cli/exit_code.h"

namespace ladder::cli {
namespace {

class ConnectionShow final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("ID", id_, "the connection");
    arguments.example("ladder connection show notes-home");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const rs::Access owner, session->owner());
    LADDER_TRY(const rs::ConnectionSummary connection, session->server().connection(owner, id_));
    if (context.console.json()) {
      json::Writer out;
      write_connection(out, connection);
      context.console.out(out.take() + "\n");
    } else {
      context.console.out(connection_text(connection));
    }
    return kDone;
  }

 private:
  std::string id_;
};

}  // namespace

std::unique_ptr<Command> make_connection_show() { return std::make_unique<ConnectionShow>(); }

}  // namespace ladder::cli
