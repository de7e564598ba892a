#include "store/postgres/search/word_rows.h"

#include "store/postgres/search/posting_rows.h"
#include "store/postings/posting_merge.h"

#include <algorithm>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr Statement kDropPassages{"DELETE FROM passages WHERE owner_no = :owner AND row_id = ANY ($1::bigint[])"};
constexpr Statement kAddPassages{
    "INSERT INTO passages (owner_no, row_id, value_id, column_no, start_char, end_char)"
    " SELECT :owner, unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bigint[]), "
    "unnest($5::bigint[])"};
constexpr Statement kDropTexts{"DELETE FROM texts WHERE owner_no = :owner AND text_no = ANY ($1::bigint[])"};
constexpr Statement kDropTextsOf{
    "DELETE FROM texts WHERE owner_no = :owner AND record_no = ANY ($1::bigint[]) AND record_no > 0"};
constexpr Statement kHideTexts{
    "UPDATE texts t SET record_no = 0, loose = w.loose FROM unnest($1::bigint[], $2::bigint[]) AS w(record_no, loose)"
    " WHERE t.owner_no = :owner AND t.record_no = w.record_no AND t.record_no > 0"};
constexpr Statement kShowTexts{
    "UPDATE texts t SET record_no = w.record_no, loose = 0 FROM unnest($1::bigint[], $2::bigint[]) AS w(loose, record_no)"
    " WHERE t.owner_no = :owner AND t.loose = w.loose AND t.loose > 0"};
constexpr Statement kShareTexts{
    "UPDATE texts SET shared = 1 WHERE owner_no = :owner AND loose = ANY ($1::bigint[]) AND loose > 0"};
constexpr Statement kAddTexts{
    "INSERT INTO texts (owner_no, text_no, record_no, loose, shared)"
    " SELECT $1::bigint, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bigint[]), unnest($5::bigint[])"};

}  // namespace

void WordRows::add_text(TextNo text, TextOwner of) {
  const auto same_owner = [&](const Text& other) { return other.of.record == of.record && other.of.loose == of.loose; };
  bool shared = false;
  for (Text& other : texts_) {
    if (same_owner(other)) shared = other.shared = true;
  }
  texts_.push_back({text, of, shared});
}

void WordRows::add_passage(WordRowId row, ValueId value, int column, const text::Passage& passage) {
  row_.add(row);
  value_.add(value);
  column_.add(column);
  start_.add(passage.start);
  end_.add(passage.end);
}

void WordRows::add_long(WordRowId row, ValueId value, int column, text::Passage&& passage) {
  add_passage(row, value, column, passage);
  add_row(row, {{column, std::move(passage.words)}});
}

void WordRows::add_short(TextNo text, std::vector<ShortPassage> passages) {
  std::int64_t number = 0;
  for (ShortPassage& part : passages) add_long(short_row(text, number++), 0, part.column, std::move(part.passage));
}

void WordRows::remove_short(TextNo text, std::vector<ShortPassage> passages) {
  std::int64_t number = 0;
  for (ShortPassage& part : passages) {
    const WordRowId row = short_row(text, number++);
    drop_passage(row);
    remove_row(row, {{part.column, std::move(part.passage.words)}});
  }
}

void WordRows::show(ValueId loose, RecordNo record) {
  shown_loose_.add(loose);
  shown_record_.add(record);
}

void WordRows::hide(RecordNo record, ValueId loose) {
  hidden_record_.add(record);
  hidden_loose_.add(loose);
}

bool WordRows::empty() const {
  return batch_.empty() && texts_.empty() && row_.empty() && dropped_passage_.empty() && dropped_text_.empty() &&
         dropped_record_.empty() && hidden_record_.empty() && shown_loose_.empty() && shared_loose_.empty();
}

// A record's old texts are dropped or hidden before new ones are attached.
void WordRows::queue(Connection& connection) const {
  if (!dropped_passage_.empty()) connection.add(kDropPassages, dropped_passage_);
  if (!dropped_text_.empty()) connection.add(kDropTexts, dropped_text_);
  if (!dropped_record_.empty()) connection.add(kDropTextsOf, dropped_record_);
  if (!hidden_record_.empty()) connection.add(kHideTexts, hidden_record_, hidden_loose_);
  if (!shown_loose_.empty()) connection.add(kShowTexts, shown_loose_, shown_record_);
  if (!texts_.empty()) {
    Int8Array text, record, loose, shared;
    for (const Text& row : texts_) {
      text.add(row.no);
      record.add(row.of.record);
      loose.add(row.of.loose);
      shared.add(row.shared ? 1 : 0);
    }
    connection.add(kAddTexts, owner_, text, record, loose, shared);
  }
  if (!shared_loose_.empty()) connection.add(kShareTexts, shared_loose_);
  if (!row_.empty()) connection.add(kAddPassages, row_, value_, column_, start_, end_);
}

Status WordRows::write(Connection& connection, SegmentNo segment, std::optional<std::span<const PostingSegment>> seen) {
  queue(connection);
  if (batch_.empty()) return {};
  PostingRows rows(connection, owner_);
  if (segment != 0) rows.give_segment_no(segment);
  if (batch_.has_removals()) LADDER_CHECK(rows.lock_owner());
  PostingBatch batch = batch_;  // the transaction may be retried
  LADDER_TRY(const std::int64_t blocks, batch.write(rows));
  bool merges = !seen;
  if (seen) {
    std::vector<PostingSegment> now(seen->begin(), seen->end());
    now.push_back({.no = segment, .blocks = blocks});
    merges = merges_after_write(now);
  }
  if (merges) {
    LADDER_CHECK(rows.lock_owner());
    LADDER_CHECK(merge_after_write(rows, blocks));
  }
  rows.send();
  return {};
}

Status TextWriter::begin(TextCursor& at) {
  LADDER_TRY(at.text, take_());
  at.next = 0;
  rows_.add_text(at.text, owner_);
  if (at.first == 0) at.first = at.text;
  else if (owner_.loose != 0) rows_.share_texts_of(owner_.loose);
  return {};
}

Status TextWriter::add(TextCursor& at, ValueId value, int column, text::Passage&& passage) {
  if (at.first == 0 || at.next == kLongPassages) LADDER_CHECK(begin(at));
  rows_.add_long(first_row(at.text) + at.next++, value, column, std::move(passage));
  return {};
}

// --- the words of records ---

Result<WordState> WordWriter::add(const WordSource& record, const BufferedValues* values, StagedText staged) {
  return add(record, words_.texts(record.body, words_.mask), values, staged);
}

Result<WordState> WordWriter::add(const WordSource& record, std::span<const SearchedText> texts, const BufferedValues* values,
                                  StagedText staged) {
  WordState state{words_.mask, 0};
  if (texts.empty()) return state;
  LADDER_TRY(std::vector<ShortPassage> passages, short_passages(texts));
  TextCursor at{.first = staged.text};
  TextWriter writer(rows_, {.record = record.no, .loose = 0}, [this] { return numbers_.take(); });
  if (staged.text != 0) rows_.show(staged.set, record.no);
  for (const SearchedText& text : texts) {
    if (!text.ref || values == nullptr) continue;
    text::PassageCutter cutter(
        [&](text::Passage&& passage) { return writer.add(at, text.ref->id, text.column, std::move(passage)); });
    for (const ChunkRow& chunk : values->chunks) {
      if (chunk.value == text.ref->id) LADDER_CHECK(cutter.feed(chunk.bytes));
    }
    LADDER_CHECK(cutter.finish());
  }
  if (at.first == 0 && fit_one_row(passages)) {
    rows_.add_row(first_row(record.no), one_row(std::move(passages)));
    return state;
  }
  if (at.first == 0) LADDER_CHECK(writer.begin(at));
  rows_.add_short(at.first, std::move(passages));
  state.text = at.first;
  return state;
}

Status WordWriter::remove(const WordSource& record, const WordState& state) {
  return remove(record, state, words_.texts(record.body, state.mask), record.first_value);
}

Status WordWriter::retire(const WordSource& record, const WordState& state, ValueId set) {
  return remove(record, state, words_.texts(record.body, state.mask), set);
}

Status WordWriter::remove(const WordSource& record, const WordState& state, std::span<const SearchedText> texts, ValueId loose) {
  LADDER_TRY(std::vector<ShortPassage> passages, short_passages(texts));
  if (state.text == 0) {
    if (!passages.empty()) rows_.remove_row(first_row(record.no), one_row(std::move(passages)));
    return {};
  }
  rows_.remove_short(state.text, std::move(passages));
  if (record.value_count == 0) rows_.drop_texts_of(record.no);
  else rows_.hide(record.no, loose);
  return {};
}

Result<WordState> WordWriter::replace(const WordSource& old, const WordState& state, const WordSource& now,
                                      const BufferedValues* values, StagedText staged) {
  const std::vector<SearchedText> before = words_.texts(old.body, state.mask);
  const std::vector<SearchedText> after = words_.texts(now.body, words_.mask);
  if (state.mask == words_.mask && same_rows(before, after)) return state;
  LADDER_CHECK(remove(old, state, before, old.first_value));
  return add(now, after, values, staged);
}

}  // namespace ladder::store::postgres
