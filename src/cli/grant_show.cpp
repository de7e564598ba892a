// ladder grant show: what one grant allows, and whether it stands.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/grant_view.h"

namespace ladder::cli {
namespace {

class GrantShow final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("ID", id_, "the grant");
    arguments.example("ladder grant show grt_0123456789abcdef");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const rs::Access owner, session->owner());
    LADDER_TRY(const rs::GrantSummary summary, session->server().grant(owner, id_));
    show_grant(context.console, summary);
    return kDone;
  }

 private:
  std::string id_;
};

}  // namespace

std::unique_ptr<Command> make_grant_show() { return std::make_unique<GrantShow>(); }

}  // namespace ladder::cli
