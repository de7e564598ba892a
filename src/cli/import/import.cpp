// ladder import: says what it found, then streams it in, unit by unit. The child process that reads the files may crash or hang:
// then its unit is named, another child is started, and the next unit comes.
#include "base/limits.h"
#include "base/text/base64.h"
#include "base/text/format.h"
#include "cli/app/command.h"
#include "cli/app/failure.h"
#include "cli/app/stop_signal.h"
#include "cli/import/extractor.h"
#include "cli/import/import_account.h"
#include "cli/import/import_plan.h"
#include "cli/import/import_unit.h"
#include "cli/import/shipped_sources.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/visible_text.h"
#include "model/declaration/declaration.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <set>

namespace ladder::cli {
namespace {

constexpr std::size_t kShownLosses = 20;
constexpr auto kSweepTime = std::chrono::seconds(5);

// As ladder-extract names them itself; a test compares.
constexpr std::array kFormats = {
    Arguments::Fact{"mail", "mailboxes (mbox, Maildir, .eml), such as Gmail's Takeout"},
    Arguments::Fact{"calendar", "calendars (.ics), events and tasks"},
    Arguments::Fact{"contacts", "address books (.vcf)"},
    Arguments::Fact{"whatsapp", "WhatsApp chats exported from a telephone, with or without media"},
    Arguments::Fact{"chatgpt", "ChatGPT's data export: conversations, all branches of them"},
    Arguments::Fact{"claude", "Claude's data export: conversations, attachments and projects"},
    Arguments::Fact{"slack", "a Slack workspace's export: channels, people, messages, threads"},
    Arguments::Fact{"notes", "folders of Markdown or Obsidian notes, plain text, HTML and PDF"},
    Arguments::Fact{"table", "CSV, TSV, JSON and NDJSON with a declaration of your own (--manifest)"},
    Arguments::Fact{"ladder", "what `ladder export` wrote, back to where it was"},
};

struct ImportWords {
  std::vector<std::string> paths;
  std::optional<std::string> as, manifest, encoding, connection, name;
  bool dry_run = false;
};

// One run over some paths: plan, units, accounts.
class Run {
 public:
  Run(Context& context, const ImportWords& words, const StopSignal& stop)
      : context_(context), words_(words), stop_(stop), program_(extractor_program(context.environment("LADDER_EXTRACT"))) {}

  // An error of the child while it looks at the paths is `child_failed`; others are errors.
  Status look(const std::vector<std::string>& paths) {
    paths_ = paths;
    LADDER_CHECK(start_child());
    if (!context_.console.json()) context_.console.out(plan_text(plan_));
    return {};
  }

  const ImportPlan& plan() const { return plan_; }
  const std::vector<UnitAccount>& accounts() const { return accounts_; }
  const std::set<std::string>& connections() const { return connections_; }

  Status bring_in(Session& session, const server::Access& owner) {
    std::int64_t total = 0;
    for (const auto& unit : plan_.units) total = std::min(total + unit.bytes, imports::wire::kMaxUnitBytes);
    Progress progress(
        context_.console, [this, total] { return std::min(total, counters_.bytes_before.load() + counters_.bytes.load()); },
        [total] { return std::optional<std::int64_t>(total); });
    progress_ = &progress;
    const std::size_t units = plan_.units.size();
    for (std::size_t i = 0; i < units; ++i) {
      if (!child_) LADDER_CHECK(start_child());
      if (i >= plan_.units.size()) return fail(Code::kConflict, "the files changed while they were imported; run the same again");
      const imports::wire::PlannedUnit unit = plan_.units[i];
      LADDER_CHECK(bring_in_unit(session, owner, unit));
      counters_.bytes_before = std::min(counters_.bytes_before + unit.bytes, imports::wire::kMaxUnitBytes);
      counters_.bytes = 0;
    }
    progress.finish();
    child_.reset();
    // An export of an older Ladder brings its declarations along.
    if (const Status renewed = renew_shipped_sources(context_, session, owner, stop_); !renewed)
      context_.console.err(format("ladder: declarations could not be brought up to date: {}\n", renewed.error().message));
    return sweep(session, owner);
  }

 private:
  Status start_child() {
    std::vector<std::string> words;
    if (words_.as) words.insert(words.end(), {"--as", *words_.as});
    if (words_.manifest) words.insert(words.end(), {"--manifest", *words_.manifest});
    if (words_.encoding) words.insert(words.end(), {"--encoding", *words_.encoding});
    words.emplace_back("--");
    words.insert(words.end(), paths_.begin(), paths_.end());
    LADDER_TRY(child_, Extractor::start(program_, words, context_.version, stop_));
    LADDER_TRY(plan_, read_plan(*child_));
    return {};
  }

  // The declaration of the unit's source; "" when the child cannot give one, which is then in the account.
  Result<std::string> declaration_of(const imports::wire::PlannedUnit& unit, UnitAccount& account) {
    LADDER_CHECK(child_->order(format("declare {}", unit.number)));
    for (std::string text;;) {
      LADDER_TRY(const imports::wire::Frame frame, child_->next());
      if (frame.kind == imports::wire::Kind::kUnitEnd) {
        account.broken_off = imports::wire::read_sentence(frame.payload);
        account.lose({{unit.file, -1}, account.broken_off});
        return std::string();
      }
      if (frame.kind != imports::wire::Kind::kDeclaration && frame.kind != imports::wire::Kind::kMore) {
        return fail(Code::kRsProtocol, "the extractor sent frames out of order");
      }
      text += frame.payload;
      if (text.size() > limits::kMaxDeclarationBytes)
        return fail(Code::kRsProtocol, "the extractor sent too large a declaration");
      if (frame.kind == imports::wire::Kind::kDeclaration) return text;
    }
  }

  // Under the key that the files ask for, unless the source has one here already.
  Result<std::string> source_key(Session& session, const server::Access& owner, const std::string& declaration,
                                 const std::string& asked) {
    if (const auto known = keys_.find(declaration); known != keys_.end()) return known->second;
    auto done = session.server().add_source(owner, declaration, asked);
    if (!done && done.error().code == Code::kConflict && !asked.empty())
      done = session.server().add_source(owner, declaration, "");
    LADDER_TRY(const server::AddedSource added, std::move(done));
    if (!added.indexed) LADDER_CHECK(finish_indexes(session, owner, context_.console));
    return keys_[declaration] = added.key;
  }

  // The connection named, or the one that earlier imports of the same account made, or a new one.
  Result<std::string> connection_for(Session& session, const server::Access& owner, const std::string& key,
                                     const imports::wire::PlannedUnit& unit) {
    std::string id = words_.connection.value_or(unit.connection_id.empty() ? connection_id_for(key, unit) : unit.connection_id);
    if (connections_.contains(id)) return id;
    LADDER_TRY(const auto all, session.server().connections(owner));
    const auto found = std::ranges::find(all, id, &server::ConnectionSummary::connection_id);
    if (found != all.end() && found->source_key != key) {
      return fail(Code::kConflict,
                  format("connection {} belongs to the source {}, and this is {}; name another with --connection", id,
                         found->source_key, key),
                  "connection");
    }
    if (found == all.end()) {
      const std::string name = words_.name.value_or(unit.display_name.empty() ? unit.account : unit.display_name);
      LADDER_CHECK(session.server().add_connection(owner, key, name.size() > limits::kMaxNameBytes ? "" : name, id));
    }
    connections_.insert(id);
    return id;
  }

  // The folder or archive that the unit's records are known by; "" when they are known by something else. kConflict when another
  // of its name goes to the connection that was named.
  Result<std::string> place_of(const imports::wire::PlannedUnit& unit) {
    if (!is_called_after_its_tree(unit)) return std::string();
    if (unit.place.empty()) return words_.connection ? Result<std::string>(std::string()) : folder_of(paths_, unit);
    if (words_.connection && places_.emplace(unit.tree, unit.place).first->second != unit.place) {
      return fail(Code::kConflict,
                  format("{} and {} have one name, and what is in one would write over the other: import them one "
                         "by one, each with its own --connection ID, or both without",
                         visible_label(places_[unit.tree]), visible_label(unit.place)));
    }
    return unit.place;
  }

  // The unit with the account under which this archive came in before; else with the first one that no other archive has.
  Result<imports::wire::PlannedUnit> called_apart(Session& session, const server::Access& owner, const std::string& key,
                                                  const imports::wire::PlannedUnit& unit, const std::string& place) {
    imports::wire::PlannedUnit called = unit;
    if (words_.connection || unit.place.empty() || place.empty()) return called;
    LADDER_TRY(const auto all, session.server().connections(owner));
    std::optional<std::string> free;
    for (const std::string& account : archive_accounts(unit)) {
      called.account = account;
      const std::string id = connection_id_for(key, called);
      if (std::ranges::find(all, id, &server::ConnectionSummary::connection_id) == all.end()) {
        if (!free) free = account;
        continue;
      }
      LADDER_TRY(const auto kept, session.server().imports(owner, id));
      if (came_from(place, kept)) return called;
      if (!free && check_place(place, id, kept)) free = account;
    }
    called.account = free.value_or(unit.account);
    return called;
  }

  // Resumes what an earlier run left unfinished, if the files are still the same.
  static UnitAccount unfinished(const std::vector<store::ImportRow>& kept, const imports::wire::PlannedUnit& unit) {
    UnitAccount fresh;
    fresh.what = unit.what;
    fresh.file = unit.file;
    fresh.fingerprint = unit.fingerprint;
    const auto row = std::ranges::find(kept, unit_name(unit), &store::ImportRow::unit);
    if (row == kept.end()) return fresh;
    const auto account = read_account(row->body);
    return account && !account->position.empty() && account->fingerprint == unit.fingerprint ? *account : fresh;
  }

  Status bring_in_unit(Session& session, const server::Access& owner, const imports::wire::PlannedUnit& unit) {
    UnitAccount account;
    account.what = unit.what;
    account.file = unit.file;
    auto declaration = declaration_of(unit, account);
    if (!declaration) return lost_child(std::move(account), declaration.error());
    if (declaration->empty()) return told(std::move(account));
    LADDER_TRY(const std::string key, source_key(session, owner, *declaration, unit.source_key));
    if (unit.only_source != 0) return told(std::move(account));
    auto place = place_of(unit);
    if (!place) return not_taken(std::move(account), place.error());
    LADDER_TRY(const imports::wire::PlannedUnit called, called_apart(session, owner, key, unit, *place));
    LADDER_TRY(const std::string connection, connection_for(session, owner, key, called));
    LADDER_TRY(const auto kept, session.server().imports(owner, connection));
    if (const Status fits = words_.connection ? Status{} : check_place(*place, connection, kept); !fits)
      return not_taken(std::move(account), fits.error());
    account = unfinished(kept, unit);
    account.folder = *std::move(place);
    if (!account.position.empty())
      context_.console.err(format("ladder: {}: going on where the last import stopped\n", visible_label(unit.file)));
    if (Status ordered = child_->order(order_for(unit, account)); !ordered)
      return lost_child(std::move(account), ordered.error());

    const auto keep = [&](const UnitAccount& now) -> Status {
      UnitAccount stamped = now;
      stamped.at = Clock::system().now();
      return session.server().keep_import(owner, connection, unit_name(unit), to_json(stamped));
    };
    ImportUnit run(*child_, session.server(), owner, {connection, streams_of(*declaration)}, std::move(account), counters_, stop_,
                   keep, [this](std::int64_t records) { progress_->durable(stored_ + records, 0); });
    const Status ran = run.run();
    stored_ += run.stored();
    UnitAccount done = run.account();
    if (!ran && ran.error().code == Code::kCancelled) {
      done.broken_off = "stopped; run the same command again for the rest";
      LADDER_CHECK(told(std::move(done)));
      return ran;
    }
    LADDER_CHECK(ran);
    LADDER_CHECK(keep(done));
    if (run.child_is_gone()) child_.reset();
    return told(std::move(done));
  }

  // A declaration that is no such thing was refused when its source was added.
  static std::set<std::string> streams_of(const std::string& declaration) {
    std::set<std::string> names;
    if (const auto parsed = model::parse_declaration(declaration)) {
      for (const model::Stream& stream : parsed->streams) names.insert(stream.name);
    }
    return names;
  }

  static std::string order_for(const imports::wire::PlannedUnit& unit, const UnitAccount& account) {
    return account.position.empty() ? format("read {}", unit.number)
                                    : format("read {} {}", unit.number, base64url::encode(account.position));
  }

  // It is named, and the next unit comes.
  Status not_taken(UnitAccount account, const Error& error) {
    account.broken_off = error.message;
    account.lose({{account.file, -1}, error.message});
    return told(std::move(account));
  }

  // The child went before the unit was begun.
  Status lost_child(UnitAccount account, const Error& error) {
    if (error.code == Code::kCancelled) return std::unexpected(error);
    child_.reset();
    account.broken_off = error.message;
    account.lose({{account.file, -1}, error.message});
    return told(std::move(account));
  }

  Status told(UnitAccount account) {
    if (account.at == 0) account.at = Clock::system().now();
    if (!context_.console.json()) {
      if (context_.console.err_is_terminal()) context_.console.err("\r\x1b[K");
      std::string lines = account_text(account, kShownLosses);
      const bool was_read = !account.fingerprint.empty();
      if (lines.empty() && was_read) lines = "  there is nothing in it\n";
      context_.console.out(format("{} ({})\n{}", visible_label(account.what), visible_label(account.file), lines));
    }
    accounts_.push_back(std::move(account));
    return {};
  }

  Status sweep(Session& session, const server::Access& owner) const {
    const bool replaced = std::ranges::any_of(accounts_, [](const UnitAccount& account) {
      return std::ranges::any_of(account.streams, [](const auto& stream) { return stream.second.changed > 0; });
    });
    if (!replaced) return {};
    LADDER_CHECK(session.server().sweep(owner, Deadline::after(kSweepTime)));
    return {};
  }

  Context& context_;
  const ImportWords& words_;
  const StopSignal& stop_;
  std::string program_;
  std::vector<std::string> paths_;
  std::unique_ptr<Extractor> child_;
  ImportPlan plan_;
  std::vector<UnitAccount> accounts_;
  std::set<std::string> connections_;
  std::map<std::string, std::string> places_;  // of archives that go to a connection that was named: name → path
  std::map<std::string, std::string> keys_;    // declaration → key of its source
  ImportCounters counters_;
  Progress* progress_ = nullptr;
  std::int64_t stored_ = 0;
};

bool is_childs_fault(const Error& error) {
  return error.code == Code::kRsUnreachable || error.code == Code::kRsProtocol || error.code == Code::kRsTimeout;
}

class Import final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.words("PATH", words_.paths, "files, folders and archives (zip, tar.gz), packed or not, all parts of a split one");
    arguments.value("--as", "FORMAT", words_.as, "take them for this kind, whatever they look like");
    arguments.flag("--dry-run", words_.dry_run, "only say what would be imported");
    arguments.value("--connection", "ID", words_.connection, "the connection to import into (default: one per kind and account)");
    arguments.value("--name", "NAME", words_.name, "a label for a connection that is made");
    arguments.value("--manifest", "FILE", words_.manifest, "the declaration of a table; `ladder source infer` proposes one");
    arguments.value("--encoding", "NAME", words_.encoding,
                    "what text is written in that names no encoding: windows-1251, shift_jis (default: told from its bytes)");
    arguments.facts("Formats (FORMAT is the first word)", kFormats);
    arguments.example("ladder import ~/Downloads/takeout-20260101T000000Z-001.zip ~/Downloads/takeout-20260101T000000Z-002.zip");
    arguments.example("ladder import ~/Notes --dry-run");
    arguments.example("ladder import spending.csv --manifest spending.json");
  }

  Result<int> run(Context& context) override {
    const StopSignal stop;
    std::deque<Run> runs;
    LADDER_CHECK(look(context, stop, runs));
    if (words_.dry_run || std::ranges::all_of(runs, [](const Run& run) { return run.plan().units.empty(); }))
      return told(context, runs);
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    for (Run& run : runs) {
      const Status done = run.bring_in(*session, owner);
      if (done) continue;
      if (done.error().code != Code::kCancelled) return std::unexpected(done.error());
      context.console.err("ladder: stopped; run the same command again for the rest\n");
      if (context.console.json()) static_cast<void>(told(context, runs));
      return kFailed;
    }
    return told(context, runs);
  }

 private:
  // All paths together, so that parts of one export find each other. When the child does not survive looking at them, each by
  // itself: then the one at fault is named and the others go on.
  Status look(Context& context, const StopSignal& stop, std::deque<Run>& runs) {
    const Status looked = runs.emplace_back(context, words_, stop).look(words_.paths);
    if (looked) return {};
    runs.clear();
    if (!is_childs_fault(looked.error())) return looked;
    for (const std::string& path : words_.paths) {
      if (words_.paths.size() == 1) {
        failed_.push_back({{path, -1}, looked.error().message});
        continue;
      }
      const Status alone = runs.emplace_back(context, words_, stop).look({path});
      if (alone) continue;
      runs.pop_back();
      if (!is_childs_fault(alone.error())) return alone;
      failed_.push_back({{path, -1}, alone.error().message});
    }
    for (const imports::wire::Loss& loss : failed_) {
      context.console.err(format("ladder: {}: {}\n", visible_label(loss.place.file), visible_label(loss.reason)));
    }
    return {};
  }

  // A folder of archives makes a connection of each.
  static std::string next_steps(const std::set<std::string>& connections) {
    constexpr std::size_t kMax = 6;
    if (connections.size() > kMax)
      return format("Next: ladder connection list   ({} connections were imported into)\n", connections.size());
    std::string text;
    for (const std::string& id : connections) text += format("Next: ladder connection show {}\n", id);
    return text;
  }

  Result<int> told(Context& context, const std::deque<Run>& runs) const {
    bool whole = failed_.empty();
    std::size_t units = 0;
    std::set<std::string> connections;
    for (const Run& run : runs) {
      units += run.plan().units.size();
      whole = whole && run.plan().refusals.empty();
      for (const UnitAccount& account : run.accounts()) whole = whole && account.lost == 0 && account.complete();
      connections.insert(run.connections().begin(), run.connections().end());
    }
    context.console.out(context.console.json() ? as_json(runs, connections) + "\n" : next_steps(connections));
    return whole && units > 0 ? kDone : kFailed;
  }

  std::string as_json(const std::deque<Run>& runs, const std::set<std::string>& connections) const {
    json::Writer out;
    out.begin_object().key("runs").begin_array();
    for (const Run& run : runs) {
      out.begin_object();
      write(out, run.plan());
      out.key("accounts").begin_array();
      for (const UnitAccount& account : run.accounts()) write(out, account);
      out.end_array().end_object();
    }
    out.end_array().key("failed").begin_array();
    for (const imports::wire::Loss& loss : failed_)
      out.begin_object().member("file", loss.place.file).member("reason", loss.reason).end_object();
    out.end_array().key("connections").begin_array();
    for (const std::string& id : connections) out.string(id);
    out.end_array().end_object();
    return out.take();
  }

  ImportWords words_;
  std::vector<imports::wire::Loss> failed_;  // paths that the child did not survive looking at
};

}  // namespace

std::unique_ptr<Command> make_import() { return std::make_unique<Import>(); }

}  // namespace ladder::cli
