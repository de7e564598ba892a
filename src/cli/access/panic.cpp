// ladder panic: revokes every client's access immediately, in every process that serves the store. Only new grants
// undo it.
#include "auth/authorization.h"
#include "base/text/format.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "json/writer.h"

namespace ladder::cli {
namespace {

class Panic final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.example("ladder panic"); }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const std::int64_t ended, session->authorization().client_access().revoke_everything(owner));
    if (context.console.json()) {
      json::Writer out;
      out.begin_object().member("ended_grants", ended).end_object();
      context.console.out(out.take() + "\n");
    } else {
      context.console.out(format("{} revoked: no client can read anything. To undo this, create new grants.\n",
                                 ended == 1 ? "1 grant" : format("{} grants", ended)));
    }
    return kDone;
  }
};

}  // namespace

std::unique_ptr<Command> make_panic() { return std::make_unique<Panic>(); }

}  // namespace ladder::cli
