#include "support/plain_scan.h"

#include "base/text/utf8.h"
#include "text/words.h"

#include <algorithm>
#include <unordered_map>

namespace ladder::test_support {
namespace {

// A word, or one character of a script without spaces.
struct Unit {
  std::string text;
  std::int64_t start = 0, end = 0;
  bool joined = false;  // the next unit follows directly
};

// Cached, since the same texts are searched again and again.
const std::vector<Unit>& units_of(const std::string& text) {
  thread_local std::unordered_map<std::string, std::vector<Unit>> known;
  if (known.size() > 10'000) known.clear();
  const auto [at, fresh] = known.try_emplace(text);
  std::vector<Unit>& units = at->second;
  if (!fresh) return units;
  text::Words words;
  words.feed(text);
  const auto take = [&] {
    for (text::Word word; words.next(word);) {
      if (word.pair) units.back().joined = true;
      else units.push_back({std::string(word.text), word.start, word.end});
    }
  };
  take();
  words.finish();
  take();
  return units;
}

bool lies_at(const std::vector<Unit>& wanted, bool prefix, const std::vector<Unit>& units, std::size_t at) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Unit& unit = units[at + i];
    if (i > 0 && unit.start - units[at + i - 1].end > text::kMaxWordGapChars) return false;
    const bool last = i + 1 == wanted.size();
    if (prefix && last ? !unit.text.starts_with(wanted[i].text) : unit.text != wanted[i].text) return false;
    if (wanted[i].joined && !unit.joined) return false;
  }
  return true;
}

}  // namespace

std::string query_text(const std::vector<AskedTerm>& terms) {
  std::string text;
  for (const AskedTerm& term : terms) {
    if (!text.empty()) text += ' ';
    if (term.excluded) text += '-';
    text += term.quoted ? '"' + term.text + '"' : term.text;
    if (term.prefix) text += '*';
  }
  return text;
}

bool plainly_in(const AskedTerm& term, const std::string& text) {
  const std::vector<Unit> wanted = units_of(term.text);
  const std::vector<Unit>& units = units_of(text);
  for (std::size_t at = 0; at + wanted.size() <= units.size(); ++at) {
    if (lies_at(wanted, term.prefix, units, at)) return true;
  }
  return false;
}

bool plainly_matches(const std::vector<AskedTerm>& terms, const std::vector<std::string>& texts) {
  return std::ranges::all_of(terms, [&](const AskedTerm& term) {
    const bool found = std::ranges::any_of(texts, [&](const std::string& text) { return plainly_in(term, text); });
    return found != term.excluded;
  });
}

AskedTerm random_term(std::mt19937& random, const std::vector<std::string>& texts) {
  const auto one_of = [&](std::size_t n) { return random() % n; };
  AskedTerm term;
  if (one_of(12) == 0 || texts.empty()) {
    term.text = "nowhere";
    return term;
  }
  const std::string& text = texts[one_of(texts.size())];
  const std::vector<Unit>& units = units_of(text);
  if (units.empty()) {
    term.text = "empty";
    return term;
  }
  const std::size_t first = one_of(units.size());
  const std::size_t count = 1 + (one_of(3) == 0 ? one_of(6) : 0);
  const std::size_t last = std::min(first + count, units.size()) - 1;
  const std::size_t begin = utf8::offset_of(text, units[first].start), end = utf8::offset_of(text, units[last].end);
  term.text = text.substr(begin, end - begin);
  term.quoted = last > first || one_of(5) == 0;
  std::erase(term.text, '"');
  std::ranges::replace(term.text, '\n', ' ');
  if (one_of(5) == 0) {
    term.prefix = true;
    const std::int64_t length = utf8::count(units[last].text);
    if (last == first && length > 3) {
      term.quoted = false;
      term.text = term.text.substr(0, utf8::offset_of(term.text, 2));
    }
  }
  return term;
}

const std::vector<std::string>& sentences() {
  static const std::vector<std::string> all = {
      "The quick brown fox jumps over the lazy dog; the dog does not mind.",
      "Quarterly report: revenue rose by 12% in Q3, costs fell. Foxes were not involved.",
      "Le café était fermé hier soir, mais la crêperie naïve restait ouverte.",
      "Straße und Fuß: der Käse liegt übrigens auf dem Tisch, FÜNF Stück.",
      "Η γρήγορη καφέ αλεπού πηδάει πάνω από το τεμπέλικο σκυλί. ΣΊΣΥΦΟΣ σίσυφος",
      "Съешь же ещё этих мягких французских булок, да выпей чаю.",
      "كتبَ الوَلَدُ رسالةً إلى مُعلِّمه في المدرسة.",
      "كتب الولد رسالة قصيرة",
      "שָׁלוֹם עוֹלָם, מה שלומך היום? שלום לכולם.",
      "我昨天在东京买了一本关于机器学习的书，今天开始读。",
      "昨日東京で機械学習の本を買いました。今日から読み始めます。",
      "カタカナとひらがなと漢字が混ざったメールです。ﾊﾝｶｸもあります。",
      "어제 서울에서 기계 학습 책을 샀습니다. 오늘부터 읽겠습니다.",
      "เมื่อวานฉันซื้อหนังสือเกี่ยวกับการเรียนรู้ของเครื่อง",
      "कल मैंने मशीन लर्निंग पर एक किताब खरीदी। किताब अच्छी है।",
      "Deploy v2.3.1 to prod-eu-west-1: see ticket OPS-4711 and foo_bar.baz@example.org",
      "東京tower と Tokyo タワー 2024年1月 🎉🎉 party 🎉",
      "",
      "?!… — «» ¡¿",
      "a a a a b a a c a",
  };
  return all;
}

}  // namespace ladder::test_support
