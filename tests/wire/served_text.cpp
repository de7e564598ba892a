#include "served_text.h"

#include "base/text/format.h"

namespace ladder::wire {
namespace {

constexpr std::size_t kWord = 7, kStep = 8;  // with its space
constexpr char kMark = '~';                  // occurs neither in base64 nor in any word of a rendering

}  // namespace

const std::string& MarkedTexts::make(const std::string& record, const std::string& field, std::size_t words) {
  const auto [made, is_new] = texts_.try_emplace({record, field});
  const std::size_t number = texts_.size();
  for (std::size_t i = 0; i < words; ++i) {
    const std::string word = format("{}{:02x}{:04x}", kMark, number, i);
    words_.emplace(word, std::pair(&made->first, i * kStep));
    made->second += word + ' ';
  }
  made->second.pop_back();
  return made->second;
}

std::string MarkedTexts::word(const FieldKey& key, std::size_t which) const {
  const std::string& text = texts_.at(key);
  const std::size_t words = (text.size() + 1) / kStep;
  return text.substr(which % words * kStep + 1, kWord - 1);
}

void MarkedTexts::look_at(std::string_view answer, Shown& shown) const {
  for (std::size_t at = answer.find(kMark); at != std::string_view::npos; at = answer.find(kMark, at + 1)) {
    const auto word = words_.find(answer.substr(at, kWord));
    if (word == words_.end()) continue;
    const auto& [key, offset] = word->second;
    const std::string& text = texts_.at(*key);
    std::size_t before = 0, after = kWord;
    while (before < at && before < offset && answer[at - before - 1] == text[offset - before - 1]) ++before;
    while (at + after < answer.size() && offset + after < text.size() && answer[at + after] == text[offset + after]) ++after;
    add_range(shown[*key], {static_cast<std::int64_t>(offset - before), static_cast<std::int64_t>(offset + after)});
    at += after - 1;
  }
}

void MarkedTexts::look_at(const boost::json::value& answer, Shown& shown) const {
  if (const auto* text = answer.if_string()) look_at(std::string_view(*text), shown);
  if (const auto* list = answer.if_array()) {
    for (const auto& item : *list) look_at(item, shown);
  }
  if (const auto* object = answer.if_object()) {
    for (const auto& member : *object) look_at(member.value(), shown);
  }
}

std::vector<std::string> MarkedTexts::only_in(const Shown& one, const Shown& other) const {
  std::vector<std::string> found;
  for (const auto& [key, text] : texts_) {
    const auto has = [&key](const Shown& shown) {
      std::string chars;
      const auto ranges = shown.find(key);
      if (ranges == shown.end()) return chars;
      for (const server::ShownRange& range : ranges->second) {
        chars.resize(static_cast<std::size_t>(range.start), '-');
        chars.resize(static_cast<std::size_t>(range.end), '+');
      }
      return chars;
    };
    std::string in_one = has(one), in_other = has(other);
    in_one.resize(text.size(), '-');
    in_other.resize(text.size(), '-');
    for (std::size_t start = 0; start < text.size(); ++start) {
      const auto differs = [&](std::size_t at) { return in_one[at] == '+' && in_other[at] != '+' && text[at] != ' '; };
      std::size_t end = start;
      while (end < text.size() && differs(end)) ++end;
      if (end == start) continue;
      found.push_back(format("{}/{} [{}, {})", key.first, key.second, start, end));
      start = end;
    }
  }
  return found;
}

}  // namespace ladder::wire
