// ladder grant list: every grant of the owner, one line each.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/grant_view.h"
#include "cli/visible_text.h"

namespace ladder::cli {
namespace {

class GrantList final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.example("ladder grant list"); }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const rs::Access owner, session->owner());
    LADDER_TRY(const auto grants, session->server().grants(owner));
    context.console.out(context.console.json() ? as_json(grants) : as_text(grants));
    return kDone;
  }

 private:
  static std::string as_json(const std::vector<rs::GrantSummary>& grants) {
    json::Writer out;
    out.begin_object().key("grants").begin_array();
    for (const rs::GrantSummary& summary : grants) write_grant(out, summary);
    out.end_array().end_object();
    return out.take() + "\n";
  }

  static std::string as_text(const std::vector<rs::GrantSummary>& grants) {
    if (grants.empty()) return "There is no grant yet; ladder grant create makes one.\n";
    std::vector<std::vector<std::string>> rows = {{"GRANT", "STATUS", "ISSUED", "EXPIRES", "CLIENT", "STREAMS"}};
    for (const rs::GrantSummary& summary : grants) {
      std::string streams;
      for (const auto& stream : summary.grant.streams) streams += (streams.empty() ? "" : ", ") + visible_label(stream.name);
      rows.push_back({summary.grant.grant_id, summary.status, format_time(summary.grant.issued_at),
                      summary.grant.expires_at ? format_time(*summary.grant.expires_at) : "never",
                      visible_label(summary.grant.client_id), streams});
    }
    return table(rows);
  }
};

}  // namespace

std::unique_ptr<Command> make_grant_list() { return std::make_unique<GrantList>(); }

}  // namespace ladder::cli
