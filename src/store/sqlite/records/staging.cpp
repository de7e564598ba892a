// Stages long values during an upload. Chunks are buffered and written in short transactions, under ids that no record
// refers to, with a lease that each write renews. The words of searched texts are staged with them under a hidden text
// number. Blobs are uploaded the same way.
#include "base/limits.h"
#include "base/text/format.h"
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/records/blob_rows.h"
#include "store/sqlite/records/chunk_rows.h"
#include "store/sqlite/search/word_writer.h"

#include <algorithm>

namespace ladder::store::sqlite {
namespace {

// The size of one transaction: some milliseconds of work, well below the limit of 50.
constexpr std::size_t kFlushBytes = limits::kMiB;

Status insert_chunk(Connection& connection, ValueId value, std::int64_t chunk_no, std::string_view raw, const StoredBytes& row) {
  return connection.use(Sql::kAddChunk)
      .integer(1, value)
      .integer(2, chunk_no)
      .blob(3, row.bytes)
      .maybe_integer(4, row.raw_size)
      .integer(5, chunk_sum(value, chunk_no, raw))
      .run();
}

class SqliteStaging final : public Staging {
 public:
  SqliteStaging(Writer& writer, OwnerNo owner, ValueId first, StreamNo stream, StreamWords words)
      : writer_(writer), owner_(owner), first_(first), stream_(stream), words_(std::move(words)) {}

  Status begin_text(ValueId value, std::string_view field) override {
    LADDER_CHECK(end_text());
    const auto column = std::ranges::find(words_.written, field, &WordColumn::field);
    if (column != words_.written.end()) text_ = std::make_unique<Text>(*this, value, column->column);
    return {};
  }

  Status put_chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes) override {
    if (text_ && text_->value != value) LADDER_CHECK(end_text());
    LADDER_CHECK(values_.put_chunk(value, chunk_no, bytes));
    if (text_) LADDER_CHECK(text_->cutter.feed(bytes));
    return gathered(bytes.size());
  }

  Status put_directory_page(ValueId value, std::int64_t first, std::string_view page) override {
    LADDER_CHECK(values_.put_directory_page(value, first, page));
    return gathered(page.size());
  }

  Status finish() override {
    LADDER_CHECK(end_text());
    return flush_all();
  }

 private:
  struct StagedPassage {
    ValueId value = 0;
    int column = 0;
    text::Passage passage;
  };
  // The searched text that is being uploaded.
  struct Text {
    Text(SqliteStaging& staging, ValueId id, int column)
        : value(id), cutter([&staging, id, column](text::Passage&& passage) -> Status {
            staging.passages_.push_back({id, column, std::move(passage)});
            return {};
          }) {}
    const ValueId value;
    text::PassageCutter cutter;
  };

  Status end_text() {
    if (!text_) return {};
    const std::unique_ptr<Text> ended = std::move(text_);
    return ended->cutter.finish();
  }
  Status gathered(std::size_t bytes) {
    bytes_ += bytes;
    return bytes_ < kFlushBytes ? Status{} : flush_all();
  }
  bool all_flushed() const {
    return next_chunk_ == values_.chunks.size() && next_page_ == values_.directory.size() && next_passage_ == passages_.size();
  }
  Status flush_all() {
    while (!all_flushed()) LADDER_CHECK(flush());
    return {};
  }

  Status flush();
  Status renew_lease(Connection& connection);
  // Writes the passages from `from` on that fit the transaction. Returns the next one.
  Result<std::size_t> write_passages(WriteTransaction& transaction, std::size_t from, TextCursor& cursor);

  Writer& writer_;
  const OwnerNo owner_;
  const ValueId first_;
  const StreamNo stream_;
  const StreamWords words_;
  BufferedValues values_;
  std::vector<StagedPassage> passages_;
  std::unique_ptr<Text> text_;
  std::size_t bytes_ = 0;
  std::size_t next_chunk_ = 0;  // all chunks before it are durable
  std::size_t next_page_ = 0;
  std::size_t next_passage_ = 0;
  TextCursor cursor_;
};

// Writes as much of the buffer as fits one transaction. Staged values are not compressed (design D31).
Status SqliteStaging::flush() {
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  transaction.set_owner(owner_);
  LADDER_CHECK(renew_lease(*transaction));
  std::size_t chunk = next_chunk_;
  std::size_t page = next_page_;
  for (; chunk < values_.chunks.size() && !(chunk > next_chunk_ && transaction.time_is_up()); ++chunk) {
    const ChunkRow& row = values_.chunks[chunk];
    LADDER_CHECK(insert_chunk(*transaction, row.value, row.chunk_no, row.bytes, {row.bytes, std::nullopt}));
  }
  for (; page < values_.directory.size() && !(page > next_page_ && transaction.time_is_up()); ++page) {
    LADDER_CHECK(add_directory_page(*transaction, values_.directory[page]));
  }
  TextCursor cursor = cursor_;
  LADDER_TRY(const std::size_t passage, write_passages(transaction, next_passage_, cursor));
  LADDER_CHECK(transaction.commit_bulk());
  next_chunk_ = chunk;
  next_page_ = page;
  next_passage_ = passage;
  cursor_ = cursor;
  if (all_flushed()) {
    values_.chunks.clear();
    values_.directory.clear();
    passages_.clear();
    next_chunk_ = next_page_ = next_passage_ = bytes_ = 0;
  }
  return {};
}

Result<std::size_t> SqliteStaging::write_passages(WriteTransaction& transaction, std::size_t from, TextCursor& cursor) {
  WordRows rows(*transaction);
  LADDER_CHECK(rows.begin(owner_));
  TextWriter writer(*transaction, rows, stream_, {.record = 0, .loose = first_});
  std::size_t next = from;
  const auto full = [&] { return transaction.time_is_up() || rows.bytes() >= kMaxBatchWordBytes; };
  for (; next < passages_.size() && !(next > from && full()); ++next) {
    const StagedPassage& staged = passages_[next];
    LADDER_CHECK(writer.add(cursor, staged.value, staged.column, staged.passage));
  }
  LADDER_CHECK(rows.save());
  return next;
}

// Runs in the transaction that writes the chunks, so that nothing is added to a set that the sweep has removed as abandoned.
Status SqliteStaging::renew_lease(Connection& connection) {
  LADDER_CHECK(connection.use(Sql::kTouchStaged).integer(1, first_).integer(2, Clock::system().now()).run());
  if (connection.rows_changed() == 1) return {};
  return fail(Code::kStoreUnavailable,
              format("the upload of a value made no progress for over {} s and was removed: send the record again",
                     limits::kStagingLeaseS));
}

}  // namespace

Status add_chunk(Connection& connection, ValueId value, std::int64_t chunk_no, std::string_view bytes,
                 ChunkCompressor& compressor) {
  return insert_chunk(connection, value, chunk_no, bytes, compressor.store(value, bytes));
}

Status add_directory_page(Connection& connection, const DirectoryRow& page) {
  return connection.use(Sql::kAddDirectoryPage)
      .integer(1, page.value)
      .integer(2, page.first)
      .blob(3, page.page)
      .integer(4, page_sum(page.value, page.first, page.page))
      .run();
}

Result<std::unique_ptr<Staging>> SqliteStore::stage(OwnerNo owner, ValueId first, std::int64_t count, StreamNo stream) {
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  transaction.set_owner(owner);
  LADDER_TRY(StreamWords words, load_stream_words(*transaction, stream));
  LADDER_CHECK(transaction->use(Sql::kAddLoose)
                   .integer(1, first)
                   .integer(2, count)
                   .integer(3, static_cast<std::int64_t>(LooseState::kStaged))
                   .integer(4, Clock::system().now())
                   .integer(5, words.epoch)
                   .integer(6, 0)
                   .run());
  LADDER_CHECK(transaction.commit());
  return std::make_unique<SqliteStaging>(writer_, owner, first, stream, std::move(words));
}

namespace {

// Reads the row of a blob. kDamagedData when its checksum does not match.
Result<std::optional<BlobRow>> blob_row(Connection& connection, OwnerNo owner, const Digest& digest) {
  Statement row = connection.use(Sql::kBlob);
  LADDER_TRY(const bool found, row.integer(1, owner).blob(2, crypto::view(digest)).step());
  if (!found) return std::nullopt;
  BlobRow blob{.digest = digest, .size_bytes = row.integer_at(0), .mime_type = row.string_at(1), .value = row.integer_at(2)};
  if (!holds(row.maybe_integer_at(3), blob_sum(owner, blob))) return std::unexpected(damaged_blob());
  return blob;
}

Result<bool> has_all_bytes(Connection& connection, const BlobRow& blob) {
  ChunkRows chunks(connection, blob.value, blob.value + 1);
  std::int64_t bytes = 0;
  for (;;) {
    LADDER_TRY(const bool row, chunks.next());
    if (!row) return bytes == blob.size_bytes;
    if (!chunks.is_intact()) return false;
    bytes += std::ssize(chunks.bytes());
  }
}

// Returns whether the store has the blob undamaged. If its bytes are damaged, they are released and the caller writes
// them again. If its row is damaged, the location of its bytes is unknown.
Result<bool> is_known(Connection& connection, OwnerNo owner, const Digest& digest) {
  const auto blob = blob_row(connection, owner, digest);
  if (!blob && blob.error().code == Code::kDamagedData) return false;
  if (!blob) return std::unexpected(blob.error());
  if (!*blob) return false;
  LADDER_TRY(const bool whole, has_all_bytes(connection, **blob));
  if (whole) return true;
  LADDER_CHECK(connection.use(Sql::kAddLoose)
                   .integer(1, (*blob)->value)
                   .integer(2, 1)
                   .integer(3, static_cast<std::int64_t>(LooseState::kDead))
                   .integer(4, Clock::system().now())
                   .integer(5, 0)
                   .integer(6, 0)
                   .run());
  return false;
}

Status add_row(Connection& connection, OwnerNo owner, const BlobRow& blob) {
  return connection.use(Sql::kAddBlob)
      .integer(1, owner)
      .blob(2, crypto::view(blob.digest))
      .integer(3, blob.size_bytes)
      .text(4, blob.mime_type)
      .integer(5, blob.value)
      .integer(6, blob_sum(owner, blob))
      .run();
}

}  // namespace

Status drop_unused_blob(Connection& connection, const Digest& blob, Instant now) {
  ValueId value = 0;
  {
    Statement dropped = connection.use(Sql::kDropUnusedBlob);
    LADDER_TRY(const bool row, dropped.blob(1, crypto::view(blob)).step());
    if (!row) return {};
    value = dropped.integer_at(0);
  }
  return connection.use(Sql::kAddLoose)
      .integer(1, value)
      .integer(2, 1)
      .integer(3, static_cast<std::int64_t>(LooseState::kDead))
      .integer(4, now)
      .integer(5, 0)
      .integer(6, 0)
      .run();
}

Status SqliteStore::add_blob(OwnerNo owner, const BlobRow& blob) {
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  transaction.set_owner(owner);
  LADDER_TRY(const bool known, is_known(*transaction, owner, blob.digest));
  if (known) {
    LADDER_CHECK(transaction->use(Sql::kKillStaged).integer(1, blob.value).integer(2, Clock::system().now()).run());
    return transaction.commit();
  }
  LADDER_CHECK(transaction->use(Sql::kAttachStaged).integer(1, blob.value).integer(2, 1).run());
  if (transaction->rows_changed() != 1) {
    return fail(Code::kStoreUnavailable, "the upload of the blob took too long and was removed: send the blob again");
  }
  LADDER_CHECK(add_row(*transaction, owner, blob));
  return transaction.commit();
}

Status SqliteStore::add_blobs(OwnerNo owner, std::span<const BlobBytes> blobs) {
  LADDER_TRY(WriteTransaction transaction, writer_.begin(WriteKind::kBulk));
  transaction.set_owner(owner);
  ChunkCompressor compressor;
  for (const auto& [blob, bytes] : blobs) {
    LADDER_TRY(const bool known, is_known(*transaction, owner, blob.digest));
    if (known) continue;
    std::int64_t chunk_no = 0;
    for (std::string_view rest = bytes; !rest.empty(); rest.remove_prefix(std::min(rest.size(), limits::kChunkBytes))) {
      LADDER_CHECK(add_chunk(*transaction, blob.value, chunk_no++, rest.substr(0, limits::kChunkBytes), compressor));
    }
    LADDER_CHECK(add_row(*transaction, owner, blob));
  }
  return transaction.commit_bulk();
}

Status SqliteStore::drop_unused_blobs(OwnerNo owner, std::span<const Digest> blobs, Instant now) {
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  transaction.set_owner(owner);
  for (const Digest& blob : blobs) LADDER_CHECK(drop_unused_blob(*transaction, blob, now));
  return transaction.commit();
}

Result<std::optional<BlobRow>> SqliteStore::find_blob(OwnerNo owner, const Digest& digest) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  return blob_row(*reader, owner, digest);
}

}  // namespace ladder::store::sqlite
