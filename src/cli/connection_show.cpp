// ladder connection show: one connection, how many records each of its streams holds, and the account of every import into it.
#include "base/format.h"
#include "cli/command.h"
#include "cli/connection_view.h"
#include "cli/exit_code.h"
#include "cli/import_account.h"
#include "cli/visible_text.h"

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
    LADDER_TRY(const auto imports, session->server().imports(owner, id_));
    context.console.out(context.console.json() ? as_json(connection, imports) : as_text(connection, imports));
    return kDone;
  }

 private:
  static std::string as_json(const rs::ConnectionSummary& connection, const std::vector<store::ImportRow>& imports) {
    json::Writer out;
    write_connection(out, connection);
    std::string text = out.take();
    text.pop_back();  // the closing brace
    text += ",\"imports\":[";
    for (const store::ImportRow& import : imports) text += (text.ends_with('[') ? "" : ",") + import.body;
    return text + "]}\n";
  }

  static std::string as_text(const rs::ConnectionSummary& connection, const std::vector<store::ImportRow>& imports) {
    std::string text = connection_text(connection);
    for (const store::ImportRow& import : imports) {
      const auto account = read_account(import.body);
      if (!account) continue;
      text += format("\nimported {}: {} ({}){}\n{}", format_time(import.kept_at), visible_label(account->what),
                     visible_label(account->file), account->position.empty() ? "" : ", not finished: run the same import again",
                     account_text(*account, kShownLosses));
    }
    return text;
  }

  static constexpr std::size_t kShownLosses = 10;
  std::string id_;
};

}  // namespace

std::unique_ptr<Command> make_connection_show() { return std::make_unique<ConnectionShow>(); }

}  // namespace ladder::cli
