// ladder owner list, add, suspend, resume, limit, export, delete, move: run a store with many owners. These commands show names,
// dates, counts and limits, never a record. Only `owner list` names an owner who was not asked for.
#include "app/import/upload_folder.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/number.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/invocation/shipped_sources.h"
#include "cli/terminal/erasure_progress.h"
#include "json/writer.h"
#include "server/owner_move.h"

#include <unistd.h>

#include <array>
#include <iostream>

namespace ladder::cli {
namespace {

std::string state_of(const server::OwnerSummary& owner) {
  return owner.suspended_at ? "suspended since " + format_time(*owner.suspended_at) : "active";
}

std::string limit_text(std::int64_t limit) { return limit == 0 ? "no limit" : grouped(limit); }

void add_limits(json::Writer& out, const store::OwnerLimits& limits) {
  out.key("limits").begin_object();
  const auto add = [&](std::string_view name, std::int64_t limit) {
    if (limit > 0) out.member(name, limit);
  };
  add("records", limits.records);
  add("bytes", limits.bytes);
  add("requests_per_minute", limits.requests_per_minute);
  add("requests_at_once", limits.requests_at_once);
  out.end_object();
}

void add_owner(json::Writer& out, const server::OwnerSummary& owner) {
  out.begin_object().member("name", owner.name).member("created_at", format_time(owner.created_at));
  if (owner.suspended_at) out.member("suspended_at", format_time(*owner.suspended_at));
  out.member("records", owner.records);
  add_limits(out, owner.limits);
  out.end_object();
}

// A command about one owner, by name.
class OwnerCommand : public Command {
 protected:
  void declare_name(Arguments& arguments) { arguments.word("NAME", name_, "the owner; `ladder owner list` shows them"); }

  // Shows the owner after a change.
  static int show(Context& context, const server::OwnerSummary& owner, const std::string& done) {
    if (context.console.json()) {
      json::Writer out;
      add_owner(out, owner);
      context.console.out(out.take() + "\n");
    } else {
      context.console.out(format("{} {}\n", visible_label(owner.name), done));
    }
    return kDone;
  }

  std::string name_;
};

class OwnerList final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.example("ladder owner list"); }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const auto owners, session->server().operators().list());
    if (context.console.json()) {
      json::Writer out;
      out.begin_array();
      for (const server::OwnerSummary& owner : owners) add_owner(out, owner);
      context.console.out(out.end_array().take() + "\n");
      return kDone;
    }
    std::vector<std::vector<std::string>> rows = {{"OWNER", "RECORDS", "SINCE", "STATE"}};
    for (const server::OwnerSummary& owner : owners)
      rows.push_back({visible_label(owner.name), grouped(owner.records), format_time(owner.created_at), state_of(owner)});
    if (rows.size() == 1) context.console.err("The store has no owner; `ladder owner add NAME` adds one\n");
    else context.console.out(table_or_lines(context.console, rows));
    return kDone;
  }
};

class OwnerAdd final : public OwnerCommand {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("NAME", name_, "the name of the new owner");
    arguments.example("ladder owner add ann && ladder owner link --owner ann");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const auto owner, session->server().operators().add(name_));
    return show(context, owner, "was added; `ladder owner link` lets the owner sign in");
  }
};

class OwnerSuspend final : public OwnerCommand {
 public:
  void declare(Arguments& arguments) override {
    declare_name(arguments);
    arguments.example("ladder owner suspend ann");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_CHECK(session->server().operators().suspend(name_));
    LADDER_TRY(const auto owner, session->server().operators().find(name_));
    return show(context, owner, "has no access now: apps, the console, imports and syncs are refused. Nothing was deleted");
  }
};

class OwnerResume final : public OwnerCommand {
 public:
  void declare(Arguments& arguments) override {
    declare_name(arguments);
    arguments.example("ladder owner resume ann");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_CHECK(session->server().operators().resume(name_));
    LADDER_TRY(const auto owner, session->server().operators().find(name_));
    return show(context, owner, "has access again, with the same tokens and sessions");
  }
};

class OwnerLimit final : public OwnerCommand {
 public:
  void declare(Arguments& arguments) override {
    declare_name(arguments);
    for (Limit& limit : limits_) arguments.value(limit.flag, "N", limit.word, limit.help);
    arguments.example("ladder owner limit ann --records 1000000 --bytes 20000000000");
    arguments.example("ladder owner limit ann --requests-per-minute 600 --requests-at-once 8");
    arguments.example("ladder owner limit ann --records 0");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    server::Operators& operators = session->server().operators();
    LADDER_TRY(server::OwnerSummary owner, operators.find(name_));
    bool is_changed = false;
    for (const Limit& limit : limits_) {
      if (!limit.word) continue;
      const auto number = parse_number(*limit.word);
      if (!number || *number < 0)
        return fail(Code::kInvalidRequest, format("{} must be a number, or 0 for no limit", limit.flag), std::string(limit.flag));
      owner.limits.*limit.member = *number;
      is_changed = true;
    }
    if (is_changed) LADDER_CHECK(operators.set_limits(name_, owner.limits));
    LADDER_TRY(const store::OwnerUsage usage, operators.usage(name_));
    if (context.console.json()) {
      json::Writer out;
      out.begin_object().member("name", owner.name).member("records", usage.records).member("bytes", usage.bytes);
      add_limits(out, owner.limits);
      context.console.out(out.end_object().take() + "\n");
      return kDone;
    }
    std::vector<std::vector<std::string>> rows = {{"LIMIT", "ALLOWED", "USED"}};
    rows.push_back({"records", limit_text(owner.limits.records), grouped(usage.records)});
    rows.push_back({"bytes", limit_text(owner.limits.bytes), grouped(usage.bytes)});
    rows.push_back({"requests per minute", limit_text(owner.limits.requests_per_minute), ""});
    rows.push_back({"requests at once", limit_text(owner.limits.requests_at_once), ""});
    context.console.out(table_or_lines(context.console, rows));
    return kDone;
  }

 private:
  struct Limit {
    std::string_view flag, help;
    std::int64_t store::OwnerLimits::* member;
    std::optional<std::string> word = {};
  };
  std::array<Limit, 4> limits_ = {{
      {"--records", "stored records; 0: no limit", &store::OwnerLimits::records},
      {"--bytes", "stored bytes, with files and the word index; 0: no limit", &store::OwnerLimits::bytes},
      {"--requests-per-minute", "of all apps of the owner, for each server process; 0: no limit",
       &store::OwnerLimits::requests_per_minute},
      {"--requests-at-once", "of all apps of the owner, for each server process; 0: no limit",
       &store::OwnerLimits::requests_at_once},
  }};
};

class OwnerExport final : public OwnerCommand {
 public:
  void declare(Arguments& arguments) override {
    declare_name(arguments);
    arguments.example("ladder owner export ann ~/ann-2026-11-15");
    export_->declare(arguments);
  }

  Result<int> run(Context& context) override {
    Settings settings = context.settings;
    settings.owner = name_;
    Context of_owner(context.console, settings, context.version, context.environment);
    return export_->run(of_owner);
  }

 private:
  const std::unique_ptr<Command> export_ = make_export();
};

class OwnerDelete final : public OwnerCommand {
 public:
  void declare(Arguments& arguments) override {
    declare_name(arguments);
    arguments.flag("--yes", yes_, "do not ask for confirmation; required without a terminal");
    arguments.example("ladder owner export ann ~/ann && ladder owner delete ann");
    arguments.example("ladder owner delete ann --yes");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const auto owner, session->server().operators().find(name_));
    if (!yes_) {
      LADDER_TRY(const bool agreed, ask(context, owner));
      if (!agreed) {
        context.console.err("ladder: nothing was deleted\n");
        return kFailed;
      }
    }
    const app::StopSignal stop;
    ErasureProgress progress(context.console, stop);
    auto deleted = session->server().operators().erase(name_, progress);
    progress.finish();
    if (!deleted && deleted.error().code == Code::kCancelled) {
      context.console.err(format("ladder: {}: {}\n", visible_label(name_), deleted.error().message));
      return kFailed;
    }
    if (!deleted) return std::unexpected(deleted.error());
    const std::int64_t uploads = remove_uploads(context.settings);
    context.console.out(context.console.json() ? as_json(*deleted, uploads) : as_text(*deleted, uploads));
    return kDone;
  }

 private:
  Result<bool> ask(const Context& context, const server::OwnerSummary& owner) const {
    if (::isatty(STDIN_FILENO) != 1 || !context.console.err_is_terminal() || context.console.json()) {
      return fail(Code::kInvalidRequest,
                  format("deleting {} cannot be undone; without a terminal, add --yes to confirm", shell_word(name_)), "yes");
    }
    context.console.err(
        format("{} has {} records. Deleting the owner and all of its data cannot be undone; `ladder owner export` makes a copy.\n"
               "Type the name to delete it permanently: ",
               visible_label(name_), grouped(owner.records)));
    std::string answer;
    if (std::getline(std::cin, answer)) return answer == name_;
    context.console.err("\n");  // the input ended without a newline after the prompt
    return false;
  }

  // Removes the owner's files on this machine that were dropped on the console and never imported.
  std::int64_t remove_uploads(const Settings& settings) const {
    const app::UploadFolder uploads(work_folder(settings, "uploads"));
    std::int64_t removed = 0;
    for (const app::UploadFolder::Kept& upload : uploads.kept()) {
      if (upload.owner != name_) continue;
      uploads.remove(upload.id);
      ++removed;
    }
    return removed;
  }

  std::string as_json(const server::OwnerDeletion& deletion, std::int64_t uploads) const {
    json::Writer out;
    out.begin_object().member("name", name_).member("records_deleted", deletion.records);
    out.member("tables_checked", deletion.tables).member("rows_left", std::int64_t{0}).member("uploads_deleted", uploads);
    out.member("bytes_freed", deletion.bytes_freed).optional_member("space_kept", deletion.space_kept);
    return out.member("complete", deletion.swept).end_object().take() + "\n";
  }

  std::string as_text(const server::OwnerDeletion& deletion, std::int64_t uploads) const {
    std::string text = format("Deleted {}: {} records; {} MB of disk space were freed.\n", visible_label(name_),
                              grouped(deletion.records), grouped(deletion.bytes_freed / 1'000'000));
    text += format("Checked {} tables: none has a row of the owner.\n", deletion.tables);
    if (uploads > 0) text += format("Deleted {} uploads that were not imported.\n", grouped(uploads));
    if (!deletion.space_kept.empty())
      text += format("The space stays reserved in the store for new data: {}\n", deletion.space_kept);
    if (!deletion.swept) {
      text +=
          "Another program was reading the whole time, so the store's log may still contain some deleted bytes; the next "
          "sweep removes them.\n";
    }
    return text + "Backups made before still contain the owner.\n";
  }

  bool yes_ = false;
};

class OwnerMoveCommand final : public OwnerCommand {
 public:
  void declare(Arguments& arguments) override {
    declare_name(arguments);
    arguments.required_value("--to", "DB", to_, "the other store: a path or postgres://…; `ladder init` creates it");
    arguments.example("ladder owner move ann --to postgres://ladder@db.example/ladder");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    Settings settings = context.settings;
    settings.location = with_home(to_, context.environment);
    if (settings.location == context.settings.location)
      return fail(Code::kInvalidRequest, "--to must name another store than --db", "to");
    LADDER_TRY(const auto target, Session::open(settings));
    const app::StopSignal stop;
    MoveProgress progress(context.console, stop);
    auto moved = server::move_owner(session->server(), target->server(), name_, progress);
    progress.finish();
    if (!moved && moved.error().code == Code::kCancelled) {
      context.console.err(format("ladder: {}: {}\n", visible_label(name_), moved.error().message));
      return kFailed;
    }
    if (!moved) return std::unexpected(moved.error());
    LADDER_TRY(const server::Access there, target->server().accesses().local_owner(name_));
    LADDER_CHECK(finish_indexes(*target, there, context.console));
    context.console.out(context.console.json() ? as_json(*moved) : as_text(*moved));
    return kDone;
  }

 private:
  class MoveProgress final : public server::MoveObserver {
   public:
    MoveProgress(Console& console, const app::StopSignal& stop) : progress_(console, stop), console_(console), stop_(stop) {}
    void copied(std::int64_t records) override { progress_.show(format("{} records copied", grouped(records))); }
    void suspending() override {
      progress_.finish();
      console_.err("ladder: the owner is suspended while the last changes are copied\n");
    }
    bool wants_stop() override { return stop_.requested(); }
    void finish() const { progress_.finish(); }

   private:
    ErasureProgress progress_;
    Console& console_;
    const app::StopSignal& stop_;
  };

  std::string as_json(const server::OwnerMove& moved) const {
    json::Writer out;
    out.begin_object().member("name", name_).member("records", moved.records).member("records_copied_again", moved.copied_again);
    out.member("blobs", moved.blobs).member("grants", moved.grants).member("tokens", moved.tokens);
    out.member("copying_ms", static_cast<std::int64_t>(moved.copying.count()));
    return out.member("suspended_ms", static_cast<std::int64_t>(moved.suspended.count())).end_object().take() + "\n";
  }

  std::string as_text(const server::OwnerMove& moved) const {
    const std::string name = visible_label(name_);
    return format(
        "Moved {0}: {1} records, {2} files, {3} grants and {4} tokens. Copying took {5} s while the owner was served; then the "
        "owner was without access for {6} ms.\n"
        "The new store serves {0} from now on. The old one keeps the data, suspended: `ladder owner delete {7}` removes it "
        "there.\n"
        "Not moved: the activity, sign-in, connected apps that renew their tokens, synced accounts, and reports of imports.\n",
        name, grouped(moved.records), grouped(moved.blobs), grouped(moved.grants), grouped(moved.tokens),
        moved.copying.count() / 1000, grouped(moved.suspended.count()), shell_word(name_));
  }

  std::string to_;
};

}  // namespace

std::unique_ptr<Command> make_owner_list() { return std::make_unique<OwnerList>(); }
std::unique_ptr<Command> make_owner_add() { return std::make_unique<OwnerAdd>(); }
std::unique_ptr<Command> make_owner_suspend() { return std::make_unique<OwnerSuspend>(); }
std::unique_ptr<Command> make_owner_resume() { return std::make_unique<OwnerResume>(); }
std::unique_ptr<Command> make_owner_limit() { return std::make_unique<OwnerLimit>(); }
std::unique_ptr<Command> make_owner_export() { return std::make_unique<OwnerExport>(); }
std::unique_ptr<Command> make_owner_delete() { return std::make_unique<OwnerDelete>(); }
std::unique_ptr<Command> make_owner_move() { return std::make_unique<OwnerMoveCommand>(); }

}  // namespace ladder::cli
