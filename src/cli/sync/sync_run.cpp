// ladder sync run and test: sync sources now, or only sign in to one.
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "cli/invocation/failure.h"
#include "cli/sync/sync_text.h"
#include "cli/terminal/progress.h"

#include <algorithm>
#include <atomic>
#include <limits>

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
                             {remove_missing_ ? std::numeric_limits<std::int64_t>::max() : 0,
                              [&](const sync::RunReport& so_far) { fetched = so_far.fetched; }},
                             stop);
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
    LADDER_TRY(const app::SourceTest found, runner.test(owner, source, std::nullopt, stop.get()));
    context.console.out(context.console.json() ? as_json(found) : as_text(context.console, source, found));
    return kDone;
  }

 private:
  static std::string as_text(const Console& console, const sync::Source& source, const app::SourceTest& found) {
    std::vector<std::vector<std::string>> rows = {{"FOLDER", "MESSAGES", "SYNCED"}};
    for (const app::SourceTest::Folder& folder : found.folders)
      rows.push_back(
          {visible_label(folder.name), folder.messages ? grouped(*folder.messages) : "-", folder.is_synced ? "yes" : "no"});
    const std::string push = found.announces ? "The server announces new mail at once.\n"
                                             : format("The server does not announce new mail; Ladder checks every {}.\n",
                                                      every_text(source.every_seconds));
    const std::string found_text = sync::has_secret(source.kind)
                                       ? format("Signed in: {}.\n{}", visible_label(sync::place_of(source)), push)
                                       : format("Found {}.\n", visible_label(sync::place_of(source)));
    if (!sync::has_folders(source.kind)) return found_text;
    return found_text + table_or_lines(console, rows);
  }

  static std::string as_json(const app::SourceTest& found) {
    json::Writer out;
    out.begin_object().member("announces_new_mail", found.announces).key("folders").begin_array();
    for (const app::SourceTest::Folder& folder : found.folders) {
      out.begin_object().member("name", folder.name).member("synced", folder.is_synced);
      if (folder.messages) out.member("messages", *folder.messages);
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
