#include "ask/answer.h"

#include "ask/ask_limits.h"
#include "base/text/utf8.h"
#include "text/forms/function_words.h"
#include "text/words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace ladder::ask {
namespace {

constexpr std::size_t kMaxCitations = 8;     // of one sentence
constexpr std::size_t kSharedStemBytes = 4;  // words with so long a common beginning may be forms of one word
constexpr int kNeededPercent = 60;           // of the words of a sentence that its passages must contain

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads "[2]" or "[1, 3]" at `at`, and moves past it. Returns false for anything else.
bool take_citation(std::string_view text, std::size_t& at, std::vector<int>& numbers) {
  if (at >= text.size() || text[at] != '[') return false;
  std::vector<int> read;
  for (std::size_t i = at + 1; i < text.size();) {
    int number = 0;
    std::size_t digits = 0;
    for (; i < text.size() && is_digit(text[i]) && digits < 4; ++i, ++digits) number = number * 10 + (text[i] - '0');
    if (digits == 0 || i >= text.size()) return false;
    read.push_back(number);
    if (text[i] == ']') {
      at = i + 1;
      for (const int one : read) {
        if (std::ranges::find(numbers, one) == numbers.end()) numbers.push_back(one);
      }
      return true;
    }
    if (text[i] != ',') return false;
    for (++i; i < text.size() && is_space(text[i]);) ++i;
  }
  return false;
}

// Removes a reasoning model's notes, which come before the answer.
std::string_view without_thoughts(std::string_view answer) {
  constexpr std::string_view kBegin = "<think>", kEnd = "</think>";
  const std::size_t first = answer.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || !answer.substr(first).starts_with(kBegin)) return answer;
  const std::size_t end = answer.find(kEnd);
  return end == std::string_view::npos ? std::string_view() : answer.substr(end + kEnd.size());
}

// Returns the size of the mark that ends a sentence at `at`: . ! ? … or a full stop of Chinese, Japanese or Hindi.
std::size_t end_mark(std::string_view text, std::size_t at) {
  if (text[at] == '.' || text[at] == '!' || text[at] == '?') return 1;
  for (const std::string_view mark : {"…", "。", "！", "？", "।"}) {
    if (text.substr(at).starts_with(mark)) return mark.size();
  }
  return 0;
}

// "Dr." or "J." does not end a sentence.
bool is_abbreviation(std::string_view before) {
  static constexpr std::array<std::string_view, 12> kTitles = {"Dr", "Mr", "Mrs", "Ms", "Prof", "St", "No", "Nr", "Str", "Co", "vs", "ca"};
  const std::size_t space = before.find_last_of(" \t(");
  const std::string_view word = space == std::string_view::npos ? before : before.substr(space + 1);
  const bool is_initial = word.size() == 1 && word.front() >= 'A' && word.front() <= 'Z';
  return is_initial || std::ranges::find(kTitles, word) != kTitles.end();
}

struct Cut {
  std::string text;
  std::vector<int> citations;
  bool begins_paragraph = false;
};

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<Cut> sentences() {
    skip_bullet();
    while (at_ < text_.size()) step();
    finish();
    return std::move(all_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      finish();
      paragraph_ = true;
      ++at_;
      skip_bullet();
      return;
    }
    if (take_citation(text_, at_, open_.citations)) {
      // A citation after the end of a sentence belongs to that sentence.
      if (open_.text.find_first_not_of(" \t") == std::string::npos && !all_.empty() && !paragraph_) {
        auto& last = all_.back().citations;
        for (const int one : open_.citations) {
          if (std::ranges::find(last, one) == last.end()) last.push_back(one);
        }
        open_.citations.clear();
      }
      return;
    }
    const std::size_t mark = end_mark(text_, at_);
    if (mark > 0 && !(c == '.' && is_abbreviation(open_.text))) {
      open_.text.append(text_, at_, mark);
      at_ += mark;
      while (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == ')' || text_[at_] == '*')) open_.text += text_[at_++];
      if (mark > 1 || at_ == text_.size() || is_space(text_[at_]) || text_[at_] == '\n' || text_[at_] == '[')
        finish_unless_continued();
      return;
    }
    if (c != '*' && c != '`') open_.text += c;
    ++at_;
  }

  // "e.g. this" continues, since the next letter is small.
  void finish_unless_continued() {
    std::size_t next = at_;
    while (next < text_.size() && is_space(text_[next])) ++next;
    if (next < text_.size() && text_[next] >= 'a' && text_[next] <= 'z') return;
    finish();
  }

  void skip_bullet() {
    while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == '-' || text_[at_] == '#' || text_[at_] == '>')) ++at_;
  }

  void finish() {
    const std::size_t first = open_.text.find_first_not_of(" \t\r");
    const std::size_t last = open_.text.find_last_not_of(" \t\r");
    if (first != std::string::npos) {
      open_.text = open_.text.substr(first, last - first + 1);
      // "412 EUR [1]." leaves a space before the mark.
      const std::size_t size = open_.text.size();
      if (size > 2 && open_.text[size - 2] == ' ' && end_mark(open_.text, size - 1) > 0) open_.text.erase(size - 2, 1);
      open_.begins_paragraph = paragraph_;
      paragraph_ = false;
      all_.push_back(std::move(open_));
    }
    open_ = {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool paragraph_ = true;
  Cut open_;
  std::vector<Cut> all_;
};

struct Vocabulary {
  std::set<std::string, std::less<>> words;

  void add(std::string_view text) {
    text::Words reader;
    reader.feed(text);
    reader.finish();
    for (text::Word word; reader.next(word);) words.emplace(word.text);
  }

  // True for the word itself, and for another form of it: "installed" and "installation".
  bool has(std::string_view word) const {
    if (words.contains(word)) return true;
    if (std::ranges::any_of(word, is_digit) || word.size() < kSharedStemBytes) return false;
    const std::string_view beginning = word.substr(0, std::max(kSharedStemBytes, word.size() * 7 / 10));
    const auto near = words.lower_bound(beginning);
    return near != words.end() && near->starts_with(beginning);
  }
};

bool is_function_word(std::string_view word) {
  return std::ranges::any_of(text::kUsualLanguages,
                             [&](text::Language language) { return text::is_function_word(language, word); });
}

// Every number, and most of the other words, must occur in the passages.
bool is_supported(std::string_view sentence, const Vocabulary& evidence) {
  text::Words reader;
  reader.feed(sentence);
  reader.finish();
  int counted = 0, found = 0;
  for (text::Word word; reader.next(word);) {
    const bool has_digit = std::ranges::any_of(word.text, is_digit);
    if (word.pair || (!has_digit && is_function_word(word.text))) continue;
    const bool known = evidence.has(word.text);
    if (has_digit && !known) return false;
    ++counted;
    found += known ? 1 : 0;
  }
  return counted > 0 && found * 100 >= counted * kNeededPercent;
}

std::optional<Removal> problem_of(const Cut& cut, std::span<const std::string> evidence) {
  if (cut.citations.empty()) return Removal::kNoCitation;
  const auto exists = [&](int number) { return number >= 1 && static_cast<std::size_t>(number) <= evidence.size(); };
  if (cut.citations.size() > kMaxCitations || !std::ranges::all_of(cut.citations, exists)) return Removal::kUnknownPassage;
  Vocabulary cited;
  for (const int number : cut.citations) cited.add(evidence[static_cast<std::size_t>(number) - 1]);
  if (!is_supported(cut.text, cited)) return Removal::kNotSupported;
  return std::nullopt;
}

}  // namespace

CheckedAnswer check_answer(std::string_view answer, std::span<const std::string> evidence) {
  CheckedAnswer checked;
  if (!utf8::is_valid(answer)) return checked;
  answer = without_thoughts(answer);
  const std::string_view bounded = utf8::slice(answer, 0, limits::kAskAnswerChars);
  checked.cut = bounded.size() < answer.size();
  std::vector<Cut> cuts = Splitter(bounded).sentences();
  if (checked.cut && !cuts.empty()) cuts.pop_back();  // it may be incomplete
  if (cuts.size() > limits::kAskSentences) {
    cuts.resize(limits::kAskSentences);
    checked.cut = true;
  }
  bool paragraph = false;
  for (Cut& cut : cuts) {
    paragraph = paragraph || cut.begins_paragraph;
    if (const auto why = problem_of(cut, evidence)) {
      checked.removed.push_back({std::move(cut.text), *why});
    } else {
      checked.sentences.push_back({std::move(cut.text), std::move(cut.citations), paragraph});
      paragraph = false;
    }
  }
  return checked;
}

std::string_view reason_of(Removal why) {
  switch (why) {
    case Removal::kNoCitation:
      return "it cites no passage";
    case Removal::kUnknownPassage:
      return "it cites a passage that doesn't exist";
    case Removal::kNotSupported:
      break;
  }
  return "the passage it cites doesn't say this";
}

}  // namespace ladder::ask
