#include "store/sqlite/search/word_rows.h"

#include "base/limits.h"
#include "store/postings/posting_merge.h"
#include "store/sqlite/search/posting_rows.h"

#include <utility>

namespace ladder::store::sqlite {

Result<StreamWords> load_stream_words(Connection& connection, StreamNo stream) {
  StreamWords words;
  words.owner = connection.owner();
  {
    Statement row = connection.use(Sql::kWordsEpoch);
    LADDER_TRY(const bool found, row.integer(1, stream).step());
    if (found) words.epoch = row.integer_at(0);
  }
  if (words.epoch == 0) return words;
  Statement rows = connection.use(Sql::kColumnsOfStream);
  rows.integer(1, stream);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return words;
    const bool is_dropped = static_cast<ColumnState>(rows.integer_at(2)) == ColumnState::kDropping;
    words.add(static_cast<int>(rows.integer_at(0)), rows.string_at(3), is_dropped);
  }
}

namespace {

constexpr std::size_t kMaxGathered = limits::kMiB;

}  // namespace

Status WordRows::begin(OwnerNo owner) {
  if (owner == owner_) return {};
  LADDER_CHECK(save());
  owner_ = owner;
  return {};
}

Status WordRows::add(WordRowId row, RowWords words) {
  batch_.add(row, std::move(words));
  return flush_full();
}

Status WordRows::remove(WordRowId row, RowWords words) {
  const std::size_t before = batch_.bytes();
  batch_.remove(row, std::move(words));
  removed_ += batch_.bytes() - before;
  return flush_full();
}

Status WordRows::flush_full() { return batch_.bytes() < kMaxGathered ? Status{} : flush(); }

Status WordRows::flush() {
  if (batch_.empty()) return {};
  written_ += batch_.bytes();
  PostingRows rows(connection_, owner_);
  LADDER_TRY(const std::int64_t blocks, batch_.write(rows));
  blocks_written_ += blocks;
  return {};
}

Status WordRows::save() {
  LADDER_CHECK(flush());
  PostingRows rows(connection_, owner_);
  return merge_after_write(rows, std::exchange(blocks_written_, 0));
}

}  // namespace ladder::store::sqlite
