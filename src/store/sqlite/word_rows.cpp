#include "store/sqlite/word_rows.h"

#include "base/limits.h"
#include "store/passages.h"

#include <algorithm>

namespace ladder::store::sqlite {
namespace {

constexpr std::size_t kMostGathered = 4 * limits::kMiB;

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

Status WordRows::add(WordRowId row, RowWords words) { return gather({row, true, std::move(words)}); }

Status WordRows::remove(WordRowId row, RowWords words) { return gather({row, false, std::move(words)}); }

Status WordRows::gather(Change change) {
  if (change.words.empty()) return {};
  gathered_ += size_of(change.words);
  changes_.push_back(std::move(change));
  return gathered_ < kMostGathered ? Status{} : flush();
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
  if (was) {
    if (!dirty_) LADDER_CHECK(connection_.use(Sql::kWordsDirty).run());
    dirty_ = true;
    LADDER_CHECK(run(Sql::kDropWords, was->row, was->words));
  }
  return is ? run(Sql::kAddWords, is->row, is->words) : Status{};
}

Status WordRows::run(Sql statement, WordRowId row, const RowWords& words) {
  Statement write = connection_.use(statement);
  write.unbind().integer(1, row);
  for (const ColumnWords& column : words) write.text(column.column + 2, column.words);
  written_ += size_of(words);
  return write.run();
}

}  // namespace ladder::store::sqlite
