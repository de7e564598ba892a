// ladder backup and ladder restore: copy the whole store to a folder of chunks while it is in use, and restore it to a new
// store. Only this file and session.cpp in cli/ access a store without server/: a backup contains everything, and is only for
// the local administrator.
#include "store/engines/backup.h"
#include "app/backup/backup_folder.h"
#include "app/backup/backup_writer.h"
#include "app/stop_signal.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/number.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/progress.h"
#include "cli/upkeep/backup_key.h"
#include "json/writer.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <system_error>

namespace ladder::cli {
namespace {

std::string megabytes(std::int64_t bytes) {
  return bytes < 10'000'000 ? format("{:.1f} MB", static_cast<double>(bytes) / 1e6) : grouped(bytes / 1'000'000) + " MB";
}

Result<std::string> key_of(const std::optional<std::string>& file, const Context& context) {
  if (!file) return std::string();
  return read_backup_key(with_home(*file, context.environment));
}

// Returns the named snapshot, or the newest.
Result<std::string> chosen(const app::BackupFolder& folder, const std::optional<std::string>& named, const std::string& target) {
  if (named) return *named;
  LADDER_TRY(const auto names, folder.snapshots());
  if (names.empty()) return fail(Code::kNotFound, format("{} contains no complete backup", target));
  return names.back();
}

// Lowers the scheduling priority so that requests are served first. Threads created later inherit it.
void lower_priority() { ::setpriority(PRIO_PROCESS, 0, 5); }

// A long-running task that shows its progress in bytes, and ends at the next chunk when a stop is requested.
class Work {
 public:
  Work(Console& console, std::optional<std::int64_t> bytes)
      : progress_(console, [this] { return done_.load(std::memory_order_relaxed); }, [bytes] { return bytes; }, "") {}

  Status did(std::int64_t bytes, std::string_view left) {
    done_ += bytes;
    if (!stop_.requested()) return {};
    return fail(Code::kCancelled, format("stopped; {}", left));
  }
  void finish() { progress_.finish(); }

 private:
  const app::StopSignal stop_;
  std::atomic<std::int64_t> done_ = 0;
  Progress progress_;
};

// Counts the bytes of the chunks of all readable snapshots, each chunk once.
std::int64_t bytes_of(const app::BackupFolder& folder, const std::vector<std::string>& names) {
  std::set<std::string, std::less<>> seen;
  std::int64_t bytes = 0;
  for (const std::string& name : names) {
    const auto snapshot = folder.snapshot(name);
    if (snapshot)
      snapshot->each_chunk([&](const app::Chunk& chunk) { bytes += seen.insert(chunk.name).second ? chunk.bytes : 0; });
  }
  return bytes;
}

// The result of checking all chunks of a folder. It lists every problem, not only the first.
struct Verdict {
  std::map<std::string, bool, std::less<>> chunks;  // true if intact
  std::int64_t bytes = 0, damaged_snapshots = 0;
  std::vector<std::string> faults;
  std::string newest_whole;

  Status check_snapshot(const app::BackupFolder& folder, const std::string& name, Work& work) {
    const auto snapshot = folder.snapshot(name);
    bool whole = snapshot.has_value();
    if (!whole) faults.push_back(snapshot.error().message);
    else {
      for (const auto& [part, chunks_of_part] : snapshot->parts) {
        for (const app::Chunk& chunk : chunks_of_part) {
          LADDER_TRY(const bool chunk_is_whole, check_chunk(folder, *snapshot, chunk, work));
          whole = chunk_is_whole && whole;
        }
      }
    }
    if (whole) newest_whole = name;
    else ++damaged_snapshots;
    return {};
  }

 private:
  Result<bool> check_chunk(const app::BackupFolder& folder, const app::Snapshot& snapshot, const app::Chunk& chunk, Work& work) {
    const auto [place, is_new] = chunks.emplace(chunk.name, true);
    if (!is_new) return place->second;
    const auto content = folder.chunk(snapshot, chunk);
    place->second = content.has_value();
    if (content) bytes += chunk.bytes;
    else if (std::ranges::find(faults, content.error().message) == faults.end()) faults.push_back(content.error().message);
    LADDER_CHECK(work.did(chunk.bytes, "not all chunks were checked"));
    return place->second;
  }
};

class Backup final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.words("TARGET", words_, "the folder to back up into; or `verify TARGET`, `list TARGET`, `key FILE`");
    arguments.value("--key", "FILE", key_, "encrypt with the key in this file; `ladder backup key FILE` creates one");
    arguments.flag("--full", full_, "write everything again, even if earlier snapshots have it; repairs damaged snapshots");
    arguments.value("--keep", "N", keep_, "remove all but the newest N snapshots afterwards");
    arguments.example("ladder backup /mnt/disk/ladder");
    arguments.example("ladder backup key ~/ladder.key && ladder backup /mnt/disk/ladder --key ~/ladder.key --keep 30");
    arguments.example("ladder backup verify /mnt/disk/ladder --key ~/ladder.key");
  }

  Result<int> run(Context& context) override {
    // An unset shell variable produces an empty word.
    if (std::ranges::find(words_, "") != words_.end())
      return fail(Code::kInvalidRequest, "TARGET is empty: enter the folder to back up to");
    const bool is_subcommand = words_[0] == "verify" || words_[0] == "list" || words_[0] == "key";
    if (words_.size() == 1 && is_subcommand) {
      return fail(Code::kInvalidRequest, format("`ladder backup {0}` needs {1}; a backup into a folder of that name is `ladder "
                                                "backup ./{0}`",
                                                words_[0], words_[0] == "key" ? "the FILE to create" : "a TARGET"));
    }
    if (words_.size() == 1) return back_up(context, words_[0]);
    if (words_.size() == 2 && words_[0] == "verify") return verify(context, words_[1]);
    if (words_.size() == 2 && words_[0] == "list") return list(context, words_[1]);
    if (words_.size() == 2 && words_[0] == "key") return make_key(context, words_[1]);
    return fail(Code::kInvalidRequest,
                "use `ladder backup TARGET`, `ladder backup verify TARGET`, `ladder backup list TARGET` or "
                "`ladder backup key FILE`");
  }

 private:
  Result<int> back_up(Context& context, const std::string& target) {
    LADDER_TRY(const std::size_t keep, parse_keep());
    LADDER_TRY(const std::string key, key_of(key_, context));
    lower_priority();
    LADDER_TRY(const auto writer,
               app::BackupWriter::open(target, key,
                                       full_ ? app::BackupWriter::Extent::kEverything : app::BackupWriter::Extent::kWhatIsNew));
    app::Snapshot snapshot;
    snapshot.ladder = context.version;
    snapshot.made_at = Clock::system().now();
    if (writer->clock_is_behind(snapshot.made_at)) {
      context.console.err(
          format("ladder: the clock is earlier than the newest snapshot in {}; the name of this one will be later than "
                 "the clock, so that it counts as the newest\n",
                 visible_label(target)));
    }
    Work work(context.console, size_of_store(context.settings.location));
    const auto take = [&](std::string_view part, std::string_view bytes) -> Status {
      snapshot.add(part, {});
      LADDER_CHECK(writer->keep(bytes));
      return work.did(std::ssize(bytes), "this backup was discarded");
    };
    LADDER_TRY(snapshot.info, store::back_up(context.settings.location, take));
    LADDER_TRY(const auto kept, writer->kept());
    snapshot.locate_chunks(kept);
    LADDER_TRY(const std::string name, writer->finish(snapshot));
    work.finish();
    // Settings displays this time; the backup is valid without it.
    std::error_code ignored;
    const store::BackupNote note{snapshot.made_at, std::filesystem::absolute(target, ignored).string(), snapshot.bytes(),
                                 !key.empty()};
    if (const Status noted = store::record_backup(context.settings.location, note); !noted) {
      context.console.err(
          format("ladder: the backup is complete, but its time could not be saved in the store: {}\n", noted.error().message));
    }
    std::int64_t pruned = 0;
    if (keep > 0) {
      LADDER_TRY(pruned, writer->prune(keep));
    }
    if (context.console.json()) {
      json::Writer out;
      out.begin_object().member("target", target).member("snapshot", name).member("engine", snapshot.info.engine);
      out.member("bytes", snapshot.bytes()).member("bytes_written", writer->bytes_written()).member("encrypted", !key.empty());
      context.console.out(out.member("bytes_removed", pruned).end_object().take() + "\n");
    } else {
      context.console.out(format("Backed up {} to {}, snapshot {}: {} in total, {} new{}.\n",
                                 visible_label(shown_location(context.settings.location)), visible_label(target), name,
                                 megabytes(snapshot.bytes()), megabytes(writer->bytes_written()),
                                 key.empty() ? "" : ", encrypted"));
      if (key.empty()) context.console.err("ladder: the backup is not encrypted; --key FILE encrypts it\n");
    }
    return kDone;
  }

  // PostgreSQL has no size here, because counting would take as long as the backup.
  static std::optional<std::int64_t> size_of_store(const std::string& location) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(location, error);
    return error ? std::nullopt : std::optional(static_cast<std::int64_t>(size));
  }

  Result<std::size_t> parse_keep() const {
    if (!keep_) return 0;
    if (const auto count = parse_number<std::size_t>(*keep_); count && *count > 0) return *count;
    return fail(Code::kInvalidRequest, "--keep must be a number of at least 1", "keep");
  }

  Result<int> verify(Context& context, const std::string& target) {
    LADDER_TRY(const std::string key, key_of(key_, context));
    LADDER_TRY(const auto folder, app::BackupFolder::open(target, key));
    LADDER_TRY(const auto names, folder->snapshots());
    if (names.empty()) return fail(Code::kNotFound, format("{} contains no complete backup", target));
    Verdict verdict;
    Work work(context.console, bytes_of(*folder, names));
    for (const std::string& name : names) LADDER_CHECK(verdict.check_snapshot(*folder, name, work));
    work.finish();
    if (verdict.damaged_snapshots > 0) {
      for (const std::string& line : verdict.faults) context.console.err(format("ladder: {}\n", visible_label(line)));
      const std::string way_out =
          verdict.newest_whole.empty()
              ? "none is intact"
              : format("`ladder restore {} --at {}` restores the newest intact one", target, verdict.newest_whole);
      return fail(Code::kDamagedData,
                  format("{} of {} snapshots cannot be restored; {}", verdict.damaged_snapshots, names.size(), way_out));
    }
    if (context.console.json()) {
      json::Writer out;
      out.begin_object().member("target", target).member("snapshots", std::ssize(names));
      out.member("chunks", std::ssize(verdict.chunks));
      context.console.out(out.member("bytes", verdict.bytes).end_object().take() + "\n");
    } else {
      context.console.out(format("{}: {} snapshot{}, {} chunks, {}: every chunk is present and intact.\n", visible_label(target),
                                 names.size(), names.size() == 1 ? "" : "s", grouped(std::ssize(verdict.chunks)),
                                 megabytes(verdict.bytes)));
    }
    return kDone;
  }

  Result<int> list(Context& context, const std::string& target) {
    LADDER_TRY(const std::string key, key_of(key_, context));
    LADDER_TRY(const auto folder, app::BackupFolder::open(target, key));
    LADDER_TRY(const auto names, folder->snapshots());
    json::Writer out;
    out.begin_object().key("snapshots").begin_array();
    std::vector<std::vector<std::string>> rows = {{"SNAPSHOT", "MADE AT", "ENGINE", "SIZE"}};
    std::vector<std::string> damaged;
    for (const std::string& name : names) {
      const auto snapshot = folder->snapshot(name);
      if (!snapshot) {
        damaged.push_back(name);
        context.console.err(format("ladder: {}\n", visible_label(snapshot.error().message)));
        continue;
      }
      rows.push_back({name, format_time(snapshot->made_at), snapshot->info.engine, megabytes(snapshot->bytes())});
      out.begin_object().member("snapshot", name).member("made_at", format_time(snapshot->made_at));
      out.member("engine", snapshot->info.engine)
          .member("bytes", snapshot->bytes())
          .member("ladder", snapshot->ladder)
          .end_object();
    }
    out.end_array();
    if (!damaged.empty()) {
      out.member("damaged", damaged);
    }
    if (context.console.json()) context.console.out(out.end_object().take() + "\n");
    else context.console.out(table_or_lines(context.console, rows));
    return damaged.empty() ? kDone : kFailed;
  }

  static Result<int> make_key(Context& context, const std::string& file) {
    LADDER_CHECK(make_backup_key(file));
    context.console.err(
        format("ladder: the key is in {}; keep a copy separate from the backups, which cannot be read without it\n",
               visible_label(file)));
    return kDone;
  }

  std::vector<std::string> words_;
  std::optional<std::string> key_, keep_;
  bool full_ = false;
};

class Restore final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("TARGET", target_, "the folder that `ladder backup` wrote to");
    arguments.value("--at", "SNAPSHOT", at_, "the snapshot to restore (default: the newest; see `ladder backup list`)");
    arguments.value("--key", "FILE", key_, "the key of an encrypted backup");
    arguments.example("ladder restore /mnt/disk/ladder");
    arguments.example("ladder restore /mnt/disk/ladder --db postgres:///restored --at 20261116T233000.000000Z");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const std::string key, key_of(key_, context));
    LADDER_TRY(const auto folder, app::BackupFolder::open(target_, key));
    LADDER_TRY(const std::string name, chosen(*folder, at_, target_));
    LADDER_TRY(const app::Snapshot snapshot, folder->snapshot(name));
    Work work(context.console, snapshot.bytes());
    store::RestoreSource from{snapshot.info, {}, {}};
    for (const auto& [part, chunks] : snapshot.parts) from.parts.push_back(part);
    from.read = [&](std::string_view wanted, const store::RestoreSource::UseChunk& use) -> Status {
      for (const auto& [part, chunks] : snapshot.parts) {
        if (part != wanted) continue;
        for (const app::Chunk& chunk : chunks) {
          LADDER_TRY(const std::string bytes, folder->chunk(snapshot, chunk));
          LADDER_CHECK(use(bytes));
          LADDER_CHECK(work.did(chunk.bytes, "nothing was restored"));
        }
        return {};
      }
      return fail(Code::kDamagedData, format("the snapshot {} has no part {}", name, wanted));
    };
    LADDER_CHECK(store::restore(context.settings.location, from, Clock::system().now()));
    work.finish();
    if (context.console.json()) {
      json::Writer out;
      out.begin_object().member("db", shown_location(context.settings.location)).member("snapshot", name);
      context.console.out(out.member("bytes", snapshot.bytes()).member("access_ended", true).end_object().take() + "\n");
    } else {
      context.console.out(
          format("Restored {} as of {}: {}.\n"
                 "All grants, tokens and sessions were revoked, so that none revoked since then is active again. Passphrases "
                 "and passkeys are those of the backup.\n"
                 "Next: ladder init{} if an older Ladder made the backup; ladder grant create{} lets a client read again; ladder "
                 "doctor{} checks the store.\n",
                 visible_label(shown_location(context.settings.location)), format_time(snapshot.made_at),
                 megabytes(snapshot.bytes()), context.store_flags(), context.store_flags(), context.store_flags()));
    }
    return kDone;
  }

 private:
  std::string target_;
  std::optional<std::string> at_, key_;
};

}  // namespace

std::unique_ptr<Command> make_backup() { return std::make_unique<Backup>(); }
std::unique_ptr<Command> make_restore() { return std::make_unique<Restore>(); }

}  // namespace ladder::cli
