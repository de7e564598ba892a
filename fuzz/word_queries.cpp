// The query syntax of search and term matching. First line: the query, any bytes. The rest: a text ("<<ab*300>>" makes
// long ones). A query is parsed or rejected as invalid_request; a term is found exactly where a plain loop over all
// words of the text finds it. The lines of the text, used as records, rank and fold the same in any order.
#include "text/word_query.h"

#include "base/text/utf8.h"
#include "frame.h"
#include "repetition.h"
#include "store/search/top_hits.h"
#include "text/forms/word_forms.h"
#include "text/passages.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ladder::fuzz {
namespace {

constexpr std::size_t kMaxBytes = 20'000;
constexpr std::size_t kEvery = kMaxBytes;

struct WordPosition {
  std::string word, pair;  // in index form
  std::int64_t start = 0, end = 0;
};

std::vector<WordPosition> positions_of(std::string_view text) {
  std::vector<WordPosition> positions;
  text::Words words;
  words.feed(text);
  words.finish();
  for (text::Word word; words.next(word);) {
    if (word.pair) {
      positions.back().pair = text::kPairMark + std::string(word.text);
    } else {
      positions.push_back({std::string(word.text), "", word.start, word.end});
    }
  }
  return positions;
}

// Every word of a term is a tokenizer output in index form.
void check_term(const text::WordTerm& term) {
  FUZZ_CHECK(!term.words.empty() && term.words.size() <= static_cast<std::size_t>(text::kMaxPhraseWords));
  FUZZ_CHECK(term.words.back().front() != text::kPairMark);
  for (std::size_t i = 0; i < term.words.size(); ++i) {
    const std::string& word = term.words[i];
    FUZZ_CHECK(utf8::is_valid(word));
    if (word.front() != text::kPairMark) {
      const auto positions = positions_of(word);
      FUZZ_CHECK(positions.size() == 1 && positions[0].word == word);
      continue;
    }
    const auto positions = positions_of(std::string_view(word).substr(1));
    FUZZ_CHECK(positions.size() == 2 && positions[0].pair == word);
    const std::string& next = term.words[i + 1];
    FUZZ_CHECK(next == positions[1].word || next.starts_with(text::kPairMark + positions[1].word));
  }
  if (!term.prefix) return;
  const auto longer = positions_of(term.words.back() + term.words.back());
  FUZZ_CHECK(longer[0].word != term.words.back() && longer[0].word.starts_with(term.words.back()));
}

bool matches_at(const text::WordTerm& term, const std::vector<WordPosition>& positions, std::size_t at) {
  if (at + term.words.size() > positions.size()) return false;
  for (std::size_t i = 0; i < term.words.size(); ++i) {
    const WordPosition& position = positions[at + i];
    const std::string& wanted = term.words[i];
    if (i > 0 && position.start - positions[at + i - 1].end > text::kMaxWordGapChars) return false;
    const bool prefix = term.prefix && i + 1 == term.words.size();
    if (prefix ? !position.word.starts_with(wanted) : position.word != wanted && position.pair != wanted) return false;
  }
  return true;
}

void check_found(const text::WordQuery& query, std::string_view text) {
  const Exact copy(text);
  const auto positions = positions_of(text);
  const auto all = text::find_terms(query, copy.view(), kEvery);
  const auto by_start = [](const text::WordRange& a, const text::WordRange& b) { return a.start < b.start; };
  FUZZ_CHECK(std::ranges::is_sorted(all, by_start));
  const auto few = text::find_terms(query, copy.view(), 2);
  FUZZ_CHECK(std::ranges::is_sorted(few, by_start));
  for (std::size_t term = 0; term < query.terms.size(); ++term) {
    const std::size_t size = query.terms[term].words.size();
    std::vector<text::WordRange> expected, found, first;
    for (std::size_t at = 0; at < positions.size(); ++at) {
      if (matches_at(query.terms[term], positions, at))
        expected.push_back({term, positions[at].start, positions[at + size - 1].end});
    }
    const auto is_of_term = [&](const text::WordRange& range) { return range.term == term; };
    std::ranges::copy_if(all, std::back_inserter(found), is_of_term);
    FUZZ_CHECK(found == expected);
    expected.resize(std::min<std::size_t>(expected.size(), 2));
    std::ranges::copy_if(few, std::back_inserter(first), is_of_term);
    FUZZ_CHECK(first == expected);
  }
}

// Words of the text, typed as a query, are found at their positions.
void check_typed(std::string_view text) {
  const auto positions = positions_of(text);
  if (positions.empty()) return;
  Chance chance(text);
  const std::size_t first = chance.below(positions.size());
  const std::size_t size = 1 + chance.below(std::min<std::size_t>(text::kMaxPhraseWords, positions.size() - first));
  std::string typed = "\"";
  for (std::size_t i = first; i < first + size; ++i) {
    // Characters that form a pair stay together; all others are separated.
    if (i > first && positions[i - 1].pair.empty()) typed += ' ';
    typed += positions[i].word;
  }
  typed += '"';
  const auto query = text::parse_word_query(typed);
  if (!query) return;  // too long
  FUZZ_CHECK(query->terms.size() == 1 && query->excluded.empty() && query->terms[0].words.size() == size);
  check_found(*query, text);
  if (!matches_at(query->terms[0], positions, first)) {
    bool gap = false;
    for (std::size_t i = first + 1; i < first + size; ++i)
      gap |= positions[i].start - positions[i - 1].end > text::kMaxWordGapChars;
    FUZZ_CHECK(gap);
  }
}

// Uses the lines of the text as records: collected statistics and ranking do not depend on their order.
void check_head(const text::WordQuery& query, std::string_view text) {
  constexpr std::size_t kRecords = 48;
  std::vector<store::RecordRow> records;
  for (std::string_view rest = text; !rest.empty() && records.size() < kRecords;) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    records.emplace_back();
    records.back().body = line;
  }
  store::WordSearch search;
  search.query = &query;
  search.scopes.resize(1);
  search.scopes[0].grouped = search.fold = true;
  search.reading = [](std::size_t, const store::RecordRow& record) {
    text::RankedText reading;
    reading.texts = {record.body};
    reading.chars = utf8::count(record.body);
    reading.groups = {record.body.substr(0, record.body.find(' '))};
    reading.wording = text::word_hash(record.body);
    return reading;
  };
  store::TopHits forward(search), backward(search);
  const auto position = [&](std::size_t i) {
    return text::HitSortKey{static_cast<std::int64_t>(100 * (i % 7)), {}, std::to_string(i), 0};
  };
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::size_t other = records.size() - 1 - i;
    forward.add(position(i), records[i]);
    backward.add(position(other), records[other]);
  }
  text::WordWeights weights, same;
  weights.measured_above = same.measured_above = -1;
  forward.rank(weights, true);
  backward.rank(same, true);
  FUZZ_CHECK(weights == same && weights.feedback.size() <= store::kFeedbackWords);
  forward.fold();
  backward.fold();
  std::int64_t shown = 0, folded = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::size_t other = records.size() - 1 - i;
    FUZZ_CHECK(forward.score(i) == backward.score(other) && forward.score(i) > 0);
    FUZZ_CHECK(forward.is_shown(i) == backward.is_shown(other) && forward.more(i) == backward.more(other));
    shown += forward.is_shown(i) ? 1 : 0;
    folded += forward.more(i) + forward.alike(i);
  }
  FUZZ_CHECK(shown + folded == std::ssize(records));
}

}  // namespace

void run(std::string_view input) {
  const Exact typed(take_line(input));
  const std::string text = valid_utf8(expanded(input, kMaxBytes));
  check_typed(text);
  // The other two interpretations must only be consistent.
  for (const bool all : {false, true}) {
    const auto other = text::parse_word_query(typed.view(), {.all = all, .forms = true, .fields = {"from", "a"}});
    if (!other) continue;
    FUZZ_CHECK(!other->terms.empty() && other->terms.size() + other->excluded.size() <= text::kMaxWordTerms);
    for (const text::WordTerm& term : other->terms) {
      check_term(term);
      FUZZ_CHECK(utf8::is_valid(term.typed) && term.forms.size() <= text::kMaxWordForms && (!all || term.must));
    }
    for (const text::WordRange& range : text::find_terms(*other, text, kEvery)) FUZZ_CHECK(range.start < range.end);
  }
  const auto query = text::parse_word_query(typed.view());
  if (!query) {
    FUZZ_CHECK(query.error().code == Code::kInvalidRequest && query.error().param == "q");
    FUZZ_CHECK(!query.error().message.empty() && utf8::is_valid(query.error().message));
    return;
  }
  FUZZ_CHECK(utf8::is_valid(typed.view()) && utf8::count(typed.view()) <= static_cast<std::int64_t>(text::kMaxWordQueryChars));
  FUZZ_CHECK(!query->terms.empty() && query->terms.size() + query->excluded.size() <= text::kMaxWordTerms);
  for (const auto* terms : {&query->terms, &query->excluded}) {
    for (const text::WordTerm& term : *terms) {
      check_term(term);
      FUZZ_CHECK(std::ranges::count(*terms, term) == 1);
    }
  }
  check_found(*query, text);
  check_found(*query, valid_utf8(typed.view()));
  check_head(*query, text);
}

}  // namespace ladder::fuzz
