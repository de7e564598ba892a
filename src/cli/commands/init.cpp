// ladder init: creates or upgrades the store, and creates the owner if needed.
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/invocation/shipped_sources.h"
#include "json/writer.h"
#include "store/engines/upgrade.h"

namespace ladder::cli {
namespace {

// Announces the upgrade of a store with an older schema. Errors are reported later, when the store is opened.
void show_plan(Context& context) {
  const auto plan = store::plan_upgrade(context.settings.location);
  if (!plan || !plan->anything()) return;
  std::string text;
  if (!plan->steps.empty()) {
    text += format("ladder: upgrading the store from schema {} to {}, in steps that can be interrupted:\n", plan->from, plan->to);
    for (const store::UpgradeStep& step : plan->steps) text += format("  {}: {}; {}\n", step.schema, step.what, step.wait);
  }
  if (plan->rebuilds_word_index)
    text += "ladder: the word index is rebuilt from the records with newer rules, a few records at a time\n";
  context.console.err(text);
}

class Init final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.example("ladder init");
    arguments.example("ladder init --db /srv/ladder/ladder.db --owner alice");
    arguments.example("ladder init --db postgres://ladder@db.example/ladder");
  }

  Result<int> run(Context& context) override {
    show_plan(context);
    LADDER_TRY(const auto session, Session::create(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    // The store is usable without this; new grants need it.
    if (const Status renewed = renew_shipped_sources(context, *session, owner, app::StopSignal()); !renewed)
      context.console.err(format("ladder: declarations could not be updated: {}\n", renewed.error().message));
    LADDER_CHECK(finish_indexes(*session, owner, context.console));
    const std::string place = shown_location(context.settings.location);
    if (context.console.json()) {
      json::Writer out;
      out.begin_object().member("db", visible_text(place).text).member("engine", session->engine());
      out.member("owner", context.settings.owner).end_object();
      context.console.out(out.take() + "\n");
    } else {
      context.console.out(format("The store is ready: {} ({}), owner {}\n", visible_label(place), session->engine(),
                                 visible_label(context.settings.owner)));
      const std::string flags = context.store_flags();
      context.console.out(format("\nNext: ladder import PATH{}   imports mail, chats, notes and files\n", flags));
    }
    return kDone;
  }
};

}  // namespace

std::unique_ptr<Command> make_init() { return std::make_unique<Init>(); }

}  // namespace ladder::cli
