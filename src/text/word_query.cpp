#include "text/word_query.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "text/forms/compounds.h"
#include "text/forms/function_words.h"
#include "text/forms/number_forms.h"
#include "text/forms/word_forms.h"
#include "text/passages.h"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ladder::text {
namespace {

std::unexpected<Error> refuse(std::string message) { return fail(Code::kInvalidRequest, std::move(message), "q"); }

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_quote(char32_t c) { return c == '"' || (c >= 0x201C && c <= 0x201F) || c == 0xAB || c == 0xBB || c == 0xFF02; }

bool is_hyphen(char32_t c) { return c == '-' || c == 0xFF0D; }
bool is_plus(char32_t c) { return c == '+' || c == 0xFF0B; }
bool is_star(char32_t c) { return c == '*' || c == 0xFF0A; }

// A part of the query between white space or quotes.
struct Part {
  std::u32string_view text;
  bool quoted = false;
  bool starred = false;  // a star follows it immediately
  bool excluded = false;
  bool required = false;
  bool plain = false;  // a star after a word is text
  std::string field;
};

bool is_line_end(char32_t c) { return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029; }

// A sign before a number is part of it ("+49 171 …", "-5 degrees").
bool is_sign(std::u32string_view text) {
  return (is_hyphen(text.front()) || is_plus(text.front())) && (text.size() < 2 || text[1] < '0' || text[1] > '9');
}

std::size_t count_words(std::u32string_view text) {
  std::size_t words = 0;
  bool in_word = false;
  for (const char32_t c : text) {
    if (!is_space(c) && !in_word) ++words;
    in_word = !is_space(c);
  }
  return words;
}

// Returns whether this is pasted text: several lines with words, or many words.
bool is_prose(std::u32string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::ranges::any_of(text, is_line_end) || count_words(text) >= kProseWords;
}

// If the question is prose, replaces its quotation marks with spaces and returns true: all punctuation is text. In a
// shorter question a quote after a sign or a colon stays.
bool loosen_quotes(std::u32string& query) {
  std::u32string outside;
  std::vector<std::size_t> quotes, signed_quotes;
  for (std::size_t at = 0; at < query.size(); ++at) {
    const auto here = query.begin() + static_cast<std::ptrdiff_t>(at);
    const auto close = is_quote(query[at]) ? std::find_if(here + 1, query.end(), is_quote) : query.end();
    if (close == query.end()) {
      outside += query[at];
      continue;
    }
    const char32_t before = at == 0 ? U' ' : query[at - 1];
    const bool meant = is_hyphen(before) || is_plus(before) || before == U':';
    const auto end = static_cast<std::size_t>(close - query.begin());
    (meant ? signed_quotes : quotes).insert((meant ? signed_quotes : quotes).end(), {at, end});
    outside += U' ';
    at = end;
  }
  const bool prose = is_prose(outside);
  if (!prose && count_words(outside) < kQuotingWords) return false;
  for (const std::size_t at : quotes) query[at] = U' ';
  if (!prose) return false;
  for (const std::size_t at : signed_quotes) query[at] = U' ';
  return true;
}

// Splits a query into parts.
class Parts {
 public:
  Parts(std::u32string_view query, const std::set<std::string>& fields, bool prose)
      : rest_(query), fields_(fields), prose_(prose) {}

  std::optional<Part> next() {
    if (rest_.empty()) return std::nullopt;
    Part part;
    if (fresh_ && !prose_ && is_sign(rest_)) {
      part.excluded = is_hyphen(rest_.front());
      part.required = !part.excluded;
      rest_.remove_prefix(1);
    }
    if (fresh_ && !prose_) take_field(part);
    part.plain = prose_;
    fresh_ = false;
    if (!take_quoted(part)) take_bare(part);
    return part;
  }

 private:
  // Takes a known field name and a colon, if text follows immediately.
  void take_field(Part& part) {
    const std::size_t colon = rest_.find(U':');
    if (colon == 0 || colon == std::u32string_view::npos || colon + 1 >= rest_.size() || is_space(rest_[colon + 1])) return;
    if (std::any_of(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(colon), is_space)) return;
    std::string name = utf8::encode(rest_.substr(0, colon));
    if (!fields_.contains(name)) return;
    part.field = std::move(name);
    rest_.remove_prefix(colon + 1);
  }

  bool take_quoted(Part& part) {
    if (rest_.empty() || !is_quote(rest_.front())) return false;
    const auto end = std::find_if(rest_.begin() + 1, rest_.end(), is_quote);
    if (end == rest_.end()) return false;
    const auto close = static_cast<std::size_t>(end - rest_.begin());
    part.quoted = true;
    part.text = rest_.substr(1, close - 1);
    rest_.remove_prefix(close + 1);
    if (!rest_.empty() && is_star(rest_.front())) {
      part.starred = true;
      rest_.remove_prefix(1);
    }
    return true;
  }

  // Takes text up to and including white space, or up to a quote that opens a phrase. An unpaired quote is ordinary
  // text.
  void take_bare(Part& part) {
    std::size_t length = 0;
    const bool has_phrase = std::count_if(rest_.begin(), rest_.end(), is_quote) > 1;
    while (length < rest_.size() && !is_space(rest_[length]) && !(has_phrase && is_quote(rest_[length]))) ++length;
    part.text = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (!rest_.empty() && is_space(rest_.front())) {
      rest_.remove_prefix(1);
      fresh_ = true;
    }
  }

  std::u32string_view rest_;
  const std::set<std::string>& fields_;
  const bool prose_;
  bool fresh_ = true;  // at the beginning or after white space
};

struct Position {
  std::string word;  // as in the index
  std::string pair;  // likewise; may be empty
  std::int64_t start = 0, end = 0, pair_end = 0;
};

std::string marked(std::string_view pair) {
  std::string text(1, kPairMark);
  return text += pair;
}

// The positions of a part of the query, and whether a star after the last of them makes it a prefix.
struct Tokens {
  std::vector<Position> positions;
  bool prefix = false;
};

Tokens tokens_of(const Part& part) {
  const std::string text = utf8::encode(part.text);
  Tokens tokens;
  Words words;
  words.feed(text);
  words.finish();
  for (Word word; words.next(word);) {
    if (word.pair) {
      tokens.positions.back().pair = marked(word.text);
    } else {
      tokens.positions.push_back({.word = std::string(word.text), .pair = {}, .start = word.start, .end = word.end});
    }
  }
  if (tokens.positions.empty()) return tokens;
  const auto end = static_cast<std::size_t>(tokens.positions.back().end);
  tokens.prefix = part.quoted ? part.starred : !part.plain && end < part.text.size() && is_star(part.text[end]);
  return tokens;
}

// Returns whether more letters may follow. A single character or an emoji is always a complete word.
bool can_continue(const std::string& word) {
  const std::string twice = word + word;
  Words words;
  words.feed(twice);
  words.finish();
  Word first;
  return words.next(first) && first.text != word;
}

WordTerm term_of(std::span<const Position> positions, bool prefix) {
  WordTerm term;
  for (const Position& position : positions) {
    const bool last = &position == &positions.back();
    term.words.push_back(last || position.pair.empty() ? position.word : position.pair);
  }
  term.prefix = prefix && can_continue(term.words.back());
  return term;
}

// A form of a term as a separate term.
WordTerm form_term(std::string_view form) {
  WordTerm term;
  while (!form.empty()) {
    const std::string_view word = form.substr(0, form.find(' '));
    term.words.emplace_back(word);
    form.remove_prefix(std::min(form.size(), word.size() + 1));
  }
  return term;
}

// Finds the terms of a query in a text.
class TermFinder {
 public:
  TermFinder(const WordQuery& query, std::size_t limit) : query_(query), limit_(limit), found_(query.terms.size()) {
    for (const WordTerm& term : query.terms) {
      std::vector<WordTerm>& forms = forms_.emplace_back();
      for (const std::string& form : term.forms) forms.push_back(form_term(form));
    }
  }

  // Adds the next word; returns true when every term was found often enough.
  bool add(const Word& word) {
    if (word.pair) {
      run_.back().pair = marked(word.text);
      run_.back().pair_end = word.end;
      return false;
    }
    if (match()) return true;
    if (!run_.empty() && word.start - run_.back().end > kMaxWordGapChars) run_.clear();
    if (run_.size() == kMaxPhraseWords) run_.pop_front();
    run_.push_back({.word = std::string(word.text), .pair = {}, .start = word.start, .end = word.end});
    return false;
  }

  std::vector<WordRange> ranges() {
    match();
    std::ranges::sort(ranges_, {}, [](const WordRange& range) { return std::tuple(range.start, range.end, range.term); });
    return std::move(ranges_);
  }

 private:
  // Looks for terms whose last word is the last of the run.
  bool match() {
    bool all = true;
    for (std::size_t i = 0; i < query_.terms.size(); ++i) {
      if (found_[i] < limit_) {
        const WordTerm* const found = matching(query_.terms[i], forms_[i]);
        if (found != nullptr) add_range(i, *found);
      }
      all = all && found_[i] >= limit_;
    }
    return all;
  }

  void add_range(std::size_t at, const WordTerm& term) {
    const bool pair = term.words.back().front() == kPairMark;
    const Position& first = run_[run_.size() - term.words.size()];
    ranges_.push_back({.term = at, .start = first.start, .end = pair ? run_.back().pair_end : run_.back().end});
    ++found_[at];
  }

  // The term, or its first form that matches.
  const WordTerm* matching(const WordTerm& term, const std::vector<WordTerm>& forms) const {
    if (matches(term)) return &term;
    const auto form = std::ranges::find_if(forms, [&](const WordTerm& other) { return matches(other); });
    return form == forms.end() ? nullptr : &*form;
  }

  bool matches(const WordTerm& term) const {
    const std::size_t size = term.words.size();
    if (size > run_.size() || !at_last(term)) return false;
    for (std::size_t i = 0; i + 1 < size; ++i) {
      if (in_index(run_[run_.size() - size + i], term.words[i]) != term.words[i]) return false;
    }
    return true;
  }

  bool at_last(const WordTerm& term) const {
    const std::string& wanted = term.words.back();
    const std::string& found = in_index(run_.back(), wanted);
    return term.prefix ? found.starts_with(wanted) : found == wanted;
  }

  // Returns the form of a position to compare with a word of a term.
  static const std::string& in_index(const Position& position, const std::string& wanted) {
    return wanted.front() == kPairMark ? position.pair : position.word;
  }

  const WordQuery& query_;
  std::size_t limit_;
  std::vector<std::vector<WordTerm>> forms_;  // per term
  std::vector<std::size_t> found_;            // count per term
  std::deque<Position> run_;                  // the last kMaxPhraseWords positions without a gap
  std::vector<WordRange> ranges_;
};

// Returns whether the term is a single word that does not depend on the previous words.
bool is_independent(const WordTerm& term) {
  return term.words.size() == 1 && term.words.front().front() != kPairMark &&
         std::ranges::none_of(term.forms, [](const std::string& form) { return form.contains(' '); });
}

// The same as TermFinder, for single-word terms.
std::vector<WordRange> find_single_words(const WordQuery& query, Words& words, std::size_t limit) {
  std::vector<WordRange> ranges;
  std::array<std::size_t, kMaxWordTerms> found{};
  WordBeginnings beginnings;
  std::unordered_map<std::string_view, std::uint32_t> terms_of;  // a bit per term
  std::uint32_t prefixes = 0;
  for (std::size_t i = 0; i < query.terms.size(); ++i) {
    const WordTerm& term = query.terms[i];
    beginnings.add(term.words.front());
    const std::uint32_t bit = std::uint32_t{1} << i;
    if (term.prefix) prefixes |= bit;
    else terms_of[term.words.front()] |= bit;
    for (const std::string& form : term.forms) {
      beginnings.add(form);
      terms_of[form] |= bit;
    }
  }
  const auto next = [&](Word& word) {
    words.skip_others(beginnings);
    return words.next(word);
  };
  std::size_t unsated = limit > 0 ? query.terms.size() : 0;
  for (Word word; unsated > 0 && next(word);) {
    if (word.pair) continue;
    const auto known = terms_of.find(word.text);
    std::uint32_t here = known == terms_of.end() ? 0 : known->second;
    for (std::uint32_t rest = prefixes; rest != 0; rest &= rest - 1) {
      const auto term = static_cast<std::size_t>(std::countr_zero(rest));
      if (word.text.starts_with(query.terms[term].words.front())) here |= std::uint32_t{1} << term;
    }
    for (; here != 0; here &= here - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(here));
      if (found[i] >= limit) continue;
      ranges.push_back({.term = i, .start = word.start, .end = word.end});
      if (++found[i] == limit) --unsated;
    }
  }
  return ranges;  // words come by ascending start, and the terms of each in order
}

// Adds the terms of the query's parts one by one.
class QueryBuilder {
 public:
  explicit QueryBuilder(const WordGrammar& grammar) : grammar_(grammar) {}

  Status add(const Part& part);
  Result<WordQuery> take();

 private:
  void add_run(const Part& part, const Tokens& tokens);
  void add_term(const Part& part, std::span<const Position> positions, bool prefix);
  std::optional<DetectedLanguage> language() const;
  void drop_function_words(Language language);
  bool is_acronym(std::string_view typed) const;
  void leave_out_surplus();
  void join_digits();

  const WordGrammar& grammar_;
  WordQuery result_;
};

// Returns whether the text between two positions is a hyphen or apostrophe that joins them.
bool joins_words(std::u32string_view between) {
  return between.size() == 1 && (is_hyphen(between[0]) || between[0] == U'\'' || between[0] == 0x2019 || between[0] == 0x2010 ||
                                 between[0] == 0x2011 || between[0] == 0x2013);
}

// Returns whether all of the words are separate words joined by hyphens or apostrophes.
bool is_compound(const Part& part, std::span<const Position> positions) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!positions[i].pair.empty() || are_digits(positions[i].word)) return false;
    if (i == 0) continue;
    const auto from = static_cast<std::size_t>(positions[i - 1].end), to = static_cast<std::size_t>(positions[i].start);
    if (!joins_words(part.text.substr(from, to - from))) return false;
  }
  return true;
}

constexpr std::size_t kWholeRun = 4;  // characters written without spaces that are searched as one phrase

bool is_long_run(std::span<const Position> positions) {
  return positions.size() > kWholeRun &&
         std::all_of(positions.begin(), positions.end() - 1, [](const Position& position) { return !position.pair.empty(); });
}

void QueryBuilder::add_term(const Part& part, std::span<const Position> positions, bool prefix) {
  WordTerm term = term_of(positions, prefix);
  const bool filters = part.field == kFromOperator || part.field == kToOperator;
  term.must = part.quoted || part.required || filters || (grammar_.all && !part.excluded);
  term.field = part.field;
  const auto from = static_cast<std::size_t>(positions.front().start), to = static_cast<std::size_t>(positions.back().end);
  term.typed =
      (part.field.empty() ? "" : part.field + ":") + utf8::encode(part.text.substr(from, to - from)) + (prefix ? "*" : "");
  if (part.excluded) term.must = false;
  term.exact = part.quoted;
  std::vector<WordTerm>& terms = part.excluded ? result_.excluded : result_.terms;
  const auto known = std::ranges::find_if(terms, [&](const WordTerm& other) { return other.same_words(term); });
  if (known == terms.end()) terms.push_back(std::move(term));
  else known->must = known->must || term.must, known->exact = known->exact || term.exact, ++known->times;
}

void QueryBuilder::add_run(const Part& part, const Tokens& tokens) {
  const std::span<const Position> positions = tokens.positions;
  const bool loose = !part.quoted && !part.excluded && !part.required && !grammar_.all;
  if (loose && positions.size() > 1 && is_compound(part, positions)) {
    for (std::size_t i = 0; i < positions.size(); ++i)
      add_term(part, positions.subspan(i, 1), tokens.prefix && i + 1 == positions.size());
  } else if (loose && is_long_run(positions)) {
    for (std::size_t i = 0; i + 1 < positions.size(); ++i) add_term(part, positions.subspan(i, 2), false);
  } else {
    for (std::span<const Position> rest = positions; !rest.empty();) {
      const auto some = rest.first(std::min(rest.size(), static_cast<std::size_t>(kMaxPhraseWords)));
      rest = rest.subspan(some.size());
      add_term(part, some, rest.empty() && tokens.prefix);
    }
  }
}

Status QueryBuilder::add(const Part& part) {
  const Tokens tokens = tokens_of(part);
  if (part.excluded && tokens.positions.size() > kMaxPhraseWords) {
    return refuse(format("what is excluded has {} words, more than {}: take a shorter part of it", tokens.positions.size(),
                         kMaxPhraseWords));
  }
  if (part.quoted && tokens.positions.size() > kMaxPhraseWords) {
    Part single = part;
    single.quoted = false;
    for (const Position& position : tokens.positions) add_term(single, {&position, 1}, false);
    return {};
  }
  if (!tokens.positions.empty()) add_run(part, tokens);
  return {};
}

std::optional<DetectedLanguage> QueryBuilder::language() const {
  std::vector<std::string_view> words;
  for (const WordTerm& term : result_.terms) {
    if (!term.prefix) words.insert(words.end(), term.words.begin(), term.words.end());
  }
  LanguageCounts by_letters{};
  for (const WordTerm& term : result_.terms) count_letters(term.typed, by_letters);
  if (words.size() < 2) words.clear();  // a single word is searched even if it is a function word in some language
  return language_of_words(words, by_letters);
}

// Returns whether groups of digits ("53", "500") are one number.
bool are_thousands(const std::vector<std::string>& words) {
  constexpr std::size_t kGroup = 3;
  return words.size() > 1 && words.front().size() <= kGroup && std::ranges::all_of(words, are_digits) &&
         std::all_of(words.begin() + 1, words.end(), [](const std::string& word) { return word.size() == kGroup; });
}

bool may_be_joined(const WordTerm& a, const WordTerm& b) {
  return !a.must && !b.must && !a.prefix && !b.prefix && !a.exact && !b.exact && a.field == b.field;
}

void QueryBuilder::join_digits() {
  for (std::size_t i = 0; i + 1 < result_.terms.size();) {
    WordTerm &first = result_.terms[i], &next = result_.terms[i + 1];
    std::vector<std::string> words = first.words;
    words.insert(words.end(), next.words.begin(), next.words.end());
    if (!may_be_joined(first, next) || words.size() > kMaxPhraseWords || !are_thousands(words)) {
      ++i;
      continue;
    }
    first.words = std::move(words);
    first.typed += " " + next.typed;
    result_.terms.erase(result_.terms.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

void add_form(const std::string& form, WordTerm& term) {
  const bool itself = term.words.size() == 1 && term.words.front() == form;
  if (!itself && std::ranges::find(term.forms, form) == term.forms.end()) term.forms.push_back(form);
}

// "US" and "IT" are not function words, unless everything is in capitals.
bool QueryBuilder::is_acronym(std::string_view typed) const {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  return typed.size() > 1 && std::ranges::all_of(typed, is_upper) &&
         std::ranges::any_of(result_.terms, [&](const WordTerm& term) { return std::ranges::any_of(term.typed, is_lower); });
}

// Drops the function words of a question, in its main language.
void QueryBuilder::drop_function_words(Language language) {
  const auto idle = [&](const WordTerm& term) {
    return !term.must && !term.prefix && term.words.size() == 1 && term.field.empty() && !is_acronym(term.typed) &&
           is_function_word(language, term.words.front());
  };
  const auto found = std::ranges::count_if(result_.terms, idle);
  constexpr std::ptrdiff_t kSomeOfThem = 2;
  constexpr std::size_t kQuestion = 4;  // number of words from which one function word is enough
  const bool begins = result_.terms.size() + 1 == kQuestion && idle(result_.terms.front());  // "who maintains notmuch"
  if (found < kSomeOfThem && result_.terms.size() < kQuestion && !begins) return;
  if (found < std::ssize(result_.terms)) std::erase_if(result_.terms, idle);
}

// Drops the least significant terms; long and repeated words are the most significant.
void QueryBuilder::leave_out_surplus() {
  const auto length = [](const WordTerm& term) { return term.typed.size() * static_cast<std::size_t>(term.times); };
  while (result_.terms.size() + result_.excluded.size() > grammar_.room) {
    auto shortest = result_.terms.end();
    for (auto term = result_.terms.begin(); term != result_.terms.end(); ++term) {
      if (!term->must && (shortest == result_.terms.end() || length(*term) <= length(*shortest))) shortest = term;
    }
    if (shortest == result_.terms.end()) return;
    result_.left_out.push_back(shortest->typed);
    result_.terms.erase(shortest);
  }
}

Result<WordQuery> QueryBuilder::take() {
  if (result_.terms.empty() && !result_.excluded.empty()) {
    return refuse("q only excludes words: add a word to search for, or quote a word that begins with a hyphen");
  }
  if (result_.terms.empty()) return refuse("the query has no word to search for: give at least one letter or digit");
  const std::optional<DetectedLanguage> language = this->language();
  if (!grammar_.all && language && language->sure) drop_function_words(language->language);
  if (!grammar_.all) join_digits();
  leave_out_surplus();
  result_.language = language;
  if (grammar_.forms) add_word_forms(result_, {});
  const auto required = static_cast<std::size_t>(std::ranges::count_if(result_.terms, &WordTerm::must));
  if (const std::size_t terms = required + result_.excluded.size(); terms > kMaxWordTerms) {
    return refuse(format("q has {} terms, more than {}: ask for fewer words, or quote them as phrases", terms, kMaxWordTerms));
  }
  return std::move(result_);
}

// Adjacent groups of digits may be one telephone number: each group gets all spellings of the number as forms.
void join_phones(WordQuery& query) {
  for (std::size_t from = 0; from < query.terms.size();) {
    std::size_t to = from + 1;
    while (to < query.terms.size() && may_be_joined(query.terms[from], query.terms[to]) &&
           std::ranges::all_of(query.terms[to].words, are_digits)) {
      ++to;
    }
    const std::span<WordTerm> some = std::span(query.terms).subspan(from, to - from);
    std::vector<std::string> groups;
    for (const WordTerm& term : some) groups.insert(groups.end(), term.words.begin(), term.words.end());
    if (some.size() > 1 && may_be_phone(groups)) {
      const std::vector<std::string> forms = number_forms(groups);
      for (WordTerm& term : some) {
        for (const std::string& form : forms) add_form(form, term);
      }
    }
    from = to;
  }
}

// Joins adjacent words in languages that write compounds: "barn cykel" also matches "barncykel", and so does "cykel för
// barn".
void join_compounds(WordQuery& query, const std::vector<Language>& languages) {
  constexpr std::size_t kMaxJoinedTerms = 5;  // of a question; the neighbors in a longer one are enough
  constexpr std::size_t kMaxSeconds = 25;     // the word and its forms
  if (query.terms.size() > kMaxJoinedTerms) return;
  const auto is_word = [](const WordTerm& term) { return term.words.size() == 1; };
  const auto join = [&](std::size_t at, std::size_t other) {
    const WordTerm &first = query.terms[at], &second = query.terms[other];
    std::vector<std::string> compounds;
    for (const Language language : languages) {
      std::vector<std::string> seconds = word_forms(second.words.front(), DetectedLanguage{language, true});
      seconds.insert(seconds.begin(), second.words.front());
      seconds.resize(std::min(seconds.size(), kMaxSeconds));
      for (std::string& each : compounds_of(first.words.front(), seconds, language)) compounds.push_back(std::move(each));
    }
    return compounds;
  };
  for (std::size_t i = 0; i + 1 < query.terms.size(); ++i) {
    WordTerm &first = query.terms[i], &second = query.terms[i + 1];
    if (!is_word(first) || !is_word(second) || !may_be_joined(first, second)) continue;
    for (const auto& compounds : {join(i, i + 1), join(i + 1, i)}) {
      for (const std::string& compound : compounds) add_form(compound, first), add_form(compound, second);
    }
  }
}

// Adds the forms of all terms. If a single word determined the language by its letters, only that word is certain.
void add_forms(WordQuery& query, const std::vector<Language>& of_records) {
  const auto language_for = [&](const WordTerm& term) {
    std::optional<DetectedLanguage> detected = query.language;
    if (!detected || detected->sure) return detected;
    LanguageCounts letters{};
    count_letters(term.typed, letters);
    detected->sure = letters[static_cast<std::size_t>(detected->language)] > 0;
    return detected;
  };
  for (WordTerm& term : query.terms) {
    if (term.prefix) continue;
    if (term.words.size() > 1) term.forms = number_forms(term.words);
    else if (!term.exact) term.forms = word_forms(term.words.front(), language_for(term), of_records);
  }
}

}  // namespace

Result<WordQuery> parse_word_query(std::string_view text, const WordGrammar& grammar) {
  if (!utf8::is_valid(text)) return refuse("q is not valid UTF-8: send the words as UTF-8, percent-encoded");
  if (const std::int64_t chars = utf8::count(text); chars > static_cast<std::int64_t>(kMaxWordQueryChars)) {
    return refuse(format("the query has {} characters, more than {}: ask for fewer words", chars, kMaxWordQueryChars));
  }
  std::u32string query = utf8::decode(text);
  const bool prose = !grammar.all && loosen_quotes(query);
  QueryBuilder maker(grammar);
  Parts parts(query, grammar.fields, prose);
  while (const auto part = parts.next()) LADDER_CHECK(maker.add(*part));
  return maker.take();
}

void add_word_forms(WordQuery& query, const std::vector<Language>& of_records) {
  add_forms(query, of_records);
  join_phones(query);
  join_compounds(query, languages_in_question(query, of_records));
}

namespace {

constexpr std::string_view kAbsentWord = "ABSENT";  // words in the index have no capitals

}  // namespace

WordTerm absent_term() {
  WordTerm term;
  term.words = {std::string(kAbsentWord)};
  term.must = true;
  return term;
}

bool is_absent_term(const WordTerm& term) { return term.words.size() == 1 && term.words.front() == kAbsentWord; }

bool needs_languages(const WordQuery& query) {
  if (query.language && query.language->sure) return false;
  return std::ranges::any_of(query.terms, [](const WordTerm& term) {
    const char first = term.words.front().front();
    return !term.exact && !term.prefix && term.words.size() == 1 && first != kPairMark && !(first >= '0' && first <= '9');
  });
}

std::vector<Language> languages_in_question(const WordQuery& query, const std::vector<Language>& of_records) {
  return query.language && query.language->sure ? std::vector{query.language->language} : of_records;
}

std::vector<WordRange> find_terms(const WordQuery& query, std::string_view valid_utf8, std::size_t limit) {
  Words words;
  words.feed(valid_utf8);
  words.finish();
  if (query.terms.size() <= kMaxWordTerms && std::ranges::all_of(query.terms, is_independent)) {
    return find_single_words(query, words, limit);
  }
  TermFinder finder(query, limit);
  for (Word word; words.next(word);) {
    if (finder.add(word)) break;
  }
  return finder.ranges();
}

}  // namespace ladder::text
