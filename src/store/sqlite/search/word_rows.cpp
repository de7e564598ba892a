#include "store/sqlite/search/word_rows.h"

#include "base/limits.h"
#include "store/sqlite/upkeep/word_merge.h"
#include "store/text/passages.h"

#include <algorithm>
#include <utility>

namespace ladder::store::sqlite {

std::vector<SearchedText> StreamWords::texts(std::string_view body, WordColumns in) const {
  if (in == 0) return {};
  if (in == mask) return searched_texts(body, written);
  std::vector<WordColumn> asked;
  for (const WordColumn& column : columns) {
    if (in >> column.column & 1) asked.push_back(column);
  }
  return searched_texts(body, asked);
}

Result<CutWords> StreamWords::cut(std::string_view body) const {
  CutWords words{epoch, texts(body, mask), {}};
  LADDER_TRY(words.passages, short_passages(words.texts));
  return words;
}

Result<StreamWords> load_stream_words(Connection& connection, StreamNo stream) {
  StreamWords words;
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
    words.columns.push_back({static_cast<int>(rows.integer_at(0)), rows.string_at(3)});
    if (static_cast<ColumnState>(rows.integer_at(2)) == ColumnState::kDropping) continue;
    words.mask |= WordColumns{1} << words.columns.back().column;
    words.written.push_back(words.columns.back());
  }
}

namespace {

constexpr std::size_t kMaxGathered = 4 * limits::kMiB;

std::size_t size_of(const RowWords& words) {
  std::size_t size = 0;
  for (const ColumnWords& column : words) size += column.words.size();
  return size;
}

}  // namespace

std::string words_of(std::string_view valid_utf8) {
  std::string joined;
  Words words;
  words.feed(valid_utf8);
  words.finish();
  for (Word word; words.next(word);) {
    if (!joined.empty()) joined += ' ';
    if (word.pair) joined += kPairMark;
    joined += word.text;
  }
  return joined;
}

Status WordRows::add(const WordRow& row, RowWords words) { return gather({row, true, std::move(words)}); }

Status WordRows::remove(const WordRow& row, RowWords words) { return gather({row, false, std::move(words)}); }

Status WordRows::gather(Change change) {
  if (change.words.empty()) return {};
  gathered_ += size_of(change.words);
  changes_.push_back(std::move(change));
  return gathered_ < kMaxGathered ? Status{} : flush();
}

Status WordRows::flush() {
  std::ranges::stable_sort(changes_, {}, &Change::row);
  for (auto first = changes_.cbegin(); first != changes_.cend();) {
    const auto last = std::find_if(first, changes_.cend(), [&](const Change& change) { return change.row != first->row; });
    LADDER_CHECK(apply(first, last));
    first = last;
  }
  changes_.clear();
  gathered_ = 0;
  return {};
}

// The changes of a row take turns, so the first tells what it was and the last what it is.
Status WordRows::apply(Changes::const_iterator first, Changes::const_iterator last) {
  const Change* const was = first->adds ? nullptr : &*first;
  const Change* const is = std::prev(last)->adds ? &*std::prev(last) : nullptr;
  if (was && is && was->words == is->words) return {};
  if (was) LADDER_CHECK(run(PartSql::kRemove, was->row, was->words));
  return is ? run(PartSql::kAdd, is->row, is->words) : Status{};
}

Result<WordRows::Touched*> WordRows::touch(const WordPart& part) {
  const auto [at, first] = touched_.try_emplace(part);
  if (first) LADDER_CHECK(make_part(connection_, part));
  return &at->second;
}

Status WordRows::run(PartSql statement, const WordRow& row, const RowWords& words) {
  const WordPart part = part_of(row.kind, number_of(row.id));
  LADDER_TRY(Touched* const touched, touch(part));
  if (statement == PartSql::kRemove && !std::exchange(touched->dirty, true)) {
    LADDER_CHECK(connection_.use(Sql::kSetDirty).integer(1, part.id()).run());
  }
  const std::size_t bytes = size_of(words);
  touched->bytes += bytes;
  written_ += bytes;
  Statement write = use_part(connection_, statement, part);
  write.unbind().integer(1, row.id);
  for (const ColumnWords& column : words) write.text(column.column + 2, column.words);
  return write.run();
}

Status WordRows::save() {
  LADDER_CHECK(flush());
  for (const auto& [part, touched] : touched_) LADDER_CHECK(tend_part(connection_, part, touched.bytes));
  return {};
}

}  // namespace ladder::store::sqlite
