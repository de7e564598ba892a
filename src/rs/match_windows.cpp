#include "rs/match_windows.h"

#include "base/utf8.h"
#include "model/field_path.h"

#include <algorithm>
#include <bitset>
#include <optional>
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

// A place in a text, moved char by char; a char beyond the text is no white space.
class Place {
 public:
  Place(std::string_view text, std::size_t byte) : text_(text), byte_(byte) {}

  std::size_t byte() const { return byte_; }
  bool space_here() const { return byte_ < text_.size() && is_space(char_at(byte_)); }
  bool space_before() const { return byte_ > 0 && is_space(char_at(start_before())); }
  void forward() { utf8::next(text_, byte_); }
  void back() { byte_ = start_before(); }

 private:
  char32_t char_at(std::size_t byte) const { return utf8::next(text_, byte); }
  std::size_t start_before() const {
    std::size_t at = byte_ - 1;
    while (at > 0 && (static_cast<unsigned char>(text_[at]) & 0xC0) == 0x80) --at;
    return at;
  }

  std::string_view text_;
  std::size_t byte_;
};

// Onwards from a start inside a word to the next word, if it is near.
std::int64_t to_word_start(Place& place, std::int64_t start, std::int64_t at_most) {
  const Place begin = place;
  std::int64_t at = start;
  for (; at < at_most && at - start < kMostCutChars && !place.space_before(); ++at) place.forward();
  if (!place.space_before()) {
    place = begin;
    return start;
  }
  for (; at < at_most && place.space_here(); ++at) place.forward();
  return at;
}

// Back from an end inside a word to the end of the word before it, if it is near.
std::int64_t to_word_end(Place& place, std::int64_t end, std::int64_t at_least) {
  const Place begin = place;
  std::int64_t at = end;
  for (; at > at_least && end - at < kMostCutChars && !place.space_here(); --at) place.back();
  if (!place.space_here()) {
    place = begin;
    return end;
  }
  for (; at > at_least && place.space_before(); --at) place.back();
  return at;
}

// The cluster with text around it.
port::MatchWindow window_around(const Cluster& cluster) {
  const FoundText& text = *cluster.text;
  const std::string_view all = text.text;
  const std::int64_t text_end = text.start_chars + utf8::count(all);
  const std::int64_t length = std::max(kMatchWindowChars, cluster.end - cluster.start);
  std::int64_t start = std::max(text.start_chars, cluster.start - (length - (cluster.end - cluster.start)) / 2);
  std::int64_t end = std::min(text_end, start + length);
  start = std::max(text.start_chars, std::min(start, end - length));

  Place first(all, utf8::offset_of(all, start - text.start_chars));
  Place last(all, first.byte() + utf8::offset_of(all.substr(first.byte()), end - start));
  if (start > 0) start = to_word_start(first, start, cluster.start);
  if (end < text.size_chars) end = to_word_end(last, end, cluster.end);

  port::MatchWindow window;
  window.field_path = model::format_field_path(text.field);
  window.start_chars = start;
  window.end_chars = end;
  window.size_chars = text.size_chars;
  window.text = all.substr(first.byte(), last.byte() - first.byte());
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
  std::vector<std::string_view> fields;
  const auto add = [&](const Cluster& cluster) {
    port::MatchWindow& window = windows.emplace_back(window_around(cluster));
    list_matches(*cluster.text, window, shown);
    fields.emplace_back(cluster.text->field);
  };
  while (windows.size() < kMaxMatchWindows) {
    const auto next = best_cluster(texts, shown, [&](const Cluster& cluster) { return (cluster.terms & ~shown).any(); });
    if (!next) break;
    add(*next);
  }
  const auto is_new = [&](const Cluster& cluster) { return std::ranges::find(fields, cluster.text->field) == fields.end(); };
  while (windows.size() < kMaxMatchWindows) {  // every term is shown: other fields that hold some
    const auto next = best_cluster(texts, shown, is_new);
    if (!next) break;
    add(*next);
  }
  return windows;
}

}  // namespace ladder::rs
