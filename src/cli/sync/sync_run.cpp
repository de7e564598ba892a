// ladder sync run and test: sync sources now, or only sign in to one.
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "cli/invocation/failure.h"
#include "cli/sync/sync_text.h"
#include "cli/terminal/progress.h"
#include "sync/folder_choice.h"

#include <algorithm>
#include <atomic>

namespace ladder::cli {
namespace {

class SyncRun final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.optional_word("NAME", name_, "the source (default: all that are not paused)");
    arguments.flag("--remove-missing", remove_missing_, "remove the records of missing messages, however many they are");
    arguments.example("ladder sync run");
    arguments.example("ladder sync run gmail");
  }

  Result<int> run(Context& context) override {
    const StopToken stop;
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    std::vector<sync::Source> sources;
    if (name_) {
      LADDER_TRY(sync::Source source, session->sync_store().find(owner, *name_));
      sources.push_back(std::move(source));
    } else {
      LADDER_TRY(sources, session->sync_store().list(owner));
      std::erase_if(sources, &sync::Source::paused);
      if (sources.empty()) return fail(Code::kNotFound, "there is no source to sync; `ladder sync add imap` adds a mail account");
    }
    app::SyncRunner runner = make_runner(context, *session);
    json::Writer out;
    out.begin_object().key("runs").begin_array();
    bool all = true;
    for (const sync::Source& source : sources) {
      auto report = run_one(context, runner, owner, source, stop.get());
      if (!report && report.error().code == Code::kCancelled) return fail(Code::kCancelled, "stopped; the next run continues");
      if (!report && sources.size() == 1) return std::unexpected(std::move(report).error());
      all = all && report && report->waiting_removals == 0;
      show(context, out, source, report);
    }
    out.end_array().end_object();
    if (context.console.json()) context.console.out(out.take() + "\n");
    return all ? kDone : kFailed;
  }

 private:
  Result<sync::RunReport> run_one(Context& context, app::SyncRunner& runner, const server::Access& owner,
                                  const sync::Source& source, const std::stop_token& stop) const {
    std::atomic<std::int64_t> fetched = 0;
    Progress progress(context.console, [&] { return format("{}: {} messages fetched", source.name, grouped(fetched)); });
    app::SyncClient client;
    auto report = runner.run(owner, source, client,
                             {remove_missing_, [&](const sync::RunReport& so_far) { fetched = so_far.fetched; }}, stop);
    if (client) client->log_out();
    return report;
  }

  static void show(Context& context, json::Writer& out, const sync::Source& source, const Result<sync::RunReport>& report) {
    if (!context.console.json()) {
      if (report) context.console.out(report_text(source.name, *report));
      else context.console.err(format("ladder: {}: {}\n", source.name, visible_label(report.error().message)));
      return;
    }
    out.begin_object().member("name", source.name);
    out.key(report ? "report" : "error");
    if (report) write(out, *report);
    else out.raw(error_json(report.error()));
    out.end_object();
  }

  std::optional<std::string> name_;
  bool remove_missing_ = false;
};

class SyncTest final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("NAME", name_, "the source");
    arguments.example("ladder sync test gmail");
  }

  Result<int> run(Context& context) override {
    const StopToken stop;
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const sync::Source source, session->sync_store().find(owner, name_));
    app::SyncRunner runner = make_runner(context, *session);
    LADDER_TRY(const app::SyncClient client, runner.connect(owner, source, stop.get()));
    LADDER_TRY(const auto all, client->list());
    LADDER_TRY(const auto chosen, sync::choose_folders(all, source.folders, client->is_gmail()));
    const bool pushes = client->has("IDLE");
    client->log_out();
    context.console.out(context.console.json() ? as_json(all, chosen, pushes)
                                               : as_text(context.console, source, all, chosen, pushes));
    return kDone;
  }

 private:
  static bool is_chosen(const std::vector<sync::imap::Mailbox>& chosen, const sync::imap::Mailbox& mailbox) {
    return std::ranges::find(chosen, mailbox.wire_name, &sync::imap::Mailbox::wire_name) != chosen.end();
  }

  static std::string as_text(const Console& console, const sync::Source& source, const std::vector<sync::imap::Mailbox>& all,
                             const std::vector<sync::imap::Mailbox>& chosen, bool pushes) {
    std::vector<std::vector<std::string>> rows = {{"FOLDER", "MESSAGES", "SYNCED"}};
    for (const sync::imap::Mailbox& mailbox : all) {
      rows.push_back({visible_label(mailbox.name),
                      mailbox.status ? grouped(static_cast<std::int64_t>(mailbox.status->messages)) : "-",
                      is_chosen(chosen, mailbox) ? "yes" : "no"});
    }
    const std::string push =
        pushes ? "The server announces new mail at once.\n"
               : format("The server does not announce new mail; Ladder checks every {}.\n", every_text(source.every_seconds));
    return format("Signed in to {} as {}.\n{}", source.server.host, visible_label(source.user), push) +
           table_or_lines(console, rows);
  }

  static std::string as_json(const std::vector<sync::imap::Mailbox>& all, const std::vector<sync::imap::Mailbox>& chosen,
                             bool pushes) {
    json::Writer out;
    out.begin_object().member("announces_new_mail", pushes).key("folders").begin_array();
    for (const sync::imap::Mailbox& mailbox : all) {
      out.begin_object().member("name", mailbox.name).member("synced", is_chosen(chosen, mailbox));
      if (mailbox.status) out.member("messages", static_cast<std::int64_t>(mailbox.status->messages));
      out.end_object();
    }
    out.end_array().end_object();
    return out.take() + "\n";
  }

  std::string name_;
};

}  // namespace

std::unique_ptr<Command> make_sync_run() { return std::make_unique<SyncRun>(); }
std::unique_ptr<Command> make_sync_test() { return std::make_unique<SyncTest>(); }

}  // namespace ladder::cli
