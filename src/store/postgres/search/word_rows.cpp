#include "store/postgres/search/word_rows.h"

#include "store/postgres/search/lexemes.h"

#include <algorithm>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr Statement kAddPassages{
    "INSERT INTO passages (text_no, passage_no, stream_no, value_id, column_no, start_char, end_char, tsv)"
    " SELECT unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bigint[]), unnest($5::bigint[]),"
    " unnest($6::bigint[]), unnest($7::bigint[]), unnest($8::tsvector[])"};
constexpr Statement kAddWords{
    "INSERT INTO words (stream_no, record_no, place, key, tsv)"
    " SELECT $1::bigint, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bytea[]), unnest($5::tsvector[])"};
constexpr Statement kDropWords{"DELETE FROM words WHERE record_no = ANY ($1::bigint[])"};
constexpr Statement kAddTexts{"INSERT INTO texts (text_no, record_no) SELECT unnest($1::bigint[]), unnest($2::bigint[])"};
constexpr Statement kDropTexts{"DELETE FROM texts WHERE text_no = ANY ($1::bigint[])"};
constexpr Statement kDropPassages{"DELETE FROM passages WHERE text_no = ANY ($1::bigint[])"};
constexpr Statement kNoteTexts{"UPDATE streams SET has_texts = true WHERE stream_no = $1::bigint AND NOT has_texts"};

// The passages of a long text that came with its record, as rows from `no` on.
Status cut_long(const WordLayout& layout, const SearchedText& text, const BufferedValues& values, std::int64_t& no,
                std::vector<PassageRow>& rows) {
  bool first = true;
  PassageCutter cutter([&](Passage&& passage) -> Status {
    rows.push_back(passage_row(layout.owner, text.column, text.ref->id, no++, passage, std::exchange(first, false)));
    return {};
  });
  std::vector<const ChunkRow*> chunks;
  for (const ChunkRow& chunk : values.chunks) {
    if (chunk.value == text.ref->text_id) chunks.push_back(&chunk);
  }
  std::ranges::sort(chunks, {}, &ChunkRow::chunk_no);
  for (const ChunkRow* chunk : chunks) LADDER_CHECK(cutter.feed(chunk->bytes));
  return cutter.finish();
}

}  // namespace

PassageRow passage_row(OwnerNo owner, int column, ValueId value, std::int64_t no, const Passage& passage, bool first) {
  WordVector vector;
  vector.add(owner, column, passage.words, first);
  return {.no = no, .value = value, .column = column, .start = passage.start, .end = passage.end, .vector = vector.take()};
}

Result<RecordWords> words_of_record(const WordLayout& layout, std::string_view body, const BufferedValues* values) {
  RecordWords words;
  const std::vector<SearchedText> texts = searched_texts(body, layout.columns);
  std::vector<std::pair<int, std::vector<Passage>>> of_short;
  std::int64_t next_long = 0;
  for (const SearchedText& text : texts) {
    if (text.ref) {
      words.several = true;
      if (values != nullptr) LADDER_CHECK(cut_long(layout, text, *values, next_long, words.passages));
      continue;
    }
    LADDER_TRY(auto passages, cut_passages(text.text));
    words.several = words.several || passages.size() > 1;
    of_short.emplace_back(text.column, std::move(passages));
  }
  if (!words.several) {
    WordVector vector;
    for (const auto& [column, passages] : of_short) {
      for (const Passage& passage : passages) vector.add(layout.owner, column, passage.words, true);
    }
    if (!vector.empty()) words.vector = vector.take();
    return words;
  }
  std::int64_t next_short = -1;
  for (const auto& [column, passages] : of_short) {
    for (const Passage& passage : passages) {
      words.passages.push_back(passage_row(layout.owner, column, 0, next_short--, passage, &passage == &passages.front()));
    }
  }
  return words;
}

bool same_single_words(const WordLayout& layout, std::string_view body, std::string_view other) {
  const auto same = [](const SearchedText& a, const SearchedText& b) {
    return a.column == b.column && !a.ref && !b.ref && a.text == b.text;
  };
  return std::ranges::equal(searched_texts(body, layout.columns), searched_texts(other, layout.columns), same);
}

bool has_long_text(const WordLayout& layout, std::string_view body) {
  const auto texts = searched_texts(body, layout.columns);
  return std::ranges::any_of(texts, [](const SearchedText& text) { return text.ref.has_value(); });
}

void PassageRows::add(TextNo text, StreamNo stream, const PassageRow& row) {
  text_.add(text);
  no_.add(row.no);
  stream_.add(stream);
  value_.add(row.value);
  column_.add(row.column);
  start_.add(row.start);
  end_.add(row.end);
  vector_.add(row.vector);
}

void PassageRows::queue(Connection& connection) const {
  if (!empty()) connection.add(kAddPassages, text_, no_, stream_, value_, column_, start_, end_, vector_);
}

void WordRows::add_single(RecordNo record, std::int64_t place, std::string_view key, std::string_view vector) {
  record_.add(record);
  place_.add(place);
  key_.add(key);
  vector_.add(vector);
}

void WordRows::add_text(TextNo text, RecordNo record, const std::vector<PassageRow>& passages) {
  text_.add(text);
  text_record_.add(record);
  for (const PassageRow& row : passages) passages_.add(text, stream_, row);
}

void WordRows::drop_text(TextNo text, bool passages_too) {
  dropped_text_.add(text);
  if (passages_too) emptied_text_.add(text);
}

void WordRows::queue(Connection& connection) const {
  if (!dropped_.empty()) connection.add(kDropWords, dropped_);
  if (!dropped_text_.empty()) connection.add(kDropTexts, dropped_text_);
  if (!emptied_text_.empty()) connection.add(kDropPassages, emptied_text_);
  if (!record_.empty()) connection.add(kAddWords, stream_, record_, place_, key_, vector_);
  if (!text_.empty()) {
    connection.add(kNoteTexts, stream_);
    connection.add(kAddTexts, text_, text_record_);
  }
  passages_.queue(connection);
}

}  // namespace ladder::store::postgres
