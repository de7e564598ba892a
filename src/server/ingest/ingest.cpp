// The ingest pipeline: lines are read and checked on the caller's thread, written in batches on another
// (ingest_writer.h), and acknowledged in order. A record with a very long value is staged first (design D3) and then
// written alone.
#include "server/ingest/ingest.h"

#include "base/text/format.h"
#include "model/quote.h"
#include "server/catalog/catalog.h"
#include "server/ingest/ingest_prepare.h"
#include "server/ingest/ingest_writer.h"

#include <algorithm>
#include <utility>

namespace ladder::server {
namespace {

using model::in_quotes;

constexpr std::int64_t kStageFromBytes = 512 * 1024;  // smaller records are fast enough to write directly
constexpr int kMaxStagings = 2;                       // a record swept as abandoned twice means the store is stuck

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r") == std::string_view::npos; }

class IngestRun {
 public:
  IngestRun(SharedState& shared, const ConnectionStream& place, store::WriteTarget target, const IngestTarget& names,
            IngestProgress& ledger, IngestObserver& observer, bool checks_owner)
      : store_(shared.store),
        observer_(observer),
        target_(std::move(target)),
        preparer_(place, shared.clock),
        writer_(shared, target_, names, observer, ledger, checks_owner) {}

  Status take_all(LineSource& lines);

 private:
  Status take(const Line& line);
  Status take_long(const store::RecordWrite& write, const LineOrigin& origin);
  Result<bool> is_stored(const store::RecordWrite& write);
  Result<store::RecordWrite> stage(const store::RecordWrite& write);

  store::Store& store_;
  IngestObserver& observer_;
  const store::WriteTarget target_;
  LinePreparer preparer_;
  Batch batch_;  // being filled
  std::int64_t next_index_ = 0;
  IngestWriter writer_;
};

Status IngestRun::take_all(LineSource& lines) {
  Line line;
  while (!writer_.stopping()) {
    // Submits complete lines before a read that may block. If the writer has not started the batch after the read, it
    // is taken back and filled further.
    const bool offered = !batch_.empty() && !lines.ready();
    if (offered) LADDER_CHECK(writer_.submit(batch_));
    const auto more = lines.next(line);
    if (offered) writer_.reclaim(batch_);
    if (!more || !*more) {
      LADDER_CHECK(writer_.submit(batch_));
      LADDER_CHECK(writer_.wait());
      if (!more) return std::unexpected(more.error());
      return {};
    }
    if (!line.too_long && is_blank(line.text)) continue;
    LADDER_CHECK(take(line));
    if (writer_.budget().reached(batch_)) LADDER_CHECK(writer_.submit(batch_));
  }
  return writer_.wait();
}

Status IngestRun::take(const Line& line) {
  LineOrigin origin{line.number, next_index_++, line.digest, 0};
  store::RecordWrite& write = batch_.open_slot();
  if (auto checked = preparer_.prepare(line, write); !checked) {
    if (!line.too_long) origin.digest = crypto::sha256(line.text);
    batch_.refuse({origin, std::move(checked).error()});
    return {};
  }
  origin.lone_surrogates = preparer_.lone_surrogates();
  if (target_.append_only) origin.digest = crypto::sha256(line.text);  // the store may still reject it
  if (preparer_.plan().text_bytes > kStageFromBytes) {
    const store::RecordWrite prepared = std::move(write);
    LADDER_CHECK(writer_.submit(batch_));
    LADDER_CHECK(writer_.wait());
    return take_long(prepared, origin);
  }
  if (write.value_count > 0) {
    LADDER_TRY(write.first_value,
               with_retries(store_, observer_, [&] { return store_.reserve_values(target_.owner, write.value_count); }));
  }
  LADDER_CHECK(preparer_.write_body(write, write.values));
  LADDER_CHECK(store_.prepare(target_, write));
  batch_.keep(origin, line.text.size());
  return {};
}

// Writes the record alone after everything before it is durable. The line must remain valid until then, in case it
// must be staged again.
Status IngestRun::take_long(const store::RecordWrite& write, const LineOrigin& origin) {
  LADDER_TRY(const bool known, with_retries(store_, observer_, [&] { return is_stored(write); }));
  store::RecordWrite& known_key = batch_.open_slot();
  known_key.key = write.key;
  known_key.is_delete = write.is_delete;
  batch_.keep(origin, 0);
  auto outcome = known ? store::Outcome::kUnchanged : store::Outcome::kStagingLost;
  for (int stagings = 0; outcome == store::Outcome::kStagingLost; ++stagings) {
    if (stagings == kMaxStagings) {
      return fail(Code::kStoreUnavailable,
                  format("the store was so slow that the long values of line {} were swept as abandoned", origin.line));
    }
    LADDER_TRY(batch_.writes().front(), stage(write));
    LADDER_TRY(const auto outcomes, writer_.write(batch_));
    if (outcomes.empty()) {  // the owner has erased the record
      writer_.enter(batch_, {});
      batch_.clear();
      return {};
    }
    outcome = outcomes.front();
  }
  writer_.enter(batch_, {outcome});
  batch_.clear();
  return {};
}

// Returns true if an identical record is already stored, so that staging can be skipped.
Result<bool> IngestRun::is_stored(const store::RecordWrite& write) {
  LADDER_TRY(const auto reader, store_.read(target_.owner));
  reader->show_damaged();
  LADDER_TRY(const auto found, reader->records({}, std::span(&target_.stream, 1), write.key));
  if (found.records.empty()) return false;
  const store::RecordRow& stored = found.records.front();
  if (stored.damaged || stored.digest != write.digest) return false;
  return reader->values_intact(stored);
}

// Uses new ids each time; values left by an interrupted staging are swept.
Result<store::RecordWrite> IngestRun::stage(const store::RecordWrite& write) {
  return with_retries(store_, observer_, [&]() -> Result<store::RecordWrite> {
    store::RecordWrite staged = write;
    LADDER_TRY(staged.first_value, store_.reserve_values(target_.owner, staged.value_count));
    LADDER_TRY(const auto staging, store_.stage(target_.owner, staged.first_value, staged.value_count, target_.stream));
    LADDER_CHECK(preparer_.write_body(staged, *staging));
    LADDER_CHECK(staging->finish());
    staged.staged = true;
    return staged;
  });
}

Status check_writable(const ConnectionEntry& connection) {
  LADDER_CHECK(check_not_erasing(connection, Code::kConnectionNotWritable));
  if (connection.row.status != "revoked") return {};
  return fail(Code::kConnectionNotWritable,
              format("connection {} is revoked and does not accept records", in_quotes(connection.row.connection_id)),
              "connection_id");
}

// Updates the process counters before it calls the caller's observer.
class CountedIngest final : public IngestObserver {
 public:
  CountedIngest(IngestCounts& counts, IngestObserver& observer) : counts_(counts), observer_(observer) { counts_.begin(); }
  ~CountedIngest() override { counts_.end(finished_); }

  void durable_through(std::int64_t line, const IngestReport& so_far) override {
    count(so_far);
    observer_.durable_through(line, so_far);
  }
  bool wants_stop() override { return observer_.wants_stop(); }
  bool in_bulk() const override { return observer_.in_bulk(); }
  bool leaves_out_erased() const override { return observer_.leaves_out_erased(); }
  void saw_key(std::string_view key) override { observer_.saw_key(key); }
  void left_out_blob(const store::Digest& blob) override { observer_.left_out_blob(blob); }
  std::chrono::milliseconds retry_time() const override { return observer_.retry_time(); }

  void finish(const IngestReport& all) {
    count(all);
    finished_ = true;
  }

 private:
  void count(const IngestReport& so_far) {
    counts_.add(counted_, so_far);
    counted_.added = so_far.added;
    counted_.changed = so_far.changed;
    counted_.deleted = so_far.deleted;
    counted_.unchanged = so_far.unchanged;
    counted_.absent = so_far.absent;
    counted_.rejected = so_far.rejected;
  }

  IngestCounts& counts_;
  IngestObserver& observer_;
  IngestReport counted_;
  bool finished_ = false;
};

}  // namespace

void IngestCounts::end(bool finished) {
  running_.fetch_sub(1, std::memory_order_relaxed);
  (finished ? finished_ : failed_).fetch_add(1, std::memory_order_relaxed);
}

void IngestCounts::add(const IngestReport& since, const IngestReport& upto) {
  const auto stored = [](const IngestReport& report) { return report.added + report.changed + report.deleted; };
  const auto unchanged = [](const IngestReport& report) { return report.unchanged + report.absent; };
  stored_.fetch_add(stored(upto) - stored(since), std::memory_order_relaxed);
  unchanged_.fetch_add(unchanged(upto) - unchanged(since), std::memory_order_relaxed);
  rejected_.fetch_add(upto.rejected - since.rejected, std::memory_order_relaxed);
}

IngestFigures IngestCounts::figures() const {
  const auto now = [](const std::atomic<std::int64_t>& count) { return count.load(std::memory_order_relaxed); };
  return {now(running_), now(finished_), now(failed_), now(stored_), now(unchanged_), now(rejected_)};
}

Result<IngestReport> Ingest::put_records(const Access& access, const IngestTarget& target, LineSource& lines,
                                         IngestObserver& told) {
  LADDER_CHECK(with_retries(shared_.store, told, [&] { return shared_.accesses.require_owner(access); }));
  // An import opens many streams in a row, and the database server may restart between them.
  LADDER_TRY(const auto catalog, with_retries(shared_.store, told, [&] { return shared_.catalogs.newest(access.owner()); }));
  const ConnectionEntry* connection = catalog->connection(target.connection_id);
  if (!connection) return unknown_connection(*catalog, target.connection_id);
  LADDER_CHECK(check_writable(*connection));
  const auto place = catalog->find_stream(*connection, target.stream);
  if (!place) return unknown_stream(*connection->source, target.stream);

  CountedIngest observer(counts_, told);
  IngestProgress ledger(access.owner_name(), target, observer);
  const bool append_only = place->declared->semantics == model::Semantics::kAppendOnly;
  Status taken = IngestRun(shared_, *place,
                           {.owner = access.owner(),
                            .stream = place->no,
                            .append_only = append_only,
                            .fields = catalog->field_numbers(*connection->source, target.stream),
                            .in_bulk = observer.in_bulk()},
                           target, ledger, observer, !access.ignores_suspension())
                     .take_all(lines);
  if (taken) {
    observer.finish(ledger.report());
    return ledger.report();
  }
  if (taken.error().code == Code::kStoreUnavailable) taken.error().code = Code::kIngestStorage;
  return std::unexpected(ledger.interrupted(std::move(taken).error()));
}

Result<std::int64_t> Ingest::remove_records(const Access& access, const IngestTarget& target, std::span<const std::string> keys,
                                            IngestObserver& observer) {
  constexpr std::size_t kAtOnce = 500;
  LADDER_CHECK(with_retries(shared_.store, observer, [&] { return shared_.accesses.require_owner(access); }));
  LADDER_TRY(const auto catalog, with_retries(shared_.store, observer, [&] { return shared_.catalogs.newest(access.owner()); }));
  const ConnectionEntry* connection = catalog->connection(target.connection_id);
  if (!connection) return unknown_connection(*catalog, target.connection_id);
  LADDER_CHECK(check_writable(*connection));
  const auto place = catalog->find_stream(*connection, target.stream);
  if (!place) return unknown_stream(*connection->source, target.stream);
  const store::WriteTarget written{
      .owner = access.owner(), .stream = place->no, .fields = {}, .drops_blobs = true, .in_bulk = true};
  std::int64_t removed = 0;
  while (!keys.empty() && !observer.wants_stop()) {
    std::vector<store::RecordWrite> batch(std::min(keys.size(), kAtOnce));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      batch[i].is_delete = true;
      batch[i].key = keys[i];
      batch[i].emitted_at = format_time(shared_.clock.now());
    }
    LADDER_CHECK(with_retries(shared_.store, observer, [&] { return shared_.quotas.admit_write(access.owner(), std::nullopt); }));
    LADDER_TRY(const auto outcomes,
               with_retries(shared_.store, observer, [&] { return shared_.store.write(written, batch, shared_.clock.now()); }));
    removed += std::ranges::count(outcomes, store::Outcome::kDeleted);
    keys = keys.subspan(outcomes.size());
  }
  return removed;
}

}  // namespace ladder::server
