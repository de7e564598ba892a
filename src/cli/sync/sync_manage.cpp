// ladder sync list, pause, resume, password and remove.
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "cli/flags/time_words.h"
#include "cli/invocation/failure.h"
#include "cli/sync/secret_flags.h"
#include "cli/sync/sync_text.h"

namespace ladder::cli {
namespace {

class SyncList final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.example("ladder sync list"); }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const auto sources, session->sync_store().list(owner));
    const Instant now = session->sync_store().now();
    json::Writer out;
    out.begin_object().key("sources").begin_array();
    std::vector<std::vector<std::string>> rows = {{"NAME", "STATE", "MESSAGES", "LAST SYNC", "EVERY", "CONNECTION", "ACCOUNT"}};
    std::string problems;
    for (const sync::Source& source : sources) {
      LADDER_TRY(const sync::SourceStatus status, session->sync_store().status(owner, source.name));
      write(out, source, status, now);
      rows.push_back({source.name, state_word(source, status, now), grouped(status.messages),
                      status.succeeded_at > 0 ? short_time(status.succeeded_at) : "never", every_text(source.every_seconds),
                      source.connection, visible_label(sync::place_of(source))});
      problems += problem_of(source, status);
    }
    out.end_array().end_object();
    if (context.console.json()) context.console.out(out.take() + "\n");
    else if (sources.empty())
      context.console.out("No source is synced yet; `ladder sync add imap NAME --user ADDRESS` adds a mail account.\n");
    else context.console.out(table_or_lines(context.console, rows) + problems);
    return kDone;
  }

 private:
  static std::string problem_of(const sync::Source& source, const sync::SourceStatus& status) {
    if (status.failures > 0)
      return format("{}: failed {} time{} in a row: {}; the next try is at {}\n", source.name, status.failures,
                    status.failures == 1 ? "" : "s", visible_label(status.error), short_time(status.due_at));
    if (status.waiting_removals > 0)
      return format(
          "{}: {} messages are no longer in the synced folders; `ladder sync run {} --remove-missing` removes them here too\n",
          source.name, grouped(status.waiting_removals), source.name);
    return {};
  }
};

// Pauses or resumes a source.
class SyncSwitch final : public Command {
 public:
  explicit SyncSwitch(bool pause) : pause_(pause) {}
  void declare(Arguments& arguments) override {
    arguments.word("NAME", name_, "the source");
    arguments.example(pause_ ? "ladder sync pause gmail" : "ladder sync resume gmail");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_CHECK(session->sync_store().set_paused(owner, name_, pause_));
    context.console.err(format("{} is {}\n", name_, pause_ ? "paused; its records stay" : "synced again"));
    return kDone;
  }

 private:
  bool pause_;
  std::string name_;
};

class SyncPassword final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("NAME", name_, "the source");
    secret_.declare(arguments);
    arguments.example("ladder sync password gmail");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(sync::Source source, session->sync_store().find(owner, name_));
    if (!sync::has_secret(source.kind)) return fail(Code::kInvalidRequest, format("{} needs no password", name_), "NAME");
    LADDER_TRY(const std::string secret, secret_.read(context.console, source));
    LADDER_CHECK(session->sync_store().set_secret(owner, source, secret));
    context.console.err(format("The password of {0} is set; `ladder sync test {0}` tries it\n", name_));
    return kDone;
  }

 private:
  std::string name_;
  SecretFlags secret_;
};

class SyncRemove final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("NAME", name_, "the source");
    arguments.example("ladder sync remove gmail");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const sync::Source source, session->sync_store().find(owner, name_));
    LADDER_CHECK(make_runner(context, *session).remove(owner, name_));
    const std::string password = sync::has_secret(source.kind) ? ", and its password is deleted" : "";
    const std::string records =
        source.connection.empty()
            ? std::string("its records stay")
            : format("its records stay in the connection {0} (`ladder erase {0}` deletes them)", shell_word(source.connection));
    context.console.err(format("{} is no longer synced{}; {}\n", name_, password, records));
    return kDone;
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Command> make_sync_list() { return std::make_unique<SyncList>(); }
std::unique_ptr<Command> make_sync_pause() { return std::make_unique<SyncSwitch>(true); }
std::unique_ptr<Command> make_sync_resume() { return std::make_unique<SyncSwitch>(false); }
std::unique_ptr<Command> make_sync_password() { return std::make_unique<SyncPassword>(); }
std::unique_ptr<Command> make_sync_remove() { return std::make_unique<SyncRemove>(); }

}  // namespace ladder::cli
