#include "import/formats/mail/mail_text.h"

#include "base/text/utf8.h"
#include "import/html/html_text.h"
#include "import/io/limits.h"
#include "import/text/text.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_set>

namespace ladder::imports::mail {
namespace {

constexpr std::string_view kSignature = "-- ";

struct Line {
  std::size_t depth = 0;  // quote depth
  std::string_view text;  // without quote marks and space-stuffing
};

Line line_of(std::string_view raw) {
  Line line;
  line.depth = std::min(raw.find_first_not_of('>'), raw.size());
  line.text = raw.substr(line.depth);
  if (line.text.starts_with(' ')) line.text.remove_prefix(1);
  return line;
}

}  // namespace

std::string unflowed(std::string_view text, bool delete_space) {
  std::string out;
  out.reserve(text.size());
  std::optional<std::size_t> open;  // the quote depth of an unfinished line
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const Line line = line_of(text.substr(at, end - at));
    at = end + 1;
    const bool is_signature = line.text == kSignature;
    if (!open || *open != line.depth || is_signature) {
      if (open) out += '\n';
      out.append(line.depth, '>');
      if (line.depth > 0) out += ' ';
    }
    const bool flows = !is_signature && line.text.ends_with(' ');
    out += flows && delete_space ? line.text.substr(0, line.text.size() - 1) : line.text;
    open = flows ? std::optional(line.depth) : std::nullopt;
    if (!flows) out += '\n';
  }
  return out;
}

namespace {

constexpr std::size_t kMaxCompared = 4 * limits::kMiB;  // larger texts are not compared
constexpr std::size_t kStubWords = 60;                  // a plain text with more different words is not a stub
constexpr std::size_t kSpareWords = 2;                  // the names of a few images do not count

// Allows lookup by string_view without creating a string.
struct WordHash : std::hash<std::string_view> {
  using is_transparent = void;
};

using Words = std::unordered_set<std::string, WordHash, std::equal_to<>>;

bool is_ascii_word_char(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// For non-ASCII characters.
bool is_word_char(char32_t c) { return c != 0xA0 && c != 0xAD && !(c >= 0x2000 && c <= 0x206F) && c != 0xFEFF; }

// Chinese and Japanese have no blanks between words, so each character counts as a word.
bool is_whole_word(char32_t c) { return c >= 0x2E80 && c <= 0x3FFFF && !(c >= 0xAC00 && c <= 0xD7A3); }

bool begins_address(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://") || text.starts_with("mailto:");
}

// Calls `use` for each word in lower case. Skips URLs: plain text shows them and HTML hides them.
template <class Use>
void each_word(std::string_view text, Use use) {
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) use(std::string_view(word));
    word.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const char first = text[at];
    if (word.empty() && (first == 'h' || first == 'm') && begins_address(text.substr(at))) {
      at = std::min(text.find_first_of(" \t\n\r<>()[]\"", at), text.size());
      continue;
    }
    if (static_cast<unsigned char>(first) < 0x80) {
      ++at;
      if (is_ascii_word_char(first)) word += first >= 'A' && first <= 'Z' ? static_cast<char>(first - 'A' + 'a') : first;
      else end_word();
      continue;
    }
    const std::size_t begin = at;
    const char32_t c = utf8::next(text, at);
    if (!is_word_char(c)) {
      end_word();
    } else if (is_whole_word(c)) {
      end_word();
      use(text.substr(begin, at - begin));
    } else {
      word += text.substr(begin, at - begin);
    }
  }
  end_word();
}

void add_words(Words& words, std::string_view text) {
  each_word(text, [&](std::string_view word) {
    if (!words.contains(word)) words.emplace(word);
  });
}

Words words_of(std::string_view text) {
  Words words;
  add_words(words, text);
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
    each_word(line, [&](std::string_view word) { is_new = is_new || !known.contains(word); });
    if (!is_new) continue;
    if (!out.empty()) out += '\n';
    out += line;
  }
  return out;
}

}  // namespace

Versions compare_versions(std::string_view plain, std::string_view page) {
  if (plain.size() > kMaxCompared || page.size() > kMaxCompared) return {};
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

bool is_blank(std::string_view text) { return trim(text).empty(); }

void append_paragraphs(std::string& text, std::string_view more) {
  if (is_blank(more)) return;
  if (!text.empty()) text += text.ends_with('\n') ? "\n" : "\n\n";
  text += more;
}

namespace {

void append_lines(std::string& text, std::string_view more) {
  if (is_blank(more)) return;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += more;
}

}  // namespace

void convert_html(Body& body) {
  if (body.html.empty() || !is_blank(body.text)) return;
  HtmlText page = html_to_text(body.html, "utf-8");
  body.text = std::move(page.text);
  body.links = std::move(page.links);
  body.html_is_cut = page.is_cut;
}

void choose_text(Body& body) {
  if (body.html.empty() || is_blank(body.text) || body.html.size() > kMaxAttachmentTextBytes) return;
  HtmlText page = html_to_text(body.html, "utf-8");
  Versions versions = compare_versions(body.text, page.text);
  body.other_text = std::move(versions.other_text);
  if (!versions.html_says_more) return;
  body.text = std::move(page.text);
  body.links = std::move(page.links);
}

void append_other_words(Body& body, const std::vector<std::string>& others) {
  std::size_t compared = body.text.size() + body.other_text.size();
  std::optional<Words> known;
  for (const std::string& each : others) {
    if (each == body.text) continue;
    compared += each.size();
    if (compared > kMaxCompared) {  // Very long texts are not compared; the whole version is kept.
      append_paragraphs(body.other_text, each);
      continue;
    }
    if (!known) {
      known = words_of(body.text);
      add_words(*known, body.other_text);
    }
    const std::string lines = lines_with_other_words(each, *known);
    add_words(*known, lines);
    append_lines(body.other_text, lines);
  }
}

void append_body(Body& whole, Body& more) {
  convert_html(more);
  if (whole.text.empty()) whole.text = std::move(more.text);
  else append_paragraphs(whole.text, more.text);
  if (whole.html.empty()) whole.html = std::move(more.html);
  else append_paragraphs(whole.html, more.html);
  append_paragraphs(whole.other_text, more.other_text);
  whole.html_is_cut = whole.html_is_cut || more.html_is_cut;
  std::ranges::move(more.links, std::back_inserter(whole.links));
}

}  // namespace ladder::imports::mail
