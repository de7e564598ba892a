#include "store/sqlite/search/word_writer.h"

#include "store/sqlite/engine/numbers.h"

#include <algorithm>
#include <utility>

namespace ladder::store::sqlite {

Status add_passage(Connection& connection, WordRowId row, ValueId value, int column, const text::Passage& passage) {
  return connection.use(Sql::kAddPassage)
      .integer(1, row)
      .integer(2, value)
      .integer(3, column)
      .integer(4, passage.start)
      .integer(5, passage.end)
      .run();
}

Status TextWriter::begin(TextCursor& at) {
  const bool further = at.first != 0;
  LADDER_TRY(at.text, take_text(connection_, stream_));
  at.next = 0;
  if (!further) at.first = at.text;
  LADDER_CHECK(connection_.use(Sql::kAddText)
                   .integer(1, at.text)
                   .integer(2, owner_.record)
                   .integer(3, owner_.loose)
                   .integer(4, further ? 1 : 0)
                   .run());
  if (!further) return {};
  if (owner_.record != 0) return connection_.use(Sql::kShareTextsOfRecord).integer(1, owner_.record).run();
  return connection_.use(Sql::kShareTextsOfLoose).integer(1, owner_.loose).run();
}

Status TextWriter::add(TextCursor& at, ValueId value, int column, text::Passage passage) {
  if (at.first == 0 || at.next == kLongPassages) LADDER_CHECK(begin(at));
  const WordRowId row = first_row(at.text) + at.next++;
  LADDER_CHECK(add_passage(connection_, row, value, column, passage));
  return rows_.add(row, {{column, std::move(passage.words)}});
}

Status add_short_rows(Connection& connection, WordRows& rows, TextNo text, std::vector<ShortPassage> passages) {
  if (std::ssize(passages) > kShortPassages) return fail(Code::kInternal, "a record has too many passages in its short fields");
  std::int64_t number = 0;
  for (ShortPassage& part : passages) {
    const WordRowId row = short_row(text, number++);
    LADDER_CHECK(add_passage(connection, row, 0, part.column, part.passage));
    LADDER_CHECK(rows.add(row, {{part.column, std::move(part.passage.words)}}));
  }
  return {};
}

Status remove_short_rows(Connection& connection, WordRows& rows, TextNo text, std::vector<ShortPassage> passages) {
  std::int64_t number = 0;
  for (ShortPassage& part : passages) {
    const WordRowId row = short_row(text, number++);
    LADDER_CHECK(connection.use(Sql::kDropPassage).integer(1, row).run());
    LADDER_CHECK(rows.remove(row, {{part.column, std::move(part.passage.words)}}));
  }
  return {};
}

Status drop_short_passages(Connection& connection, TextNo text) {
  return connection.use(Sql::kDropPassages).integer(1, short_row(text, 0)).integer(2, last_row(text)).run();
}

Status WordWriter::load() {
  LADDER_TRY(words_, load_stream_words(connection_, stream_));
  return rows_.begin(words_.owner);
}

bool WordWriter::fits(std::int64_t staged_epoch, std::string_view body) const {
  if (staged_epoch == words_.epoch) return true;
  return staged_epoch == 0 && !has_long(words_.texts(body, words_.mask));
}

Result<WordState> WordWriter::add(const WordSource& record, const BufferedValues& values, CutWords& cut) {
  CutWords taken = std::exchange(cut, {});  // a retry must not find them partly used
  if (taken.epoch != words_.epoch) {
    LADDER_TRY(taken, words_.cut(record.body));
  }
  return add(record, taken.texts, std::move(taken.passages), values);
}

Status WordWriter::remove(const WordSource& record, const WordState& state) {
  return remove(record, state, words_.texts(record.body, state.mask));
}

Result<WordState> WordWriter::replace(const WordSource& old, const WordState& state, const WordSource& now,
                                      const BufferedValues& values) {
  const std::vector<SearchedText> before = words_.texts(old.body, state.mask);
  const std::vector<SearchedText> after = words_.texts(now.body, words_.mask);
  if (state.mask == words_.mask && same_rows(before, after)) return state;
  LADDER_CHECK(remove(old, state, before));
  LADDER_TRY(std::vector<ShortPassage> passages, short_passages(after));
  return add(now, after, std::move(passages), values);
}

Result<WordState> WordWriter::add(const WordSource& record, std::span<const SearchedText> texts,
                                  std::vector<ShortPassage> passages, const BufferedValues& values) {
  WordState state{words_.mask, 0};
  if (texts.empty()) return state;
  TextCursor at;
  TextWriter writer(connection_, rows_, stream_, {.record = record.no, .loose = 0});
  if (has_long(texts)) {
    LADDER_TRY(at.first, show_staged(record));
    if (at.first == 0) LADDER_CHECK(add_buffered(at, writer, texts, values));
  }
  if (at.first == 0 && fit_one_row(passages)) {
    LADDER_CHECK(rows_.add(first_row(record.no), one_row(std::move(passages))));
    return state;
  }
  if (at.first == 0) LADDER_CHECK(writer.begin(at));
  LADDER_CHECK(add_short_rows(connection_, rows_, at.first, std::move(passages)));
  state.text = at.first;
  return state;
}

Result<TextNo> WordWriter::show_staged(const WordSource& record) {
  TextNo first = 0;
  {
    Statement row = connection_.use(Sql::kFirstTextOfLoose);
    LADDER_TRY(const bool found, row.integer(1, record.first_value).step());
    if (found) first = row.integer_at(0);
  }
  if (first != 0) LADDER_CHECK(connection_.use(Sql::kShowTexts).integer(1, record.first_value).integer(2, record.no).run());
  return first;
}

Status WordWriter::add_buffered(TextCursor& at, TextWriter& writer, std::span<const SearchedText> texts,
                                const BufferedValues& values) {
  for (const SearchedText& text : texts) {
    if (!text.ref) continue;
    const ValueId value = text.ref->id;
    text::PassageCutter cutter([&](text::Passage&& passage) { return writer.add(at, value, text.column, std::move(passage)); });
    for (const ChunkRow& chunk : values.chunks) {
      if (chunk.value == value) LADDER_CHECK(cutter.feed(chunk.bytes));
    }
    LADDER_CHECK(cutter.finish());
  }
  return {};
}

Status WordWriter::remove(const WordSource& record, const WordState& state, std::span<const SearchedText> texts) {
  LADDER_TRY(std::vector<ShortPassage> passages, short_passages(texts));
  if (state.text == 0) return rows_.remove(first_row(record.no), one_row(std::move(passages)));
  LADDER_CHECK(remove_short_rows(connection_, rows_, state.text, std::move(passages)));
  return hide_texts(record);
}

Status WordWriter::hide_texts(const WordSource& record) {
  if (record.value_count == 0) return connection_.use(Sql::kDropTextsOfRecord).integer(1, record.no).run();
  return connection_.use(Sql::kHideTexts).integer(1, record.no).integer(2, record.first_value).run();
}

Status WordWriter::purge(const WordSource& record, const WordState& state) {
  if (!purges_) LADDER_CHECK(connection_.use(Sql::kPurgeStream).integer(1, stream_).run());
  purges_ = true;
  if (state.text == 0) return {};
  LADDER_CHECK(drop_short_passages(connection_, state.text));
  return hide_texts(record);
}

Status WordWriter::save() { return rows_.save(); }

}  // namespace ladder::store::sqlite
