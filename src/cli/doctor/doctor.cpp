// ladder doctor: checks the whole installation and reports a remedy for each problem. It changes nothing unless --repair is
// given: then it rebuilds the word index from the records if the store has a problem.
#include "base/mutex.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "base/time/time.h"
#include "cli/access/grant_text.h"
#include "cli/doctor/checks.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/invocation/shipped_sources.h"
#include "cli/terminal/progress.h"
#include "crypto/hash.h"
#include "json/writer.h"
#include "model/declaration/declaration.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace ladder::cli {
namespace {

constexpr std::size_t kShownFaults = 10;
constexpr std::string_view kManualRepair =
    "make a copy of it and import the damaged records again from the original files; if that does not fix it, move the store "
    "away and run `ladder restore` with your last backup, or import your last `ladder export` into a new one";
constexpr std::chrono::seconds kRepairStep{2};
constexpr Instant kClockSlack = 5 * 60 * kSecond;
constexpr std::string_view kEarliest = "2025-01-01T00:00:00Z";  // Ladder did not exist before

std::string_view name_of(app::Health health) {
  switch (health) {
    case app::Health::kOk:
      return "ok";
    case app::Health::kWarning:
      return "warning";
    case app::Health::kProblem:
      break;
  }
  return "problem";
}

Tone tone_of(app::Health health) {
  return health == app::Health::kOk ? Tone::kGood : health == app::Health::kWarning ? Tone::kStrong : Tone::kBad;
}

// Returns the newest timestamp of a write, from this machine's clock or another's.
Result<Instant> newest_write(server::ResourceServer& server, const server::Access& owner) {
  Instant newest = 0;
  LADDER_TRY(const auto connections, server.sources().connections(owner));
  for (const auto& connection : connections) {
    newest = std::max(newest, connection.created_at);
    LADDER_TRY(const auto imports, server.imports().list(owner, connection.connection_id));
    for (const auto& import : imports) newest = std::max(newest, import.kept_at);
  }
  LADDER_TRY(const auto grants, server.grants().list(owner));
  for (const auto& grant : grants) newest = std::max(newest, grant.row.issued_at);
  return newest;
}

class Doctor final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.flag("--repair", repair_, "if rows are inconsistent, rebuild the word index from the records, and check again");
    arguments.flag("--full", full_,
                   "also read every row of the store, which takes a while if it is large, and list everything that is damaged");
    arguments.value("--public-url", "URL", public_url_, "also check what hosts find at this address of `ladder serve`");
    arguments.value("--ca", "FILE", ca_file_, "PEM certificates to trust at that address (default: the system's)");
    arguments.example("ladder doctor");
    arguments.example("ladder doctor --repair");
    arguments.example("ladder doctor --full --json");
    arguments.example("ladder doctor --public-url https://data.example");
  }

  Result<int> run(Context& context) override {
    app::Findings findings;
    check_settings(context, findings);
    const std::string place = shown_location(context.settings.location);
    auto session = Session::open(context.settings);
    const bool set_up = session || session.error().code != Code::kNotSetUp;
    check_place(context, findings);
    check_journal(context, findings);
    if (session) check_store(context, **session, place, findings);
    else
      findings.problem("store", place, session.error().message,
                       set_up                                ? retry_hint(place)
                       : is_of_newer_ladder(session.error()) ? "install the newest Ladder"
                                                             : "run `ladder init`");
    if (session) check_connections(**session, findings);
    if (session) check_grants(**session, findings);
    if (session) check_syncs(**session, findings);
    if (session) check_backups(**session, findings);
    if (session) check_notifications(**session, findings);
    if (session) check_ledger(**session, findings);
    check_clock(findings, session ? session->get() : nullptr);
    check_programs(context, findings);
    check_environment(context, findings);
    check_clients(context, session ? session->get() : nullptr, findings);
    if (public_url_) app::check_reach(*public_url_, ca_file_.value_or(""), findings);
    context.console.out(context.console.json() ? as_json(findings) : as_text(context.console, findings));
    if (session && !reads_rows() && !context.console.json())
      context.console.err("ladder: the rows of the store were not read; `ladder doctor --full` does that\n");
    if (!set_up) return kNotSetUp;
    return std::ranges::none_of(findings.all(), [](const app::Finding& f) { return f.health == app::Health::kProblem; })
               ? kDone
               : kFailed;
  }

 private:
  bool reads_rows() const { return full_ || repair_; }

  static std::string retry_hint(const std::string& place) {
    return place.find("://") == std::string::npos
               ? "follow the message; if the file is damaged, move it away and run `ladder restore` with your last backup, "
                 "or import your last `ladder export` into a new one"
               : "check that the server runs, and the address, user and password in --db, LADDER_DB or ladder.toml";
  }

  void check_store(Context& context, Session& session, const std::string& place, app::Findings& findings) const {
    const auto about = session.server().maintenance().describe_store();
    if (!about) return findings.problem("store", place, about.error().message, retry_hint(place));
    findings.ok("store", place, *about);
    if (const auto owner = session.owner(); !owner) {
      const auto owners = session.server().operators().list();
      const bool has_others = context.settings.default_owner && owners && !owners->empty();
      if (has_others) findings.ok("owners", format("{}", owners->size()), "are in the store; none is chosen with --owner");
      else findings.problem("owner", context.settings.owner, owner.error().message, "add the owner with `ladder owner add`");
    } else {
      findings.ok("owner", context.settings.owner, "exists in the store");
    }
    if (!reads_rows()) return;
    auto faults = read_store(context, session);
    if (repair_) {
      if (const Status repaired = repair(context, session, faults && faults->empty()); !repaired)
        return findings.problem("repair", place, repaired.error().message, retry_hint(place));
      if (!faults || !faults->empty()) {
        findings.ok("repair", place, "the word index was rebuilt from the records");
        faults = read_store(context, session);
      }
    }
    const std::string remedy =
        repair_ ? std::string(kManualRepair) : format("run `ladder doctor --repair`; if that does not help, {}", kManualRepair);
    if (!faults) return findings.problem("integrity", place, faults.error().message, remedy);
    if (faults->empty()) return findings.ok("integrity", place, "all rows are consistent");
    const std::size_t shown = full_ ? faults->size() : std::min(faults->size(), kShownFaults);
    for (std::size_t i = 0; i < shown; ++i) findings.problem("integrity", place, (*faults)[i], i == 0 ? remedy : "as above");
    if (faults->size() > shown)
      findings.problem("integrity", place,
                       format("and {} more of this kind; `ladder doctor --full` shows all", faults->size() - shown), "as above");
  }

  static Result<std::vector<std::string>> read_store(Context& context, Session& session) {
    Mutex mutex;
    store::CheckStep step{"opening the store"};
    const auto begin = std::chrono::steady_clock::now();
    Progress progress(context.console, [&] {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
      const MutexLock lock(mutex);
      const std::string count =
          step.all > 0 ? format(": {} of {} records", grouped(step.done), grouped(step.all)) : std::string();
      return format("{}{}, {} s", step.doing, count, seconds.count());
    });
    return session.server().maintenance().check_integrity([&](const store::CheckStep& now) {
      const MutexLock lock(mutex);
      step = now;
    });
  }

  // The word index can always be rebuilt from the records. If the index is sound, this only completes it.
  static Status repair(Context& context, Session& session, bool sound) {
    LADDER_TRY(const server::Access owner, session.owner());
    if (!sound) LADDER_CHECK(session.server().maintenance().clear_word_index(owner));
    std::atomic<std::int64_t> left = 0;
    const auto begin = std::chrono::steady_clock::now();
    Progress progress(context.console, [&] {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
      return format("rebuilding the word index: {} records left, {} s", grouped(left), seconds.count());
    });
    for (bool ready = false; !ready;) {
      LADDER_TRY(left, session.server().maintenance().records_without_words(owner));
      LADDER_TRY(ready, session.server().maintenance().reindex(owner, Deadline::after(kRepairStep)));
    }
    return {};
  }

  // Verifies that the entries form a chain, and shows the newest digest so that the owner can record it elsewhere.
  static void check_ledger(Session& session, app::Findings& findings) {
    const auto owner = session.owner();
    if (!owner) return;  // already reported
    constexpr std::string_view kRemedy = "it was changed, or the disk is faulty: compare with a backup of the store";
    const auto faults = session.server().ledger().check(*owner);
    if (!faults) return findings.problem("ledger", owner->owner_name(), faults.error().message, std::string(kRemedy));
    for (const std::string& fault : *faults) findings.problem("ledger", owner->owner_name(), fault, std::string(kRemedy));
    if (!faults->empty()) return;
    const auto state = session.server().ledger().state(*owner);
    if (!state) return findings.problem("ledger", owner->owner_name(), state.error().message, std::string(kRemedy));
    if (state->days.empty()) return findings.ok("ledger", owner->owner_name(), "no client has read anything yet");
    std::int64_t entries = 0;
    for (const server::LedgerDay& day : state->days) entries += day.entries;
    findings.ok("ledger", owner->owner_name(),
                format("{} entries on {} days form an unbroken chain; the newest digest is {}", entries, state->days.size(),
                       crypto::digest_text(state->days.back().head)));
  }

  // An interrupted erasure leaves data in the files. Only the same command removes it.
  static void check_connections(Session& session, app::Findings& findings) {
    const auto owner = session.owner();
    if (!owner) return;  // already reported
    const auto connections = session.server().sources().connections(*owner);
    if (!connections)
      return findings.problem("connections", owner->owner_name(), connections.error().message,
                              "fix the problem with the store first");
    for (const server::ConnectionSummary& connection : *connections) {
      if (connection.status != server::kErasing) continue;
      findings.warn("connections", connection.connection_id,
                    "its erasure was interrupted: it cannot be read, but parts of it are still in the store",
                    format("run `ladder erase {}` to continue, unless it is running now", shell_word(connection.connection_id)));
    }
  }

  static void check_clock(app::Findings& findings, Session* session) {
    if (session == nullptr) return;  // there is no store to compare the clock with
    const Instant now = Clock::system().now();
    const std::string thing = format_time(now);
    const std::string remedy =
        "set the clock (`timedatectl set-ntp true`); the expiry of grants and the dates of records depend on it";
    if (now < *parse_time(kEarliest)) return findings.problem("clock", thing, "is before Ladder existed", remedy);
    const auto owner = session->owner();
    const auto newest = owner ? newest_write(session->server(), *owner) : Result<Instant>(0);
    if (newest && *newest > now + kClockSlack) {
      return findings.problem("clock", thing,
                              format("is earlier than the newest entry in the store, from {}", format_time(*newest)), remedy);
    }
    findings.ok("clock", thing, "agrees with the store");
  }

  static std::string as_json(const app::Findings& findings) {
    json::Writer out;
    std::int64_t warnings = 0, problems = 0;
    out.begin_object().key("findings").begin_array();
    for (const app::Finding& finding : findings.all()) {
      warnings += finding.health == app::Health::kWarning ? 1 : 0;
      problems += finding.health == app::Health::kProblem ? 1 : 0;
      out.begin_object().member("health", name_of(finding.health)).member("check", finding.check);
      out.member("thing", visible_text(finding.thing).text).member("text", visible_text(finding.text).text);
      out.optional_member("remedy", visible_text(finding.remedy).text).end_object();
    }
    out.end_array().member("warnings", warnings).member("problems", problems);
    return out.end_object().take() + "\n";
  }

  static std::string as_text(const Console& console, const app::Findings& findings) {
    std::string text;
    std::int64_t warnings = 0, problems = 0;
    for (const app::Finding& finding : findings.all()) {
      warnings += finding.health == app::Health::kWarning ? 1 : 0;
      problems += finding.health == app::Health::kProblem ? 1 : 0;
      text += format("{} {}: {}: {}\n", console.paint_out(tone_of(finding.health), format("{:<8}", name_of(finding.health))),
                     finding.check, visible_label(finding.thing), visible_label(finding.text));
      if (!finding.remedy.empty()) text += format("         to fix it: {}\n", visible_label(finding.remedy));
    }
    if (warnings + problems == 0) return text + "No problems found.\n";
    return text + format("{} problem{}, {} warning{}.\n", problems, problems == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
  }

  std::optional<std::string> public_url_, ca_file_;
  bool repair_ = false;
  bool full_ = false;
};

}  // namespace

std::unique_ptr<Command> make_doctor() { return std::make_unique<Doctor>(); }

// Finds grants that allow more than their owner named, and declarations that would create such grants.

namespace {

// Returns the first required stream and field of a declaration that is not a key; "" if there is none.
std::string required_content(const std::string& text) {
  const auto declaration = model::parse_declaration(text);
  if (!declaration) return {};
  for (const model::Stream& stream : declaration->streams) {
    if (const auto fields = model::required_content(stream); !fields.empty())
      return format("{} of {}", fields.front(), stream.name);
  }
  return {};
}

void check_declarations(server::ResourceServer& server, const server::Access& owner, app::Findings& findings) {
  const auto sources = server.sources().documents(owner);
  if (!sources)
    return findings.problem("declarations", owner.owner_name(), sources.error().message, "fix the problem with the store first");
  for (const server::SourceDocument& source : *sources) {
    if (!app::is_shipped_source(source.source_id)) continue;
    const std::string found = required_content(source.declaration);
    if (found.empty()) continue;
    findings.warn("declarations", source.key,
                  format("is from an older Ladder: it requires {}, so every grant of the stream would include it", found),
                  "run `ladder init` to update it; importing again or creating a grant also updates it");
  }
}

}  // namespace

void check_grants(Session& session, app::Findings& findings) {
  const auto owner = session.owner();
  if (!owner) return;  // already reported
  check_declarations(session.server(), *owner, findings);
  const auto grants = session.server().grants().list(*owner);
  if (!grants) return findings.problem("grants", owner->owner_name(), grants.error().message, "`ladder grant list` shows them");
  std::int64_t active = 0, widened = 0;
  for (const server::GrantSummary& summary : *grants) {
    if (summary.status != "active") continue;
    ++active;
    if (!summary.is_widened()) continue;
    ++widened;
    findings.warn("grants", format("{} of {}", summary.grant.grant_id, summary.grant.client_id), widening_text(summary),
                  retry_hint_of_widening(summary));
  }
  if (widened == 0) findings.ok("grants", format("{} active", active), "allow only the named fields and the keys of records");
}

}  // namespace ladder::cli
