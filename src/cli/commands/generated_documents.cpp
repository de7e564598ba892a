// ladder errors (hidden): prints the error table of docs/errors.md, generated from base/error/error.h.
#include "base/text/format.h"
#include "cli/app/command.h"
#include "cli/app/failure.h"
#include "rest/routes.h"

namespace ladder::cli {
namespace {

constexpr std::string_view kHead =
    "# Errors\n"
    "\n"
    "Made by `ladder errors` from `src/base/error/error.h`; `./dev lint` and a test hold it current. Do not edit it by hand.\n"
    "\n"
    "Every face of Ladder speaks these codes. The command line ends with the exit code of the last column; with `--json` it "
    "prints\n"
    "`{\"error\":{\"code\",\"message\",\"param\"?,\"http_status\",…}}`.\n"
    "\n"
    "| code | HTTP | meaning | exit |\n"
    "|---|---|---|---|\n";

class Errors final : public Command {
 public:
  void declare(Arguments&) override {}

  Result<int> run(Context& context) override {
    std::string page(kHead);
    for (const CodeInfo& entry : all_codes()) {
      page += format("| `{}` | {} | {} | {} |\n", entry.wire, entry.http_status, entry.meaning, exit_code(entry.code));
    }
    context.console.out(page);
    return kDone;
  }
};

}  // namespace

std::unique_ptr<Command> make_errors() { return std::make_unique<Errors>(); }

// ladder routes (hidden): prints the route tables of docs/rest.md, generated from rest/routes.cpp.

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
