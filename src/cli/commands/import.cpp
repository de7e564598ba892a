// ladder import: prints what it found, then imports it unit by unit. If the child process that reads the files crashes or
// hangs, its unit is reported, a new child is started, and the import continues with the next unit.
#include "app/import/extractor.h"
#include "app/import/import_account.h"
#include "app/import/import_run.h"
#include "app/stop_signal.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/commands/table_proposal.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/progress.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>

namespace ladder::cli {
namespace {

constexpr std::size_t kShownLosses = 20;

// A test compares these with the formats that ladder-extract reports.
constexpr std::array kFormats = {
    Arguments::Fact{"outlook", "Outlook's data files (.pst, .ost), if libpff is installed"},
    Arguments::Fact{"mail", "mailboxes (mbox, Maildir, .eml, .emlx), such as Gmail's Takeout"},
    Arguments::Fact{"calendar", "calendars (.ics), events and tasks"},
    Arguments::Fact{"contacts", "address books (.vcf)"},
    Arguments::Fact{"whatsapp", "WhatsApp chats exported from a phone, with or without media"},
    Arguments::Fact{"chatgpt", "ChatGPT's data export: conversations with all branches"},
    Arguments::Fact{"claude", "Claude's data export: conversations, attachments and projects"},
    Arguments::Fact{"slack", "a Slack workspace's export: channels, people, messages, threads"},
    Arguments::Fact{"telegram", "Telegram Desktop's export (JSON) of one chat or of the account"},
    Arguments::Fact{"meta", "messages of Facebook, Messenger and Instagram (JSON)"},
    Arguments::Fact{"imessage", "iMessage and SMS: chat.db of a Mac, with its folder Attachments"},
    Arguments::Fact{"browser", "history and bookmarks of Firefox, Chrome and its relatives, and Safari"},
    Arguments::Fact{"evernote", "Evernote notebooks (.enex)"},
    Arguments::Fact{"feed", "RSS and Atom feeds (.rss, .atom, .xml)"},
    Arguments::Fact{"health", "Apple Health: measurements, workouts and activity rings"},
    Arguments::Fact{"tracks", "tracks of watches and navigation devices (.gpx)"},
    Arguments::Fact{"statements", "bank statements: OFX, QFX, QIF, MT940 and camt.053"},
    Arguments::Fact{"google", "Google's Keep, Tasks, My Activity (JSON or HTML) and location history"},
    Arguments::Fact{"posts", "posts, comments, stories and photos of Facebook and Instagram (JSON or HTML)"},
    Arguments::Fact{"notion", "Notion workspaces (the zip of \"Markdown & CSV\" or \"HTML\")"},
    Arguments::Fact{"linkedin", "LinkedIn's data export: connections, messages, invitations, posts, comments and reactions"},
    Arguments::Fact{"reddit", "Reddit's data request: posts, comments, messages, chats, votes and saved posts"},
    Arguments::Fact{"x", "X's (Twitter's) archive: posts, likes, direct messages, followers"},
    Arguments::Fact{"discord", "Discord's data package, and chats saved by DiscordChatExporter (JSON)"},
    Arguments::Fact{"spotify", "Spotify's account data and extended streaming history"},
    Arguments::Fact{"netflix", "Netflix's viewing activity, ratings and searches"},
    Arguments::Fact{"github", "GitHub's account export: repositories, issues, pull requests, comments and reviews"},
    Arguments::Fact{"youtube", "YouTube in Google Takeout: watch and search history (JSON), comments, subscriptions"},
    Arguments::Fact{"bank", "CSV files of banks: Revolut, N26, Wise, PayPal, Monzo, Starling, Chase, DKB, ING, Sparkasse, Amex"},
    Arguments::Fact{"notes", "folders of Markdown or Obsidian notes, plain text, HTML, PDF, office documents and books"},
    Arguments::Fact{"table", "CSV, TSV, JSON and NDJSON with a declaration of your own (--manifest)"},
    Arguments::Fact{"ladder", "a folder written by `ladder export`"},
};

struct ImportCommandLine : app::ImportWords {
  std::vector<std::string> paths;
  bool dry_run = false;
};

// Prints the progress and results of a run on the terminal.
class ConsoleWatcher final : public app::ImportWatcher {
 public:
  explicit ConsoleWatcher(Console& console) : console_(console) {}

  void note(std::string_view line) override { console_.err(line); }
  void begins(const app::ImportPlan& plan, const app::ImportCounters& counters) override {
    std::int64_t total = 0;
    for (const auto& unit : plan.units) total = std::min(total + unit.bytes, imports::wire::kMaxUnitBytes);
    progress_.emplace(
        console_, [&counters, total] { return std::min(total, counters.bytes_before.load() + counters.bytes.load()); },
        [total] { return std::optional<std::int64_t>(total); });
  }
  void stored(std::int64_t records) override { progress_->durable(records, 0); }
  void unit_done(const app::UnitAccount& account) override {
    if (console_.json()) return;
    if (console_.err_is_terminal()) console_.err("\r\x1b[K");
    std::string lines = account_text(account, kShownLosses);
    const bool was_read = !account.fingerprint.empty();
    if (lines.empty() && was_read) lines = "  it is empty\n";
    console_.out(format("{} ({})\n{}", visible_label(account.what), visible_label(account.file), lines));
  }
  void ended() override { progress_.reset(); }
  void announce(const app::GoneRecords& gone) override {
    console_.err(format("ladder: {}: deleting {} of {} records, because these files do not have them any more\n",
                        visible_label(gone.connection), gone.gone, gone.all));
  }

 private:
  Console& console_;
  std::optional<Progress> progress_;
};

class Import final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.words("PATH", words_.paths, "files, folders and archives (zip, tar.gz), with all parts of a split archive");
    arguments.value("--as", "FORMAT", words_.as, "import them as this format instead of detecting it");
    arguments.flag("--dry-run", words_.dry_run, "only show what would be imported");
    arguments.value("--connection", "ID", words_.connection, "the connection to import into (default: one per kind and account)");
    arguments.flag("--separate", words_.separate, "create a connection per archive in a folder (default: one for the folder)");
    arguments.flag("--again", words_.again, "also read files that have not changed since they were imported");
    arguments.flag("--mirror", words_.mirror.mirror,
                   "afterwards delete the records of these connections that are no longer in the files");
    arguments.flag("--yes", words_.mirror.yes, "with --mirror: also delete more than a fifth of the records");
    arguments.value("--name", "NAME", words_.name, "a label for a new connection");
    arguments.value("--manifest", "FILE", words_.manifest, "the declaration of a table; `ladder source infer` proposes one");
    arguments.value("--encoding", "NAME", words_.encoding,
                    "the encoding of text that does not declare one: windows-1251, shift_jis (default: detected)");
    arguments.value(
        "--with", "PROGRAM", words_.with,
        "read PATH with a program of your own, which writes JSON lines; docs/inside/importers.md has one in 30 lines");
    arguments.flag("--net", words_.net, "with --with: the program may use the network");
    arguments.facts("Formats (FORMAT is the first word)", kFormats);
    arguments.example("ladder import ~/Downloads/takeout-20260101T000000Z-001.zip ~/Downloads/takeout-20260101T000000Z-002.zip");
    arguments.example("ladder import ~/Notes --dry-run");
    arguments.example("ladder import spending.csv --manifest spending.json");
  }

  Result<int> run(Context& context) override {
    const app::StopSignal stop;
    ConsoleWatcher watcher(context.console);
    app::ImportRun::Settings settings{words_, {app::extractor_program(context.environment("LADDER_EXTRACT")), context.version}};
    if (words_.mirror.yes && !words_.mirror.mirror) return fail(Code::kInvalidRequest, "--yes belongs to --mirror", "yes");
    if (words_.net && !words_.with) return fail(Code::kInvalidRequest, "--net belongs to --with", "net");
    if (words_.with && words_.paths.size() != 1) return fail(Code::kInvalidRequest, "a program reads one path", "with");
    std::deque<app::ImportRun> runs;
    LADDER_CHECK(scan(context, settings, watcher, stop, runs));
    if (may_be_unknown_table(context, runs)) {
      LADDER_TRY(settings.words.manifest, propose_table(context, words_.paths.front(), words_.encoding, stop));
      if (settings.words.manifest) {
        runs.clear();
        LADDER_CHECK(scan(context, settings, watcher, stop, runs));
      }
    }
    if (words_.dry_run || std::ranges::all_of(runs, [](const app::ImportRun& run) { return run.plan().units.empty(); }))
      return print_reports(context, runs);
    LADDER_TRY(const auto session, Session::open_or_create(context.console, context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    for (app::ImportRun& run : runs) {
      const Status done = run.import_all(session->server().import_roles(), owner);
      if (done) continue;
      if (done.error().code != Code::kCancelled) return std::unexpected(done.error());
      context.console.err("ladder: stopped; run the same command again to continue\n");
      if (context.console.json()) static_cast<void>(print_reports(context, runs));
      return kFailed;
    }
    return print_reports(context, runs);
  }

 private:
  // Returns true if nothing was found and the only path is a file that could be a table.
  bool may_be_unknown_table(const Context& context, const std::deque<app::ImportRun>& runs) const {
    const bool plain = !words_.manifest && !words_.as && !words_.dry_run && words_.paths.size() == 1 && failed_.empty();
    return plain &&
           std::ranges::all_of(runs,
                               [](const app::ImportRun& run) { return run.plan().units.empty() && run.plan().known.empty(); }) &&
           can_propose_table(context, words_.paths.front());
  }

  Status scan(Context& context, const app::ImportRun::Settings& settings, app::ImportWatcher& watcher, const app::Stop& stop,
              std::deque<app::ImportRun>& runs) {
    LADDER_CHECK(app::scan_paths(settings, watcher, stop, words_.paths, runs, failed_));
    if (!context.console.json()) {
      for (const app::ImportRun& run : runs) context.console.out(plan_text(run.plan()));
    }
    for (const imports::wire::Loss& loss : failed_) {
      context.console.err(format("ladder: {}: {}\n", visible_label(loss.place.file), visible_label(loss.reason)));
    }
    return {};
  }

  static std::string next_steps(const Context& context, const std::set<std::string>& connections) {
    if (connections.empty()) return {};
    const std::string flags = context.store_flags();
    return format(
        "\nNext: ladder search WORDS{}   finds it\n      ladder open{}   shows it in the browser, and connects your AI apps\n",
        flags, flags);
  }

  Result<int> print_reports(Context& context, const std::deque<app::ImportRun>& runs) const {
    bool whole = failed_.empty();
    std::size_t units = 0;
    std::set<std::string> connections;
    for (const app::ImportRun& run : runs) {
      units += run.plan().units.size();
      whole = whole && run.plan().refusals.empty();
      for (const app::UnitAccount& account : run.accounts())
        whole = whole && account.lost == 0 && account.complete() && !account.is_empty_handed();
      connections.insert(run.connections().begin(), run.connections().end());
      for (const app::GoneRecords& gone : run.gone()) {
        whole = whole && gone.kept.empty();
        if (!context.console.json()) context.console.out(gone_text(gone));
      }
    }
    context.console.out(context.console.json() ? as_json(runs, connections) + "\n" : next_steps(context, connections));
    return whole && units > 0 ? kDone : kFailed;
  }

  std::string as_json(const std::deque<app::ImportRun>& runs, const std::set<std::string>& connections) const {
    json::Writer out;
    out.begin_object().key("runs").begin_array();
    for (const app::ImportRun& run : runs) {
      out.begin_object();
      write(out, run.plan());
      out.key("accounts").begin_array();
      for (const app::UnitAccount& account : run.accounts()) write(out, account);
      out.end_array().key("gone").begin_array();
      for (const app::GoneRecords& gone : run.gone()) write(out, gone);
      out.end_array().end_object();
    }
    out.end_array().key("failed").begin_array();
    for (const imports::wire::Loss& loss : failed_)
      out.begin_object().member("file", loss.place.file).member("reason", loss.reason).end_object();
    out.end_array().member("connections", connections).end_object();
    return out.take();
  }

  ImportCommandLine words_;
  std::vector<imports::wire::Loss> failed_;  // paths that crashed the child during the scan
};

}  // namespace

std::unique_ptr<Command> make_import() { return std::make_unique<Import>(); }

}  // namespace ladder::cli
