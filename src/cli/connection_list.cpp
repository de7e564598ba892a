// ladder connection list: every connection of the owner, one line each.
#include "cli/command.h"
#include "cli/connection_view.h"
#include "cli/exit_code.h"
#include "cli/visible_text.h"

namespace ladder::cli {
namespace {

class ConnectionList final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.example("ladder connection list"); }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const rs::Access owner, session->owner());
    LADDER_TRY(const auto connections, session->server().connections(owner));
    context.console.out(context.console.json() ? as_json(connections) : as_text(connections));
    return kDone;
  }

 private:
  static std::string as_json(const std::vector<rs::ConnectionSummary>& connections) {
    json::Writer out;
    out.begin_object().key("connections").begin_array();
    for (const auto& connection : connections) write_connection(out, connection);
    out.end_array().end_object();
    return out.take() + "\n";
  }

  static std::string as_text(const std::vector<rs::ConnectionSummary>& connections) {
    if (connections.empty()) return "There is no connection yet; ladder connection add KEY makes one.\n";
    std::vector<std::vector<std::string>> rows = {{"CONNECTION", "SOURCE", "STATUS", "RECORDS", "NAME"}};
    for (const auto& connection : connections) {
      rows.push_back({connection.connection_id, connection.source_key, connection.status, grouped(record_count(connection)),
                      visible_label(connection.display_name)});
    }
    return table(rows);
  }
};

}  // namespace

std::unique_ptr<Command> make_connection_list() { return std::make_unique<ConnectionList>(); }

}  // namespace ladder::cli
