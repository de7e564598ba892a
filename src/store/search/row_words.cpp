#include "store/search/row_words.h"

#include "text/passages.h"
#include "text/words.h"

#include <algorithm>
#include <utility>

namespace ladder::store {

void StreamWords::add(int column, std::string field, bool is_dropped) {
  columns.push_back({column, std::move(field)});
  if (is_dropped) return;
  mask |= text::WordColumns{1} << column;
  written.push_back(columns.back());
}

std::vector<SearchedText> StreamWords::texts(std::string_view body, text::WordColumns in) const {
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

std::string words_of(std::string_view valid_utf8) {
  std::string joined;
  text::Words words;
  words.feed(valid_utf8);
  words.finish();
  for (text::Word word; words.next(word);) {
    if (!joined.empty()) joined += ' ';
    if (word.pair) joined += text::kPairMark;
    joined += word.text;
  }
  return joined;
}

bool fit_one_row(std::span<const ShortPassage> passages) {
  return std::ranges::adjacent_find(passages, {}, &ShortPassage::column) == passages.end();
}

RowWords one_row(std::vector<ShortPassage> passages) {
  RowWords words;
  words.reserve(passages.size());
  for (ShortPassage& part : passages) words.push_back({part.column, std::move(part.passage.words)});
  return words;
}

bool has_long(std::span<const SearchedText> texts) {
  return std::ranges::any_of(texts, [](const SearchedText& text) { return text.ref.has_value(); });
}

bool same_rows(std::span<const SearchedText> a, std::span<const SearchedText> b) {
  return std::ranges::equal(a, b, [](const SearchedText& x, const SearchedText& y) {
    return !x.ref && !y.ref && x.column == y.column && x.text == y.text;
  });
}

}  // namespace ladder::store
