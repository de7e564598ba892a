// ladder grant revoke: ends grants at once, in every process that serves the store.
#include "base/format.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/grant_view.h"
#include "cli/visible_text.h"
#include "rest/render.h"

#include <algorithm>

namespace ladder::cli {
namespace {

class GrantRevoke final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.any_words("ID", ids_, "the grants");
    arguments.value("--client", "NAME", client_, "every grant of this client that stands");
    arguments.example("ladder grant revoke grt_0123456789abcdef");
    arguments.example("ladder grant revoke grt_0123456789abcdef grt_fedcba9876543210");
    arguments.example("ladder grant revoke --client assistant");
  }

  Result<int> run(Context& context) override {
    if (ids_.empty() && !client_) {
      return fail(Code::kInvalidRequest, "say what ends: the ids of grants, or --client NAME; `ladder grant list` shows them",
                  "ID");
    }
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const rs::Access owner, session->owner());
    if (ids_.size() == 1 && !client_) {
      LADDER_TRY(const rs::GrantSummary summary, session->server().revoke_grant(owner, ids_.front()));
      show_grant(context.console, summary);
      return kDone;
    }
    // Ends every grant that can be ended before an error is told.
    Status first;
    std::vector<rs::GrantSummary> revoked;
    const auto revoke = [&](const std::string& id) {
      auto summary = session->server().revoke_grant(owner, id);
      if (summary) revoked.push_back(*std::move(summary));
      else if (first) first = std::unexpected(std::move(summary).error());
    };
    std::ranges::for_each(ids_, revoke);
    if (client_) {
      auto ids = standing_of(*session, owner);
      if (ids) std::ranges::for_each(*ids, revoke);
      else if (first) first = std::unexpected(std::move(ids).error());
    }
    context.console.out(context.console.json() && first ? rest::render_grants(revoked) + "\n"
                                                        : as_text(context.console, revoked));
    LADDER_CHECK(first);
    return kDone;
  }

 private:
  Result<std::vector<std::string>> standing_of(Session& session, const rs::Access& owner) const {
    LADDER_TRY(const auto grants, session.server().grants(owner));
    std::vector<std::string> ids;
    std::string others;
    for (const rs::GrantSummary& summary : grants) {
      if (summary.status != "active") continue;
      if (summary.grant.client_id == *client_) ids.push_back(summary.grant.grant_id);
      else if (others.find("'" + summary.grant.client_id + "'") == std::string::npos)
        others += (others.empty() ? "'" : ", '") + summary.grant.client_id + "'";
    }
    if (!ids.empty()) return ids;
    return fail(Code::kNotFound,
                format("client '{}' has no grant that stands; {}", visible_label(*client_),
                       others.empty() ? "no client has one" : "there are grants of " + visible_label(others)),
                "client");
  }

  // With --json an error is the one object that is written, so what was done before it is told on standard error alone.
  static std::string as_text(Console& console, const std::vector<rs::GrantSummary>& revoked) {
    std::string text;
    for (const rs::GrantSummary& summary : revoked)
      text += format("{} of {} is revoked\n", summary.grant.grant_id, visible_label(summary.grant.client_id));
    if (!console.json()) return text;
    console.err(text);
    return {};
  }

  std::vector<std::string> ids_;
  std::optional<std::string> client_;
};

}  // namespace

std::unique_ptr<Command> make_grant_revoke() { return std::make_unique<GrantRevoke>(); }

}  // namespace ladder::cli
