#include "server/owner_move.h"

#include "base/limits.h"
#include "base/mutex.h"
#include "base/text/format.h"
#include "model/quote.h"
#include "server/owner/export_layout.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <thread>

namespace ladder::server {
namespace {

using model::in_quotes;

constexpr std::size_t kPipeBytes = 4 * limits::kMiB;  // between the reading and the writing thread
constexpr std::int64_t kBlobPiece = limits::kMiB;

std::unexpected<Error> stopped() {
  return fail(Code::kCancelled, "stopped before the end; run the same command again to continue");
}

// Passes lines from the thread that reads one store to the thread that writes the other.
class LinePipe final : public ByteSource {
 public:
  // Fails once the reader has ended.
  Status write(std::string_view bytes) {
    MutexLock lock(mutex_);
    changed_.wait(lock, [this]() LADDER_REQUIRES(mutex_) { return text_.size() - at_ < kPipeBytes || has_no_reader_; });
    if (has_no_reader_) return fail(Code::kCancelled, "the new store accepts no more records");
    if (at_ == text_.size()) {
      text_.clear();
      at_ = 0;
    }
    text_ += bytes;
    lock.unlock();
    changed_.notify_all();
    return {};
  }
  void end() { set(ended_); }
  void end_reading() { set(has_no_reader_); }

  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    MutexLock lock(mutex_);
    changed_.wait(lock, [this]() LADDER_REQUIRES(mutex_) { return at_ < text_.size() || ended_; });
    const std::size_t count = std::string_view(text_).substr(at_).copy(buffer, capacity);
    at_ += count;
    lock.unlock();
    changed_.notify_all();
    return count;
  }

 private:
  void set(bool& flag) {
    {
      const MutexLock lock(mutex_);
      flag = true;
    }
    changed_.notify_all();
  }

  Mutex mutex_;
  Condition changed_;
  std::string text_ LADDER_GUARDED_BY(mutex_);
  std::size_t at_ LADDER_GUARDED_BY(mutex_) = 0;
  bool ended_ = false, has_no_reader_ = false;
};

class BulkObserver final : public IngestObserver {
 public:
  void durable_through(std::int64_t, const IngestReport&) override {}
  bool in_bulk() const override { return true; }
};

// The bytes of a blob in the old store.
class BlobBytesOf final : public ByteSource {
 public:
  BlobBytesOf(Reads& reads, const Access& access, std::string id) : reads_(reads), access_(access), id_(std::move(id)) {}

  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    LADDER_TRY(const api::Blob piece,
               reads_.blob(access_, {id_, {}, at_, std::min(kBlobPiece, static_cast<std::int64_t>(capacity))}));
    at_ += std::ssize(piece.bytes);
    return piece.bytes.copy(buffer, capacity);
  }

 private:
  Reads& reads_;
  const Access& access_;
  const std::string id_;
  std::int64_t at_ = 0;
};

class Move {
 public:
  // `continues`: the new store may have records of an earlier move that the old one has deleted since.
  Move(ResourceServer& from, ResourceServer& to, Access reads, Access writes, bool continues, MoveObserver& observer)
      : from_(from), to_(to), reads_(std::move(reads)), writes_(std::move(writes)), continues_(continues), observer_(observer) {}

  // Copies the streams that are not yet copied in their newest state.
  Status copy_all() {
    LADDER_TRY(const auto states, from_.operators().stream_states(reads_));
    LADDER_CHECK(copy_catalog());
    for (const auto& [stream, state] : states) {
      if (observer_.wants_stop()) return stopped();
      const auto known = copied_.find(stream);
      if (known != copied_.end() && known->second == state) continue;
      LADDER_CHECK(copy_stream(stream.first, stream.second, continues_ || known != copied_.end()));
      copied_[stream] = state;
    }
    return {};
  }

  Status copy_items() {
    for (const ItemKind kind : {ItemKind::kSavedSearch, ItemKind::kArrangement}) {
      LADDER_TRY(const auto items, from_.items().list(reads_, kind));
      for (const OwnerItem& item : items) LADDER_CHECK(to_.items().put(writes_, kind, item));
    }
    return {};
  }

  std::int64_t records() const { return records_; }
  std::int64_t blobs() const { return std::ssize(blobs_); }

 private:
  Status copy_catalog() {
    LADDER_TRY(const auto sources, from_.sources().documents(reads_));
    for (const SourceDocument& source : sources) LADDER_CHECK(to_.sources().add(writes_, source.declaration, source.key));
    LADDER_TRY(const auto wanted, from_.sources().connections(reads_));
    LADDER_TRY(const auto known, to_.sources().connections(writes_));
    for (const ConnectionSummary& connection : wanted) {
      if (std::ranges::find(known, connection.connection_id, &ConnectionSummary::connection_id) != known.end()) continue;
      LADDER_CHECK(
          to_.sources().add_connection(writes_, connection.source_key, connection.display_name, connection.connection_id));
    }
    return {};
  }

  Status copy_blob(const std::string& id) {
    if (!blobs_.insert(id).second) return {};
    const auto stored = from_.reads().blob(reads_, {id, {}, 0, 0});
    if (!stored && stored.error().code == Code::kBlobNotFound) return {};  // a record names it, but it was never stored
    if (!stored) return std::unexpected(stored.error());
    BlobBytesOf bytes(from_.reads(), reads_, id);
    LADDER_CHECK(to_.ingest().put_blob(writes_, stored->mime_type, bytes));
    return {};
  }

  class Lines;
  class Keys;
  Status copy_stream(const std::string& connection, const std::string& stream, bool again);

  ResourceServer& from_;
  ResourceServer& to_;
  const Access reads_, writes_;
  const bool continues_;
  MoveObserver& observer_;
  std::map<std::pair<std::string, std::string>, std::pair<std::int64_t, std::int64_t>> copied_;
  std::set<std::string> blobs_;
  std::int64_t records_ = 0;
};

// Writes the records of the old store into the pipe.
class Move::Lines final : public RecordsOut {
 public:
  Lines(Move& move, LinePipe& pipe) : move_(move), pipe_(pipe) {}

  Status begin(std::string_view key, std::string_view emitted_at) override {
    key_ = key;
    return pipe_.write(record_line_begin(key, emitted_at));
  }
  Status data(std::string_view piece) override { return pipe_.write(piece); }
  Status end(const std::optional<std::string>& blob_id) override {
    LADDER_CHECK(pipe_.write(kRecordLineEnd));
    keys_.insert(std::move(key_));
    if (++move_.records_ % 100 == 0) {
      move_.observer_.copied(move_.records_);
      if (move_.observer_.wants_stop()) return stopped();
    }
    return blob_id ? move_.copy_blob(*blob_id) : Status{};
  }
  // The line ends in the middle, so the new store rejects it.
  Status discard() override {
    ++discarded_;
    return pipe_.write("\n");
  }
  Status damaged(std::string_view key, std::string_view /*field*/) override {
    return fail(Code::kDamagedData, format("the record {} is damaged: run `ladder doctor --repair`, or delete the record, before "
                                           "the owner is moved",
                                           in_quotes(key)));
  }

  std::int64_t discarded() const { return discarded_; }
  const std::set<std::string>& keys() const { return keys_; }

 private:
  Move& move_;
  LinePipe& pipe_;
  std::string key_;
  std::set<std::string> keys_;
  std::int64_t discarded_ = 0;
};

// Writes a line that deletes each record of the new store whose key the old one does not have.
class Move::Keys final : public RecordsOut {
 public:
  explicit Keys(const std::set<std::string>& kept) : kept_(kept) {}

  Status begin(std::string_view key, std::string_view /*emitted_at*/) override {
    if (!kept_.contains(std::string(key))) deletions_ += format("{{\"key\":{},\"op\":\"delete\"}}\n", key);
    return {};
  }
  Status data(std::string_view) override { return {}; }
  Status end(const std::optional<std::string>&) override { return {}; }
  Status discard() override { return {}; }
  Status damaged(std::string_view, std::string_view) override { return {}; }

  const std::string& deletions() const { return deletions_; }

 private:
  const std::set<std::string>& kept_;
  std::string deletions_;
};

Status Move::copy_stream(const std::string& connection, const std::string& stream, bool again) {
  const IngestTarget target{connection, stream};
  LinePipe pipe;
  Result<IngestReport> stored = fail(Code::kInternal, "not started");
  std::thread writer([&] {
    BulkObserver bulk;
    LineSource lines(pipe, limits::kMaxLineBytes);
    stored = to_.ingest().put_records(writes_, target, lines, bulk);
    pipe.end_reading();
  });
  Lines out(*this, pipe);
  const Status read = from_.exports().write_stream(reads_, connection, stream, out);
  pipe.end();
  writer.join();
  if (!stored) return std::unexpected(stored.error());
  LADDER_CHECK(read);
  if (stored->rejected != out.discarded()) {
    const std::string first = stored->rejections.empty() ? "" : stored->rejections.front().message;
    return fail(Code::kConflict, format("the new store rejected {} records of {} in {}: {}", stored->rejected - out.discarded(),
                                        in_quotes(stream), in_quotes(connection), first));
  }
  if (!again) return {};
  Keys keys(out.keys());
  LADDER_CHECK(to_.exports().write_stream(writes_, connection, stream, keys));
  if (keys.deletions().empty()) return {};
  BulkObserver bulk;
  TextBytes bytes(keys.deletions());
  LineSource lines(bytes, limits::kMaxLineBytes);
  LADDER_CHECK(to_.ingest().put_records(writes_, target, lines, bulk));
  return {};
}

// Adds the owner to the new store, suspended until everything is there. Returns true if an earlier move has added it.
Result<bool> prepare_target(ResourceServer& to, std::string_view name) {
  const auto known = to.operators().find(name);
  if (known && !known->suspended_at)
    return fail(Code::kConflict, format("the new store has an owner {} already", in_quotes(name)), "to");
  if (!known && known.error().code != Code::kNotFound) return std::unexpected(known.error());
  if (!known) LADDER_CHECK(to.operators().add(name));
  LADDER_CHECK(to.operators().suspend(name));
  return known.has_value();
}

}  // namespace

Result<OwnerMove> move_owner(ResourceServer& from, ResourceServer& to, std::string_view name, MoveObserver& observer) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto since = [&](auto begin) { return std::chrono::duration_cast<std::chrono::milliseconds>(now() - begin); };
  LADDER_TRY(const OwnerSummary owner, from.operators().find(name));
  LADDER_TRY(const bool continues, prepare_target(to, name));
  LADDER_TRY(Access reads, from.accesses().moving_owner(name));
  LADDER_TRY(Access writes, to.accesses().moving_owner(name));
  OwnerMove moved;
  Move move(from, to, std::move(reads), std::move(writes), continues, observer);
  const auto began = now();
  LADDER_CHECK(move.copy_all());
  moved.copying = since(began);

  const std::int64_t first_pass = move.records();
  const auto last_pass = [&]() -> Status {
    LADDER_CHECK(move.copy_all());
    LADDER_CHECK(move.copy_items());
    LADDER_TRY(const OwnerAccess access, from.operators().access_of(name));
    LADDER_CHECK(to.operators().add_access(name, access));
    moved.grants = std::ssize(access.grants);
    moved.tokens = std::ssize(access.tokens);
    LADDER_CHECK(to.operators().set_limits(name, owner.limits));
    return to.operators().resume(name);
  };
  observer.suspending();
  const auto suspended = now();
  LADDER_CHECK(from.operators().suspend(name));
  if (Status done = last_pass(); !done) {
    if (!owner.suspended_at) LADDER_CHECK(from.operators().resume(name));
    return std::unexpected(std::move(done).error());
  }
  moved.suspended = since(suspended);
  LADDER_TRY(const OwnerSummary there, to.operators().find(name));
  moved.records = there.records;
  moved.copied_again = move.records() - first_pass;
  moved.blobs = move.blobs();
  return moved;
}

}  // namespace ladder::server
