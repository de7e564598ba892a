// ladder routes (hidden): the tables of routes as docs/rest.md holds them, made from rest/routes.cpp.
#include "rest/routes.h"

#include "cli/command.h"
#include "cli/exit_code.h"

namespace ladder::cli {
namespace {

class Routes final : public Command {
 public:
  void declare(Arguments&) override {}

  Result<int> run(Context& context) override {
    context.console.out(rest::route_tables(rest::routes(http::Placement::kHere)));
    return kDone;
  }
};

}  // namespace

std::unique_ptr<Command> make_routes() { return std::make_unique<Routes>(); }

}  // namespace ladder::cli
