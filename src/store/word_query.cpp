#include "store/word_query.h"

#include "base/format.h"
#include "base/utf8.h"
#include "store/passages.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace ladder::store {
namespace {

std::unexpected<Error> refuse(std::string message) { return fail(Code::kInvalidRequest, std::move(message), "q"); }

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_quote(char32_t c) { return c == '"' || (c >= 0x201C && c <= 0x201F) || c == 0xAB || c == 0xBB || c == 0xFF02; }

bool is_hyphen(char32_t c) { return c == '-' || c == 0xFF0D; }
bool is_star(char32_t c) { return c == '*' || c == 0xFF0A; }

// A part of the query between white space or quotes.
struct Part {
  std::u32string_view text;
  bool quoted = false;
  bool starred = false;  // a star stands right after it
  bool excluded = false;
};

// Takes the parts of a query off its beginning.
class Parts {
 public:
  explicit Parts(std::u32string_view query) : rest_(query) {}

  std::optional<Part> next() {
    if (rest_.empty()) return std::nullopt;
    Part part;
    if (fresh_ && is_hyphen(rest_.front())) {
      part.excluded = true;
      rest_.remove_prefix(1);
    }
    fresh_ = false;
    if (!take_quoted(part)) take_bare(part);
    return part;
  }

 private:
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

  // Up to white space, which is taken too, or up to a quote that opens a phrase. A lone quote is taken like any other character.
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
  bool fresh_ = true;  // at the beginning or after white space
};

struct Place {
  std::string word;  // as in the index
  std::string pair;  // likewise; may be empty
  std::int64_t start = 0, end = 0, pair_end = 0;
};

std::string marked(std::string_view pair) {
  std::string text(1, kPairMark);
  return text += pair;
}

// The places of a part of the query, and whether a star right after the last of them makes it a prefix.
struct Tokens {
  std::vector<Place> places;
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
      tokens.places.back().pair = marked(word.text);
    } else {
      tokens.places.push_back({.word = std::string(word.text), .pair = {}, .start = word.start, .end = word.end});
    }
  }
  if (tokens.places.empty()) return tokens;
  const auto end = static_cast<std::size_t>(tokens.places.back().end);
  tokens.prefix = part.quoted ? part.starred : end < part.text.size() && is_star(part.text[end]);
  return tokens;
}

// A single character and an emoji end with themselves: what follows is another word.
bool may_go_on(const std::string& word) {
  const std::string twice = word + word;
  Words words;
  words.feed(twice);
  words.finish();
  Word first;
  return words.next(first) && first.text != word;
}

WordTerm term_of(std::span<const Place> places, bool prefix) {
  WordTerm term;
  for (const Place& place : places) {
    const bool last = &place == &places.back();
    term.words.push_back(last || place.pair.empty() ? place.word : place.pair);
  }
  term.prefix = prefix && may_go_on(term.words.back());
  return term;
}

// The required terms of a query, as they are looked for.
class Finder {
 public:
  Finder(const WordQuery& query, std::size_t limit) : query_(query), limit_(limit), found_(query.required.size()) {}

  // The next word; true when every term was found often enough.
  bool add(const Word& word) {
    if (word.pair) {
      run_.back().pair = marked(word.text);
      run_.back().pair_end = word.end;
      return false;
    }
    if (match()) return true;
    if (!run_.empty() && word.start - run_.back().end > kMaxWordGapChars) run_.clear();
    if (run_.size() == kLongestPhrase) run_.pop_front();
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
    for (std::size_t i = 0; i < query_.required.size(); ++i) {
      if (found_[i] < limit_ && matches(query_.required[i])) {
        const WordTerm& term = query_.required[i];
        const bool pair = term.words.back().front() == kPairMark;
        const Place& first = run_[run_.size() - term.words.size()];
        ranges_.push_back({.term = i, .start = first.start, .end = pair ? run_.back().pair_end : run_.back().end});
        ++found_[i];
      }
      all = all && found_[i] >= limit_;
    }
    return all;
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

  // What of a place is to be compared with a word of a term.
  static const std::string& in_index(const Place& place, const std::string& wanted) {
    return wanted.front() == kPairMark ? place.pair : place.word;
  }

  const WordQuery& query_;
  std::size_t limit_;
  std::vector<std::size_t> found_;  // how often, per term
  std::deque<Place> run_;           // the last kLongestPhrase places without a gap
  std::vector<WordRange> ranges_;
};

// A word by itself: nothing need be known of the words before it.
bool stands_alone(const WordTerm& term) { return term.words.size() == 1 && term.words.front().front() != kPairMark; }

// As Finder does it, for terms that all stand alone.
std::vector<WordRange> find_single_words(const WordQuery& query, Words& words, std::size_t limit) {
  std::vector<WordRange> ranges;
  std::array<std::size_t, kMaxWordTerms> found{};
  WordBeginnings beginnings;
  for (const WordTerm& term : query.required) beginnings.add(term.words.front());
  const auto next = [&](Word& word) {
    words.pass_over_others(beginnings);
    return words.next(word);
  };
  std::size_t unsated = limit > 0 ? query.required.size() : 0;
  for (Word word; unsated > 0 && next(word);) {
    if (word.pair) continue;
    for (std::size_t i = 0; i < query.required.size(); ++i) {
      const WordTerm& term = query.required[i];
      const std::string& wanted = term.words.front();
      const bool matches = term.prefix ? word.text.starts_with(wanted) : word.text == wanted;
      if (!matches || found[i] >= limit) continue;
      ranges.push_back({.term = i, .start = word.start, .end = word.end});
      if (++found[i] == limit) --unsated;
    }
  }
  return ranges;  // words come by ascending start, and the terms of each in their order
}

void add_once(std::vector<WordTerm>& terms, WordTerm&& term) {
  if (std::ranges::find(terms, term) == terms.end()) terms.push_back(std::move(term));
}

}  // namespace

Result<WordQuery> parse_word_query(std::string_view text) {
  if (!utf8::is_valid(text)) return refuse("q is not valid UTF-8: send the words as UTF-8, percent-encoded");
  if (const std::int64_t chars = utf8::count(text); chars > static_cast<std::int64_t>(kMaxWordQueryChars)) {
    return refuse(format("the query has {} characters, more than {}: ask for fewer words", chars, kMaxWordQueryChars));
  }
  const std::u32string query = utf8::decode(text);
  WordQuery asked;
  Parts parts(query);
  while (const auto part = parts.next()) {
    const Tokens tokens = tokens_of(*part);
    if ((part->quoted || part->excluded) && tokens.places.size() > kLongestPhrase) {
      return refuse(format("{} has {} words, more than {}: take a shorter part of it",
                           part->quoted ? "a quoted phrase" : "what is excluded", tokens.places.size(), kLongestPhrase));
    }
    std::span<const Place> rest = tokens.places;
    while (!rest.empty()) {
      const auto some = rest.first(std::min(rest.size(), static_cast<std::size_t>(kLongestPhrase)));
      rest = rest.subspan(some.size());
      add_once(part->excluded ? asked.excluded : asked.required, term_of(some, rest.empty() && tokens.prefix));
    }
  }
  if (asked.required.empty() && !asked.excluded.empty()) {
    return refuse("q only excludes words: add a word that is asked for, or quote one that begins with a hyphen");
  }
  if (asked.required.empty()) return refuse("the query has no word to search for: give at least one letter or digit");
  if (const std::size_t terms = asked.required.size() + asked.excluded.size(); terms > kMaxWordTerms) {
    return refuse(format("q makes {} terms, more than {}: ask for fewer words, or quote them as phrases", terms, kMaxWordTerms));
  }
  return asked;
}

std::vector<WordRange> find_terms(const WordQuery& query, std::string_view valid_utf8, std::size_t limit) {
  Words words;
  words.feed(valid_utf8);
  words.finish();
  if (query.required.size() <= kMaxWordTerms && std::ranges::all_of(query.required, stands_alone)) {
    return find_single_words(query, words, limit);
  }
  Finder finder(query, limit);
  for (Word word; words.next(word);) {
    if (finder.add(word)) break;
  }
  return finder.ranges();
}

}  // namespace ladder::store
