// ladder connection merge: moves the records of one connection into another one of the same source, and erases the first.
#include "app/stop_signal.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "cli/invocation/client_names.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/console.h"
#include "json/writer.h"

#include <unistd.h>

#include <iostream>
#include <string>

namespace ladder::cli {
namespace {

class MergeProgress final : public server::MergeObserver {
 public:
  MergeProgress(Console& console, const app::StopSignal& stop) : console_(console), stop_(stop) {}

  void copied(std::int64_t records) override { say(format("{} records copied", grouped(records))); }
  void erased(std::int64_t records) override { say(format("{} old copies erased", grouped(records))); }
  void compacting() override { say("freeing disk space"); }
  bool wants_stop() override { return stop_.requested(); }
  void finish() const {
    if (console_.err_is_terminal()) console_.err("\r\x1b[K");
  }

 private:
  void say(const std::string& line) const {
    if (console_.err_is_terminal()) console_.err("\r\x1b[K" + line);
  }

  Console& console_;
  const app::StopSignal& stop_;
};

void write_counts(json::Writer& out, const server::MergeCounts& counts) {
  out.member("added", counts.added).member("replaced", counts.replaced).member("same", counts.same);
  out.member("kept", counts.kept).member("left_out", counts.left_out);
}

std::string counts_text(const server::MergeCounts& counts) {
  std::vector<std::vector<std::string>> rows;
  const auto row = [&](std::int64_t count, std::string text) {
    if (count > 0) rows.push_back({grouped(count), std::move(text)});
  };
  row(counts.added, "only in the merged connection: kept");
  row(counts.same, "the same in both: one copy is kept");
  row(counts.replaced, "newer in the merged connection: replace the older version");
  row(counts.kept, "newer in the other connection: that version is kept");
  row(counts.left_out, "deleted by you in the other connection: left out");
  if (!counts.is_complete) return "There are too many records to compare them now; of each one, the newer version is kept.\n";
  return rows.empty() ? "The connection has no records.\n" : table(rows);
}

class ConnectionMerge final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("FROM", from_, "the connection that ends");
    arguments.word("INTO", into_, "the connection that gets its records; of the same source");
    arguments.flag("--dry-run", dry_run_, "show what would change, and change nothing");
    arguments.flag("--yes", yes_, "do not ask for confirmation; required without a terminal");
    arguments.example("ladder connection merge mail mail-work --dry-run");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    server::Merges& merges = session->server().merges();
    LADDER_TRY(const std::string syncing, session->sync_store().filling(owner, from_));
    if (!syncing.empty()) {
      return fail(
          Code::kConflict,
          format("the synced source {} fills {}; run `ladder sync remove {}` first, which keeps the records, or merge the "
                 "other way",
                 shell_word(syncing), shell_word(from_), shell_word(syncing)),
          "from");
    }
    if (!yes_ || dry_run_) {
      LADDER_TRY(const auto preview, merges.preview(owner, from_, into_));
      LADDER_TRY(const std::string text, preview_text(*session, preview));
      if (dry_run_) {
        context.console.out(context.console.json() ? as_json(preview) : text);
        return kDone;
      }
      LADDER_TRY(const bool agreed, ask(context, text));
      if (!agreed) {
        context.console.err("ladder: nothing was merged\n");
        return kFailed;
      }
    }
    const app::StopSignal stop;
    MergeProgress progress(context.console, stop);
    auto merged = merges.merge(owner, from_, into_, progress);
    progress.finish();
    if (!merged && merged.error().code == Code::kCancelled) {
      context.console.err(format("ladder: {}: {}\n", visible_label(from_), merged.error().message));
      return kFailed;
    }
    if (!merged) return std::unexpected(merged.error());
    context.console.out(context.console.json() ? as_json(*merged) : as_text(*merged));
    return kDone;
  }

 private:
  Result<std::string> preview_text(Session& session, const server::MergePreview& preview) const {
    std::string text = format("Records of {}:\n{}", visible_label(from_), counts_text(preview.counts));
    ClientNames names(session.authorization().clients());
    for (const server::MergeEffect& effect : preview.effects) {
      LADDER_TRY(const std::string name, names.text(effect.client_id));
      if (effect.gains) text += format("{} can then read these records too, by {}.\n", name, visible_label(effect.grant_id));
      if (effect.loses) text += format("{} loses access to these records, of {}.\n", name, visible_label(effect.grant_id));
    }
    if (preview.effects.empty()) text += "No app's access changes.\n";
    return text;
  }

  Result<bool> ask(const Context& context, const std::string& text) const {
    if (::isatty(STDIN_FILENO) != 1 || !context.console.err_is_terminal() || context.console.json()) {
      return fail(Code::kInvalidRequest,
                  format("merging {} cannot be undone; without a terminal, add --yes to confirm", shell_word(from_)), "yes");
    }
    context.console.err(
        format("{}Merging cannot be undone; `ladder export` makes a copy.\nType {} to merge it into {} for good: ", text,
               visible_label(from_), visible_label(into_)));
    std::string answer;
    if (std::getline(std::cin, answer)) return answer == from_;
    context.console.err("\n");  // the input ended without a newline after the prompt
    return false;
  }

  std::string as_json(const server::MergePreview& preview) const {
    json::Writer out;
    out.begin_object().member("from", from_).member("into", into_);
    write_counts(out, preview.counts);
    out.member("complete", preview.counts.is_complete).key("grants").begin_array();
    for (const server::MergeEffect& effect : preview.effects) {
      out.begin_object().member("grant_id", effect.grant_id).member("client_id", effect.client_id);
      out.member("gains", effect.gains).member("loses", effect.loses).end_object();
    }
    return out.end_array().end_object().take() + "\n";
  }

  std::string as_json(const server::Merged& merged) const {
    json::Writer out;
    out.begin_object().member("from", from_).member("into", into_);
    write_counts(out, merged.counts);
    out.member("grants_revoked", merged.erasure.revoked_grants).member("grants_narrowed", merged.erasure.narrowed_grants);
    return out.end_object().take() + "\n";
  }

  std::string as_text(const server::Merged& merged) const {
    std::string text = format("Merged {} into {}.\n{}", visible_label(from_), visible_label(into_), counts_text(merged.counts));
    for (const std::string& id : merged.erasure.revoked_grants)
      text += format("Revoked {}, which named no other connection.\n", visible_label(id));
    return text;
  }

  std::string from_, into_;
  bool yes_ = false, dry_run_ = false;
};

}  // namespace

std::unique_ptr<Command> make_connection_merge() { return std::make_unique<ConnectionMerge>(); }

}  // namespace ladder::cli
