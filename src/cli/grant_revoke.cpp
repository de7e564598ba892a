// ladder grant revoke: ends a grant at once, in every process that serves the store.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/grant_view.h"

namespace ladder::cli {
namespace {

class GrantRevoke final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("ID", id_, "the grant");
    arguments.example("ladder grant revoke gr_0123456789abcdef");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const rs::Access owner, session->owner());
    LADDER_TRY(const rs::GrantSummary summary, session->server().revoke_grant(owner, id_));
    show_grant(context.console, summary);
    return kDone;
  }

 private:
  std::string id_;
};

}  // namespace

std::unique_ptr<Command> make_grant_revoke() { return std::make_unique<GrantRevoke>(); }

}  // namespace ladder::cli
