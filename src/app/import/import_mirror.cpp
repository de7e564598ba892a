#include "app/import/import_mirror.h"

#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"

#include <algorithm>

namespace ladder::app {
namespace {

// A source rarely loses more than this between two exports; an export of something else does.
constexpr std::int64_t kSafeShare = 5;  // one fifth

class Quiet final : public server::IngestObserver {
 public:
  explicit Quiet(const Stop& stop) : stop_(stop) {}
  void durable_through(std::int64_t, const server::IngestReport&) override {}
  bool wants_stop() override { return stop_.requested(); }
  bool in_bulk() const override { return true; }
  std::chrono::milliseconds retry_time() const override { return kImportRetryTime; }

 private:
  const Stop& stop_;
};

// Returns an earlier part of the connection that this run did not read.
std::string unread_part(const std::vector<store::ImportRow>& rows, const std::set<std::string>& units) {
  const auto found = std::ranges::find_if(rows, [&](const store::ImportRow& row) { return !units.contains(row.unit); });
  return found == rows.end() ? std::string() : found->unit;
}

// Computes the number without reading the records: every key that was seen is in the store, except those of erased records.
Result<GoneRecords> count_gone(const server::ImportRoles& roles, const server::Access& owner, GoneRecords gone,
                               SeenConnection& seen) {
  LADDER_TRY(const server::ConnectionSummary summary, roles.sources.connection(owner, gone.connection));
  std::int64_t stored = -seen.erased();
  for (const auto& [stream, keys] : seen.keys()) stored += keys.size();
  for (const auto& stream : summary.streams) gone.all += stream.records;
  gone.gone = std::max<std::int64_t>(0, gone.all - stored);
  return gone;
}

}  // namespace

void SeenConnection::add(const std::string& unit, ImportUnit& read) {
  units_.insert(unit);
  const UnitAccount& account = read.account();
  if (!account.broken_off.empty()) miss(format("{} was not read to the end", account.file));
  else if (account.lost > 0) miss(format("something in {} could not be imported", account.file));
  is_complete_ = read.is_complete();
  for (auto& [stream, keys] : read.seen_keys()) keys_[stream].add(keys);
  for (const auto& [stream, of] : account.streams) erased_ += of.erased;
}

std::string gone_text(const GoneRecords& gone) {
  std::string text = format("{}: {} of {} records {} not in these files any more", visible_label(gone.connection),
                            grouped(gone.gone), grouped(gone.all), gone.gone == 1 ? "is" : "are");
  if (gone.removed > 0) return text + format("; {} removed\n", grouped(gone.removed));
  if (!gone.kept.empty()) return text + format("; none was removed: {}\n", visible_label(gone.kept));
  return text + "; --mirror removes them\n";
}

void write(json::Writer& out, const GoneRecords& gone) {
  out.begin_object().member("connection_id", gone.connection).member("gone", gone.gone).member("records", gone.all);
  out.member("removed", gone.removed).optional_member("kept", gone.kept).end_object();
}

Result<GoneRecords> find_gone(const server::ImportRoles& roles, const server::Access& owner, const std::string& connection,
                              SeenConnection& seen, MirrorRequest request, const Stop& stop, const AnnounceGone& announce) {
  GoneRecords gone;
  gone.connection = connection;
  LADDER_TRY(const auto rows, roles.imports.list(owner, connection));
  const std::string part = unread_part(rows, seen.units());
  // Without --mirror, the number is told only if it is certain.
  if (!request.mirror && (!seen.incomplete().empty() || !part.empty())) return gone;
  for (auto& [stream, keys] : seen.keys()) keys.finish();
  if (!request.mirror) return count_gone(roles, owner, std::move(gone), seen);
  LADDER_TRY(const server::MissingRecords missing, roles.imports.missing(owner, connection, seen.keys()));
  gone.gone = missing.missing;
  gone.all = missing.all;
  if (gone.gone == 0) return gone;
  if (!seen.incomplete().empty()) gone.kept = seen.incomplete();
  else if (!part.empty() && !request.yes)
    gone.kept = format("{} was imported earlier and is not among them; add --yes to remove its records", part);
  else if (gone.gone * kSafeShare > gone.all && !request.yes)
    gone.kept = "more than a fifth of the records are gone; add --yes if that is right";
  if (!gone.kept.empty()) return gone;
  announce(gone);
  Quiet observer(stop);
  for (const auto& [stream, keys] : missing.keys) {
    LADDER_TRY(const std::int64_t removed, roles.ingest.remove_records(owner, {connection, stream}, keys, observer));
    gone.removed += removed;
  }
  if (stop.requested()) return fail(Code::kCancelled, "stopped");
  return gone;
}

}  // namespace ladder::app
