#include "rs/match_windows.h"

#include "base/utf8.h"

#include <algorithm>
#include <bitset>
#include <optional>
#include <set>
#include <tuple>

namespace ladder::rs {
namespace {

using store::WordRange;

constexpr std::int64_t kMostCutChars = 24;  // given up at an end so that a window begins and ends between words

using Terms = std::bitset<store::kMaxWordTerms>;

// Neighbouring places of terms that fit one window.
struct Cluster {
  const FoundText* text = nullptr;
  std::int64_t start = 0, end = 0;  // chars of the field
  Terms terms;
};

bool is_space(char32_t c) {
  return c == ' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// The places from `first` on that fit one window, as few as show all the terms that any of them show.
Cluster cluster_at(const FoundText& text, std::size_t first) {
  const WordRange& begin = text.ranges[first];
  const std::int64_t reach = begin.start + kMatchWindowChars;
  Cluster cluster{&text, begin.start, begin.end, {}};
  cluster.terms.set(begin.term);
  for (std::size_t i = first + 1; i < text.ranges.size() && text.ranges[i].start < reach; ++i) {
    const WordRange& range = text.ranges[i];
    if (cluster.terms[range.term] || range.end > reach) continue;
    cluster.terms.set(range.term);
    cluster.end = std::max(cluster.end, range.end);
  }
  return cluster;
}

// Greater is better: terms not shown yet, terms at all, a title, terms close together.
auto worth(const Cluster& cluster, const Terms& shown) {
  const std::int64_t apart = cluster.terms.count() > 1 ? cluster.end - cluster.start : 0;
  return std::tuple((cluster.terms & ~shown).count(), cluster.terms.count(), cluster.text->strong, -apart);
}

// Of the clusters that `fits` takes; on a tie the earlier one.
template <class Fits>
std::optional<Cluster> best_cluster(std::span<const FoundText> texts, const Terms& shown, Fits fits) {
  std::optional<Cluster> best;
  for (const FoundText& text : texts) {
    for (std::size_t i = 0; i < text.ranges.size(); ++i) {
      const Cluster cluster = cluster_at(text, i);
      if (fits(cluster) && (!best || worth(cluster, shown) > worth(*best, shown))) best = cluster;
    }
  }
  return best;
}

// Chars [from, to) of a found text, by their number in the field.
class Chars {
 public:
  Chars(const FoundText& text, std::int64_t from, std::int64_t to)
      : from_(from), chars_(utf8::decode(utf8::slice(text.text, from - text.start_chars, to - from))) {}
  // Whether a white space is known to be there.
  bool space_at(std::int64_t at) const {
    return at >= from_ && at - from_ < std::ssize(chars_) && is_space(chars_[static_cast<std::size_t>(at - from_)]);
  }

 private:
  std::int64_t from_;
  std::u32string chars_;
};

// Onwards from a start inside a word to the next word, if it is near.
std::int64_t word_start(const Chars& chars, std::int64_t start, std::int64_t at_most) {
  std::int64_t at = start;
  while (at < at_most && at - start < kMostCutChars && !chars.space_at(at - 1)) ++at;
  if (!chars.space_at(at - 1)) return start;
  while (at < at_most && chars.space_at(at)) ++at;
  return at;
}

// Back from an end inside a word to the end of the word before it, if it is near.
std::int64_t word_end(const Chars& chars, std::int64_t end, std::int64_t at_least) {
  std::int64_t at = end;
  while (at > at_least && end - at < kMostCutChars && !chars.space_at(at)) --at;
  if (!chars.space_at(at)) return end;
  while (at > at_least && chars.space_at(at - 1)) --at;
  return at;
}

// The cluster with text around it.
port::MatchWindow window_around(const Cluster& cluster) {
  const FoundText& text = *cluster.text;
  const std::int64_t text_end = text.start_chars + utf8::count(text.text);
  const std::int64_t length = std::max(kMatchWindowChars, cluster.end - cluster.start);
  std::int64_t start = std::max(text.start_chars, cluster.start - (length - (cluster.end - cluster.start)) / 2);
  std::int64_t end = std::min(text_end, start + length);
  start = std::max(text.start_chars, std::min(start, end - length));

  const Chars chars(text, std::max(text.start_chars, start - 1), std::min(text_end, end + 1));
  if (start > 0) start = word_start(chars, start, cluster.start);
  if (end < text.size_chars) end = word_end(chars, end, cluster.end);

  port::MatchWindow window;
  window.field_path = text.field;
  window.start_chars = start;
  window.end_chars = end;
  window.size_chars = text.size_chars;
  window.text = utf8::slice(text.text, start - text.start_chars, end - start);
  window.complete = start == 0 && end == text.size_chars;
  return window;
}

// What lies whole inside the window.
void list_matches(const FoundText& text, port::MatchWindow& window, Terms& shown) {
  for (const WordRange& range : text.ranges) {
    if (range.start < window.start_chars || range.end > window.end_chars) continue;
    shown.set(range.term);
    window.matches.push_back({range.start, range.end});
  }
  std::ranges::sort(window.matches);
  window.matches.erase(std::ranges::unique(window.matches).begin(), window.matches.end());
}

}  // namespace

std::vector<port::MatchWindow> choose_windows(std::span<const FoundText> texts) {
  std::vector<port::MatchWindow> windows;
  Terms shown;
  std::set<std::string_view> fields;
  const auto add = [&](const Cluster& cluster) {
    port::MatchWindow& window = windows.emplace_back(window_around(cluster));
    list_matches(*cluster.text, window, shown);
    fields.insert(cluster.text->field);
  };
  while (windows.size() < kMaxMatchWindows) {
    const auto next = best_cluster(texts, shown, [&](const Cluster& cluster) { return (cluster.terms & ~shown).any(); });
    if (!next) break;
    add(*next);
  }
  while (windows.size() < kMaxMatchWindows) {  // every term is shown: other fields that hold some
    const auto next = best_cluster(texts, shown, [&](const Cluster& cluster) { return !fields.contains(cluster.text->field); });
    if (!next) break;
    add(*next);
  }
  return windows;
}

}  // namespace ladder::rs
