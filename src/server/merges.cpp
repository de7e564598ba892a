// A merge runs in this order: compare, copy until a comparison finds nothing left to copy, keep import reports and marks of
// erased records, close the old connection, move what clients have seen, erase. Until it is closed the old connection is
// unchanged, so an interrupted copy loses nothing and the same call continues it.
#include "server/merges.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/time/time.h"
#include "json/writer.h"
#include "model/quote.h"
#include "server/catalog/catalog.h"
#include "server/shared/erased_keys.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace ladder::server {
namespace {

constexpr std::int64_t kRowsAtOnce = 256;
constexpr std::size_t kCopiedAtOnce = 4 * limits::kMiB;  // of lines, so that memory use is bounded by the longest record
constexpr auto kPreviewTime = std::chrono::seconds(3);   // a page waits for it
constexpr int kMaxCopies = 5;                            // a writer that is faster than five copies has to be stopped first

enum class Fate : std::uint8_t { kAdded, kReplaced, kSame, kKept, kLeftOut };

// Times are compared if both can be parsed; an equal time keeps the record that is already there.
bool is_newer(const store::RecordRow& row, const store::RecordRow& than) {
  const auto at = parse_time(row.emitted_at), other = parse_time(than.emitted_at);
  return at && other ? *at > *other : row.emitted_at > than.emitted_at;
}

// The rows of a stream in key order, one page at a time. No reader stays open between two pages, so that a writer is not delayed.
class KeyWalk {
 public:
  KeyWalk(store::Store& store, store::OwnerNo owner, store::StreamNo stream) : store_(store), owner_(owner), stream_(stream) {}

  // Null at the end. The row is valid until the next call.
  Result<const store::RecordRow*> next() {
    if (at_ == rows_.size()) {
      if (ended_) return nullptr;
      LADDER_TRY(const auto reader, store_.read(owner_));
      const std::string after = rows_.empty() ? std::string() : rows_.back().key;
      LADDER_TRY(rows_, reader->page_by_key(stream_, after, false, kRowsAtOnce));
      ended_ = std::ssize(rows_) < kRowsAtOnce;
      at_ = 0;
      if (rows_.empty()) return nullptr;
    }
    return &rows_[at_++];
  }

 private:
  store::Store& store_;
  const store::OwnerNo owner_;
  const store::StreamNo stream_;
  std::vector<store::RecordRow> rows_;
  std::size_t at_ = 0;
  bool ended_ = false;
};

class Stops final : public IngestObserver {
 public:
  explicit Stops(MergeObserver& observer) : observer_(observer) {}
  void durable_through(std::int64_t, const IngestReport&) override {}
  bool wants_stop() override { return observer_.wants_stop(); }
  bool in_bulk() const override { return true; }
  bool leaves_out_erased() const override { return true; }

 private:
  MergeObserver& observer_;
};

std::unexpected<Error> stopped() {
  return fail(Code::kCancelled, "stopped before the end; nothing was erased. Merge the same sources again to continue");
}

}  // namespace

struct Merges::Pair {
  std::shared_ptr<const OwnerCatalog> catalog;
  const ConnectionEntry* from = nullptr;
  const ConnectionEntry* into = nullptr;
};

// Compares the records of one stream with those of the other connection. Keys are asked for in ascending order; others are
// looked up.
class Merges::Comparison {
 public:
  static Result<Comparison> of(SharedState& shared, store::OwnerNo owner, const Pair& pair, const std::string& stream) {
    const auto place = pair.catalog->find_stream(*pair.into, stream);
    if (!place) return unknown_stream(*pair.into->source, stream);
    ErasedKeys erased;
    LADDER_CHECK(erased.refresh(shared.store, owner, pair.into->row.connection_id, stream));
    return Comparison(shared.store, owner, *place, std::move(erased));
  }

  Result<Fate> fate_of(const store::RecordRow& row) {
    if (erased_.contains(row.key)) return Fate::kLeftOut;
    LADDER_TRY(const auto twin, find(row.key));
    if (!twin) return Fate::kAdded;
    if (twin->digest == row.digest) return Fate::kSame;
    return !append_only_ && is_newer(row, *twin) ? Fate::kReplaced : Fate::kKept;
  }

 private:
  Comparison(store::Store& store, store::OwnerNo owner, const ConnectionStream& place, ErasedKeys erased)
      : store_(store),
        owner_(owner),
        stream_(place.no),
        append_only_(place.declared->semantics == model::Semantics::kAppendOnly),
        erased_(std::move(erased)),
        walk_(store, owner, place.no) {}

  Result<std::optional<store::RecordRow>> find(const std::string& key) {
    if (!last_.empty() && key <= last_) {
      LADDER_TRY(const auto reader, store_.read(owner_));
      const std::array streams = {stream_};
      LADDER_TRY(auto found, reader->records({}, streams, key));
      if (found.records.empty()) return std::nullopt;
      return std::move(found.records.front());
    }
    last_ = key;
    while (!ended_ && (!current_ || current_->key < key)) {
      LADDER_TRY(const store::RecordRow* row, walk_.next());
      ended_ = row == nullptr;
      current_ = row ? std::optional(*row) : std::nullopt;
    }
    return current_ && current_->key == key ? current_ : std::nullopt;
  }

  store::Store& store_;
  store::OwnerNo owner_;
  store::StreamNo stream_;
  bool append_only_;
  ErasedKeys erased_;
  KeyWalk walk_;
  std::string last_;
  std::optional<store::RecordRow> current_;  // the first one whose key is not less than `last_`
  bool ended_ = false;
};

// Receives the export of a stream and writes the records that are to be copied, some megabytes at a time.
class Merges::Copy final : public RecordsOut {
 public:
  Copy(Ingest& ingest, const Access& access, IngestTarget target, Comparison comparison, MergeObserver& observer,
       std::int64_t& copied)
      : ingest_(ingest),
        access_(access),
        target_(std::move(target)),
        comparison_(std::move(comparison)),
        observer_(observer),
        copied_(copied) {}

  Result<bool> wants(const store::RecordRow& row) override {
    LADDER_TRY(const Fate fate, comparison_.fate_of(row));
    return fate == Fate::kAdded || fate == Fate::kReplaced;
  }
  Status begin(std::string_view key, std::string_view emitted_at) override {
    begun_at_ = lines_.size();
    lines_ += "{\"key\":";
    lines_ += key;
    lines_ += ",\"emitted_at\":";
    json::append_string(lines_, emitted_at);
    lines_ += ",\"data\":";
    return {};
  }
  Status data(std::string_view piece) override {
    lines_ += piece;
    return {};
  }
  Status end(const std::optional<std::string>&) override {
    lines_ += "}\n";
    ++waiting_;
    return lines_.size() < kCopiedAtOnce ? Status{} : flush();
  }
  Status discard() override {
    lines_.resize(begun_at_);
    return {};
  }
  Status damaged(std::string_view key, std::string_view) override {
    return fail(Code::kDamagedData,
                format("record {} of {} is damaged, so nothing was erased; `ladder doctor` lists what is damaged", key,
                       model::in_quotes(target_.stream)));
  }

  Status flush() {
    if (observer_.wants_stop()) return stopped();
    if (lines_.empty()) return {};
    TextBytes bytes(lines_);
    LineSource source(bytes, limits::kMaxLineBytes);
    Stops told(observer_);
    LADDER_TRY(const IngestReport report, ingest_.put_records(access_, target_, source, told));
    if (observer_.wants_stop()) return stopped();
    if (report.rejected > 0) {
      return fail(Code::kInvalidRecord, format("{} of {} can't be copied, so nothing was erased: {}",
                                               report.rejected == 1 ? "a record" : "some records",
                                               model::in_quotes(target_.stream), report.rejections.front().message));
    }
    lines_.clear();
    observer_.copied(copied_ += std::exchange(waiting_, 0));
    return {};
  }

 private:
  Ingest& ingest_;
  const Access& access_;
  const IngestTarget target_;
  Comparison comparison_;
  MergeObserver& observer_;
  std::int64_t& copied_;
  std::string lines_;
  std::size_t begun_at_ = 0;
  std::int64_t waiting_ = 0;  // in `lines_`
};

Result<Merges::Pair> Merges::find(const Access& access, std::string_view from, std::string_view into) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  Pair pair;
  LADDER_TRY(pair.catalog, shared_.catalogs.newest(access.owner()));
  pair.from = pair.catalog->connection(from);
  pair.into = pair.catalog->connection(into);
  if (!pair.from) return unknown_connection(*pair.catalog, from);
  if (!pair.into) return unknown_connection(*pair.catalog, into);
  LADDER_CHECK(check_not_erasing(*pair.from, Code::kConnectionNotFound));
  LADDER_CHECK(check_not_erasing(*pair.into, Code::kConnectionNotFound));
  if (pair.from == pair.into) return fail(Code::kInvalidRequest, "choose two different sources to merge", "into");
  if (pair.from->source != pair.into->source) {
    return fail(Code::kInvalidRequest,
                format("{} and {} contain different kinds of data, {} and {}; only sources of the same kind can be merged",
                       model::in_quotes(from), model::in_quotes(into), model::in_quotes(pair.from->source->row.key),
                       model::in_quotes(pair.into->source->row.key)),
                "into");
  }
  return pair;
}

Result<MergeCounts> Merges::compare(const Access& access, const Pair& pair, Deadline deadline, MergeObserver& observer) {
  MergeCounts counts;
  for (const auto& [stream, no] : pair.from->streams) {
    if (!pair.catalog->find_stream(*pair.from, stream)) continue;
    LADDER_TRY(Comparison comparison, Comparison::of(shared_, access.owner(), pair, stream));
    KeyWalk walk(shared_.store, access.owner(), no);
    for (;;) {
      if (deadline.passed()) {
        counts.is_complete = false;
        return counts;
      }
      if (observer.wants_stop()) return stopped();
      LADDER_TRY(const store::RecordRow* row, walk.next());
      if (!row) break;
      LADDER_TRY(const Fate fate, comparison.fate_of(*row));
      ++(fate == Fate::kAdded      ? counts.added
         : fate == Fate::kReplaced ? counts.replaced
         : fate == Fate::kSame     ? counts.same
         : fate == Fate::kKept     ? counts.kept
                                   : counts.left_out);
    }
  }
  return counts;
}

Status Merges::copy(const Access& access, const Pair& pair, MergeObserver& observer) {
  std::int64_t copied = 0;
  for (const auto& [stream, no] : pair.from->streams) {
    if (!pair.catalog->find_stream(*pair.from, stream)) continue;
    LADDER_TRY(Comparison comparison, Comparison::of(shared_, access.owner(), pair, stream));
    Copy out(ingest_, access, {pair.into->row.connection_id, stream}, std::move(comparison), observer, copied);
    LADDER_CHECK(exports_.write_stream(access, pair.from->row.connection_id, stream, out));
    LADDER_CHECK(out.flush());
  }
  return {};
}

// The reports say which files the records are from, and keep `import --mirror` and syncs from removing records of other files.
Status Merges::keep_reports(const Access& access, const Pair& pair) {
  LADDER_TRY(const auto moved, shared_.store.imports(access.owner(), pair.from->row.no));
  LADDER_TRY(const auto known, shared_.store.imports(access.owner(), pair.into->row.no));
  for (const store::ImportRow& report : moved) {
    const auto same = std::ranges::find(known, report.unit, &store::ImportRow::unit);
    if (same == known.end() || same->kept_at < report.kept_at)
      LADDER_CHECK(shared_.store.put_import(access.owner(), pair.into->row.no, report));
  }
  return {};
}

Status Merges::check(const Access& access, std::string_view from, std::string_view into) {
  LADDER_CHECK(find(access, from, into));
  return {};
}

Result<MergePreview> Merges::preview(const Access& access, std::string_view from, std::string_view into) {
  LADDER_TRY(const Pair pair, find(access, from, into));
  MergePreview preview;
  MergeObserver nothing_stops;
  LADDER_TRY(preview.counts, compare(access, pair, Deadline::after(kPreviewTime), nothing_stops));
  LADDER_TRY(const auto held, grants_.list(access));
  for (const GrantSummary& grant : held) {
    if (grant.status != "active") continue;
    MergeEffect effect{grant.grant.grant_id, grant.grant.client_id};
    for (const grant::StreamGrant& stream : grant.grant.streams) {
      const bool names_from = stream.allows_instance(from), names_into = stream.allows_instance(into);
      effect.loses = effect.loses || (names_from && !names_into);
      effect.gains = effect.gains || (names_into && !names_from);
    }
    if (effect.loses || effect.gains) preview.effects.push_back(std::move(effect));
  }
  return preview;
}

Result<Merged> Merges::merge(const Access& access, std::string_view from, std::string_view into, MergeObserver& observer) {
  LADDER_TRY(const Pair pair, find(access, from, into));
  Merged merged;
  LADDER_TRY(merged.counts, compare(access, pair, Deadline::never(), observer));
  MergeCounts left = merged.counts;
  for (int copies = 0; left.copied() > 0; ++copies) {
    if (copies == kMaxCopies) {
      return fail(Code::kConflict,
                  format("another program keeps adding records to {}, so nothing was erased; stop it, then merge again",
                         model::in_quotes(from)),
                  "from");
    }
    LADDER_CHECK(copy(access, pair, observer));
    LADDER_TRY(left, compare(access, pair, Deadline::never(), observer));
  }
  if (observer.wants_stop()) return stopped();
  LADDER_CHECK(keep_reports(access, pair));
  for (const auto& [stream, no] : pair.from->streams) {
    const auto place = pair.catalog->find_stream(*pair.into, stream);
    if (!place) continue;
    LADDER_CHECK(move_erased(shared_.store, shared_.clock.now(), access.owner(), from, {std::string(into), stream, place->no}));
  }
  LADDER_CHECK(shared_.store.set_connection_status(access.owner(), pair.from->row.no, kErasing));
  LADDER_CHECK(shared_.ledger.move(access.owner(), from, into));
  LADDER_TRY(merged.erasure, erasures_.erase_connection(access, from, observer));
  return merged;
}

}  // namespace ladder::server
