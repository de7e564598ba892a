#include "app/import/import_run.h"

#include "base/limits.h"
#include "base/text/base64.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "crypto/hash.h"
#include "model/declaration/declaration.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ladder::app {
namespace {

constexpr auto kSweepTime = std::chrono::seconds(5);

UnitAccount fresh_account(const imports::wire::PlannedUnit& unit) {
  UnitAccount fresh;
  fresh.what = unit.what;
  fresh.file = unit.file;
  fresh.fingerprint = unit.fingerprint;
  return fresh;
}

// Returns the report of an unfinished earlier run if the files have not changed, so that it can be resumed.
UnitAccount unfinished(const PastImports& kept, const imports::wire::PlannedUnit& unit) {
  UnitAccount fresh = fresh_account(unit);
  const auto found = kept.unfinished.find(unit_name(unit));
  return found != kept.unfinished.end() && found->second.fingerprint == unit.fingerprint ? found->second : fresh;
}

// A file that changes within this time of its last change may keep its size and time.
constexpr Instant kSettled = 2 * kSecond;

// Identifies everything that a unit's records depend on; "" if a change of its files might go unnoticed.
std::string inputs_of(const imports::wire::PlannedUnit& unit, const std::string& declaration,
                      const ImportRun::Settings& settings) {
  if (unit.newest == 0 || unit.newest > Clock::system().now() - kSettled) return {};
  const std::string encoding = settings.words.encoding.value_or("");
  const std::string* const parts[] = {&unit.fingerprint, &unit.format, &declaration, &settings.extractor.version, &encoding};
  crypto::Sha256 inputs;
  for (const std::string* const part : parts) {
    inputs.update(format("{}\n", part->size()));
    inputs.update(*part);
  }
  return to_hex(crypto::view(inputs.finish())).substr(0, 32);
}

// The report of a unit that is not read, because it would give what it gave before.
UnitAccount unchanged(UnitAccount account) {
  account.was_unchanged = true;
  for (auto& [name, stream] : account.streams) {
    stream.unchanged = stream.read - stream.rejected - stream.erased;
    stream.added = stream.changed = 0;
  }
  return account;
}

// An invalid declaration was rejected when its source was added.
std::set<std::string> streams_of(const std::string& declaration) {
  std::set<std::string> names;
  if (const auto parsed = model::parse_declaration(declaration)) {
    for (const model::Stream& stream : parsed->streams) names.insert(stream.name);
  }
  return names;
}

std::string order_for(const imports::wire::PlannedUnit& unit, const UnitAccount& account) {
  return account.position.empty() ? format("read {}", unit.number)
                                  : format("read {} {}", unit.number, base64url::encode(account.position));
}

bool is_childs_fault(const Error& error) {
  return error.code == Code::kRsUnreachable || error.code == Code::kRsProtocol || error.code == Code::kRsTimeout;
}

}  // namespace

Status scan_paths(const ImportRun::Settings& settings, ImportWatcher& watcher, const Stop& stop,
                  const std::vector<std::string>& paths, std::deque<ImportRun>& runs, std::vector<imports::wire::Loss>& failed) {
  const Status looked = runs.emplace_back(settings, watcher, stop).make_plan(paths);
  if (looked) return {};
  runs.clear();
  if (!is_childs_fault(looked.error())) return looked;
  for (const std::string& path : paths) {
    if (paths.size() == 1) {
      failed.push_back({{path, -1}, looked.error().message});
      continue;
    }
    const Status alone = runs.emplace_back(settings, watcher, stop).make_plan({path});
    if (alone) {
      runs.back().set_incomplete("the paths could not be read together");
      continue;
    }
    runs.pop_back();
    if (!is_childs_fault(alone.error())) return alone;
    failed.push_back({{path, -1}, alone.error().message});
  }
  return {};
}

Status ImportRun::make_plan(const std::vector<std::string>& paths) {
  paths_ = paths;
  return start_child();
}

Status ImportRun::import_all(const server::ImportRoles& roles, const server::Access& owner) {
  watcher_.begins(plan_, counters_);
  const Status done = import_units(roles, owner);
  watcher_.ended();
  LADDER_CHECK(done);
  child_.reset();
  LADDER_CHECK(find_all_gone(roles, owner));
  // An export of an older Ladder includes its declarations.
  const Say say = [this](std::string_view line) { watcher_.note(line); };
  if (const Status renewed = renew_shipped_sources(settings_.extractor, roles, owner, say, stop_); !renewed)
    watcher_.note(format("ladder: declarations could not be updated: {}\n", renewed.error().message));
  return sweep(roles, owner);
}

Status ImportRun::import_units(const server::ImportRoles& roles, const server::Access& owner) {
  const std::size_t units = plan_.units.size();
  for (std::size_t i = 0; i < units; ++i) {
    if (!child_) LADDER_CHECK(start_child());
    if (i >= plan_.units.size()) return fail(Code::kConflict, "the files changed during the import; run it again");
    const imports::wire::PlannedUnit unit = plan_.units[i];
    if (!watcher_.is_done(unit)) {
      watcher_.unit_begins(unit);
      LADDER_CHECK(import_unit(roles, owner, unit));
    }
    counters_.bytes_before = std::min(counters_.bytes_before + unit.bytes, imports::wire::kMaxUnitBytes);
    counters_.bytes = 0;
  }
  return {};
}

Status ImportRun::start_child() {
  std::vector<std::string> words;
  if (words_.as) words.insert(words.end(), {"--as", *words_.as});
  if (words_.manifest) words.insert(words.end(), {"--manifest", *words_.manifest});
  if (words_.encoding) words.insert(words.end(), {"--encoding", *words_.encoding});
  if (words_.separate) words.emplace_back("--separate");
  if (words_.staged) words.emplace_back("--staged");
  if (words_.with) words.insert(words.end(), {"--with", *words_.with});
  if (words_.net) words.emplace_back("--net");
  words.emplace_back("--");
  words.insert(words.end(), paths_.begin(), paths_.end());
  LADDER_TRY(child_,
             Extractor::start(settings_.extractor.program, words, settings_.extractor.version, stop_, words_.with.has_value()));
  LADDER_TRY(plan_, read_plan(*child_));
  return {};
}

// Returns the declaration of the unit's source, or "" if the child cannot provide it; the report then says so.
Result<std::string> ImportRun::declaration_of(const imports::wire::PlannedUnit& unit, UnitAccount& account) {
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
    if (text.size() > limits::kMaxDeclarationBytes) return fail(Code::kRsProtocol, "the extractor sent too large a declaration");
    if (frame.kind == imports::wire::Kind::kDeclaration) return text;
  }
}

// Uses the key that the files ask for, unless the source already has a key here.
Result<std::string> ImportRun::source_key(const server::ImportRoles& roles, const server::Access& owner,
                                          const std::string& declaration, const std::string& asked) {
  if (const auto known = keys_.find(declaration); known != keys_.end()) return known->second;
  auto done = roles.sources.add(owner, declaration, asked);
  if (!done && done.error().code == Code::kConflict && !asked.empty()) done = roles.sources.add(owner, declaration, "");
  LADDER_TRY(const server::AddedSource added, std::move(done));
  if (!added.indexed)
    LADDER_CHECK(finish_indexes(roles.maintenance, owner, [this](std::string_view line) { watcher_.note(line); }));
  return keys_[declaration] = added.key;
}

Status ImportRun::read_connections(const server::ImportRoles& roles, const server::Access& owner) {
  if (known_) return {};
  LADDER_TRY(const auto all, roles.sources.connections(owner));
  known_.emplace();
  for (const server::ConnectionSummary& each : all) known_->emplace(each.connection_id, each.source_key);
  return {};
}

Result<PastImports*> ImportRun::kept_in(const server::ImportRoles& roles, const server::Access& owner,
                                        const std::string& connection) {
  const auto found = kept_.find(connection);
  if (found != kept_.end()) return &found->second;
  LADDER_TRY(const auto rows, roles.imports.list(owner, connection));
  return &kept_.emplace(connection, read_kept(rows)).first->second;
}

// Returns the named connection, or the one that earlier imports of the same account created, or a new one.
Result<std::string> ImportRun::connection_for(const server::ImportRoles& roles, const server::Access& owner,
                                              const std::string& key, const imports::wire::PlannedUnit& unit) {
  std::string id = words_.connection.value_or(unit.connection_id.empty() ? connection_id_for(key, unit) : unit.connection_id);
  if (connections_.contains(id)) return id;
  LADDER_CHECK(read_connections(roles, owner));
  const auto found = known_->find(id);
  if (found != known_->end() && found->second != key) {
    return fail(Code::kConflict,
                format("connection {} belongs to the source {}, but these files are {}; choose another with --connection", id,
                       found->second, key),
                "connection");
  }
  if (found == known_->end() && words_.existing.contains(id))
    return fail(Code::kConflict,
                format("the connection {} was erased, so it is not filled again; remove its synced source with `ladder sync "
                       "remove` and add it again to read everything",
                       id),
                "connection");
  if (found == known_->end()) {
    const std::string name = words_.name.value_or(unit.display_name.empty() ? unit.account : unit.display_name);
    LADDER_CHECK(roles.sources.add_connection(owner, key, name.size() > limits::kMaxNameBytes ? "" : name, id));
    known_->emplace(id, key);
  }
  connections_.insert(id);
  return id;
}

// Returns the folder or archive that identifies the unit's records, or "" if they are identified otherwise. Returns kConflict
// if another one of that name goes to the named connection.
Result<std::string> ImportRun::place_of(const imports::wire::PlannedUnit& unit) {
  if (!is_named_after_tree(unit)) return std::string();
  if (unit.place.empty()) return words_.connection ? Result<std::string>(std::string()) : folder_of(paths_, unit);
  if (words_.connection && places_.emplace(unit.tree, unit.place).first->second != unit.place) {
    return fail(Code::kConflict, format("{} and {} have the same name and would overwrite each other: import them one "
                                        "by one, each with its own --connection ID, or both without",
                                        visible_label(places_[unit.tree]), visible_label(unit.place)));
  }
  return unit.place;
}

// Returns the unit with the account name that this archive had before, or with the first free one.
Result<imports::wire::PlannedUnit> ImportRun::with_unique_account(const server::ImportRoles& roles, const server::Access& owner,
                                                                  const std::string& key, const imports::wire::PlannedUnit& unit,
                                                                  const std::string& place) {
  imports::wire::PlannedUnit called = unit;
  if (words_.connection || unit.place.empty() || place.empty()) return called;
  LADDER_CHECK(read_connections(roles, owner));
  std::optional<std::string> free;
  for (const std::string& account : archive_accounts(unit)) {
    called.account = account;
    const std::string id = connection_id_for(key, called);
    if (!known_->contains(id)) {
      if (!free) free = account;
      continue;
    }
    LADDER_TRY(const PastImports* const kept, kept_in(roles, owner, id));
    if (kept->places.contains(place)) return called;
    if (!free && check_place(place, id, *kept)) free = account;
  }
  called.account = free.value_or(unit.account);
  return called;
}

Status ImportRun::import_unit(const server::ImportRoles& roles, const server::Access& owner,
                              const imports::wire::PlannedUnit& unit) {
  UnitAccount account;
  account.what = unit.what;
  account.file = unit.file;
  auto declaration = declaration_of(unit, account);
  if (!declaration) return record_lost_child(std::move(account), declaration.error());
  if (declaration->empty()) return report_unit(std::move(account));
  if (words_.with) {
    const auto parsed = model::parse_declaration(*declaration);
    if (parsed && is_shipped_source(parsed->source_id))
      return record_failure(std::move(account), {Code::kInvalidRequest,
                                                 "the declaration of the program has the source of a "
                                                 "built-in format; choose another source.id"});
  }
  LADDER_TRY(const std::string key, source_key(roles, owner, *declaration, unit.source_key));
  if (unit.only_source != 0) return report_unit(std::move(account));
  auto place = place_of(unit);
  if (!place) return record_failure(std::move(account), place.error());
  LADDER_TRY(const imports::wire::PlannedUnit called, with_unique_account(roles, owner, key, unit, *place));
  LADDER_TRY(const std::string connection, connection_for(roles, owner, key, called));
  watcher_.unit_goes_to(connection);
  LADDER_TRY(PastImports* const kept, kept_in(roles, owner, connection));
  if (const Status fits = words_.connection ? Status{} : check_place(*place, connection, *kept); !fits)
    return record_failure(std::move(account), fits.error());
  const std::string inputs = inputs_of(unit, *declaration, settings_);
  if (const auto before = kept->finished.find(unit_name(unit)); !words_.again && !words_.mirror.mirror && !words_.with &&
                                                                !inputs.empty() && before != kept->finished.end() &&
                                                                before->second.inputs == inputs) {
    seen_[connection].miss(format("{} was not read again, because it has not changed", unit.file));
    UnitAccount same = before->second;
    if (!words_.synced_by.empty() && std::exchange(same.synced_by, words_.synced_by) != words_.synced_by)
      LADDER_CHECK(roles.imports.put(owner, connection, unit_name(unit), to_json(same)));
    return report_unit(unchanged(std::move(same)));
  }
  account = words_.mirror.mirror || words_.position ? fresh_account(unit) : unfinished(*kept, unit);
  if (words_.position) account.position = *words_.position;
  account.synced_by = words_.synced_by;
  if (!place->empty()) kept->places.insert(*place);
  account.folder = *std::move(place);
  if (!account.position.empty() && !words_.position) {
    seen_[connection].miss(format("{} was continued where an earlier import stopped", unit.file));
    watcher_.note(format("ladder: {}: continuing where the last import stopped\n", visible_label(unit.file)));
  }
  if (Status ordered = child_->order(order_for(unit, account)); !ordered)
    return record_lost_child(std::move(account), ordered.error());

  const auto keep = [&](const UnitAccount& now) -> Status {
    UnitAccount stamped = now;
    stamped.at = Clock::system().now();
    if (words_.position && !now.position.empty()) LADDER_CHECK(watcher_.position_reached(now.position));
    return roles.imports.put(owner, connection, unit_name(unit), to_json(stamped));
  };
  const auto [known, is_new] = streams_.try_emplace(*declaration);
  if (is_new) known->second = streams_of(*declaration);
  const std::set<std::string>& streams = known->second;
  ImportUnit run(*child_, roles.ingest, owner, {connection, streams}, std::move(account), counters_, stop_, keep,
                 [this](std::int64_t records) { watcher_.stored(stored_ + records); });
  run.see_records([this](const imports::wire::RecordHeader& head, std::string_view data) { watcher_.record_read(head, data); });
  if (words_.position)
    run.see_gone([this](const std::string& stream, const std::string& key) { watcher_.record_gone(stream, key); });
  const Status ran = run.run();
  stored_ += run.stored();
  watcher_.stored(stored_);
  UnitAccount done = run.account();
  seen_[connection].add(unit_name(unit), run);
  if (!ran && ran.error().code == Code::kCancelled) {
    done.broken_off = "stopped; run the same command again to continue";
    LADDER_CHECK(report_unit(std::move(done)));
    return ran;
  }
  LADDER_CHECK(ran);
  if (done.complete()) done.inputs = inputs;
  if (done.complete() && words_.position && !run.last_position().empty())
    LADDER_CHECK(watcher_.position_reached(run.last_position()));
  LADDER_CHECK(keep(done));
  if (run.child_has_ended()) child_.reset();
  return report_unit(std::move(done));
}

// Reports the unit as failed and continues with the next one.
Status ImportRun::record_failure(UnitAccount account, const Error& error) {
  account.broken_off = error.message;
  account.lose({{account.file, -1}, error.message});
  return report_unit(std::move(account));
}

// The child ended before the unit started.
Status ImportRun::record_lost_child(UnitAccount account, const Error& error) {
  if (error.code == Code::kCancelled) return std::unexpected(error);
  child_.reset();
  account.broken_off = error.message;
  account.lose({{account.file, -1}, error.message});
  return report_unit(std::move(account));
}

Status ImportRun::report_unit(UnitAccount account) {
  if (account.at == 0) account.at = Clock::system().now();
  watcher_.unit_done(account);
  accounts_.push_back(std::move(account));
  return {};
}

// Records of refused files and behind links are missing, so nothing is deleted if there are any. A part that failed before it was
// read does not name its connection.
Status ImportRun::find_all_gone(const server::ImportRoles& roles, const server::Access& owner) {
  if (words_.staged || words_.position) return {};  // a sync knows what is gone
  const bool failed = std::ranges::any_of(accounts_, [](const UnitAccount& account) { return !account.complete(); });
  for (auto& [connection, seen] : seen_) {
    if (!incomplete_.empty()) seen.miss(incomplete_);
    if (!plan_.refusals.empty()) seen.miss("some of the files were refused");
    if (!plan_.links.empty()) seen.miss("links are not followed");
    if (failed) seen.miss("a part of the files was not read to the end");
    LADDER_TRY(GoneRecords gone, find_gone(roles, owner, connection, seen, words_.mirror, stop_,
                                           [&](const GoneRecords& found) { watcher_.announce(found); }));
    if (gone.gone > 0 || !gone.kept.empty()) gone_.push_back(std::move(gone));
  }
  return {};
}

Status ImportRun::sweep(const server::ImportRoles& roles, const server::Access& owner) const {
  const auto any_stream = [&](const auto& has) {
    return std::ranges::any_of(accounts_, [&](const UnitAccount& account) {
      return std::ranges::any_of(account.streams, [&](const auto& stream) { return has(stream.second); });
    });
  };
  // Replaced, removed and left-out records may leave values without a record.
  const bool replaced = any_stream([](const auto& stream) { return stream.changed > 0 || stream.erased > 0; });
  const bool removed = std::ranges::any_of(gone_, [](const GoneRecords& gone) { return gone.removed > 0; });
  if (replaced || removed) {
    LADDER_CHECK(roles.maintenance.sweep(owner, Deadline::after(kSweepTime)));
  } else if (any_stream([](const auto& stream) { return stream.added > 0; })) {
    LADDER_CHECK(roles.maintenance.tidy_words(owner, Deadline::after(kSweepTime)));
  }
  return {};
}

}  // namespace ladder::app
