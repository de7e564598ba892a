#include "import/formats/mail_versions.h"

#include "base/utf8.h"
#include "import/limits.h"
#include "import/text.h"

#include <algorithm>
#include <unordered_set>

namespace ladder::imports::mail {
namespace {

constexpr std::size_t kMostCompared = 4 * limits::kMiB;  // larger ones are told apart by nobody
constexpr std::size_t kStubWords = 60;                   // a plain text of more different words is none
constexpr std::size_t kSpareWords = 2;                   // the name of a picture or two say nothing

using Words = std::unordered_set<std::string>;

bool is_word_char(char32_t c) {
  return c >= 0x80 ? c != 0xA0 && c != 0xAD && !(c >= 0x2000 && c <= 0x206F) && c != 0xFEFF
                   : (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Letters that are words by themselves: Chinese and Japanese are written without blanks.
bool is_whole_word(char32_t c) { return c >= 0x2E80 && c <= 0x3FFFF && !(c >= 0xAC00 && c <= 0xD7A3); }

// Calls `use` for each word in lower case. Addresses of pages are none: plain texts write them out and HTML hides them.
template <class Use>
void each_word(std::string_view text, Use use) {
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) use(word);
    word.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (word.empty() && (rest.starts_with("http://") || rest.starts_with("https://") || rest.starts_with("mailto:"))) {
      at += std::min(rest.find_first_of(" \t\n\r<>()[]\""), rest.size());
      continue;
    }
    const std::size_t begin = at;
    const char32_t c = utf8::next(text, at);
    if (!is_word_char(c)) {
      end_word();
    } else if (is_whole_word(c)) {
      end_word();
      word = text.substr(begin, at - begin);
      end_word();
    } else {
      word += lower_ascii(text.substr(begin, at - begin));
    }
  }
  end_word();
}

Words words_of(std::string_view text) {
  Words words;
  each_word(text, [&](const std::string& word) { words.insert(word); });
  return words;
}

std::size_t count_missing(const Words& from, const Words& in) {
  return static_cast<std::size_t>(std::ranges::count_if(from, [&](const std::string& word) { return !in.contains(word); }));
}

std::string lines_with_other_words(std::string_view text, const Words& known) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trim(text.substr(at, end - at));
    at = end + 1;
    bool is_new = false;
    each_word(line, [&](const std::string& word) { is_new = is_new || !known.contains(word); });
    if (!is_new) continue;
    if (!out.empty()) out += '\n';
    out += line;
  }
  return out;
}

}  // namespace

Versions compare_versions(std::string_view plain, std::string_view page) {
  if (plain.size() > kMostCompared || page.size() > kMostCompared) return {};
  const Words said = words_of(plain), shown = words_of(page);
  if (shown.empty()) return {};
  const std::size_t only_said = count_missing(said, shown), only_shown = count_missing(shown, said);
  const std::size_t shared = said.size() - only_said;
  Versions out;
  if (said.size() <= kStubWords) out.html_says_more = shared * 10 < said.size() * 3 || only_shown > only_said + kSpareWords;
  else out.html_says_more = shown.size() >= 2 * said.size();
  out.other_text = out.html_says_more ? lines_with_other_words(plain, shown) : lines_with_other_words(page, said);
  return out;
}

}  // namespace ladder::imports::mail
