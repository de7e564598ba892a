#include "console/reading/matches.h"

#include "base/text/utf8.h"

#include <algorithm>

namespace ladder::console {
namespace {

using html::Attribute;
using html::Markup;
using html::Prose;
using html::Writer;

constexpr std::size_t kMarkedPerWord = 500;  // in one text
constexpr std::int64_t kNumbered = 500;      // further matches are marked, but no link leads to them

}  // namespace

Matches::Matches(std::string_view q, std::set<std::string> fields) {
  fields.insert({std::string(text::kFromOperator), std::string(text::kToOperator)});
  text::WordGrammar grammar;
  grammar.forms = true;
  grammar.fields = std::move(fields);
  auto parsed = text::parse_word_query(q, grammar);
  if (parsed) query_ = *std::move(parsed);
}

// Overlapping matches are merged.
std::vector<std::pair<std::int64_t, std::int64_t>> Matches::ranges(std::string_view field, std::string_view text) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  if (!query_) return found;
  for (const text::WordRange& range : text::find_terms(*query_, text, kMarkedPerWord)) {
    const std::string& only = query_->terms[range.term].field;
    if (!only.empty() && only != field) continue;
    if (!found.empty() && range.start < found.back().second) found.back().second = std::max(found.back().second, range.end);
    else found.emplace_back(range.start, range.end);
  }
  return found;
}

Matches::In Matches::in(std::string_view field, std::string_view text, std::optional<std::int64_t> at_char) {
  In made(*this, text);
  std::size_t at = 0;
  std::int64_t chars = 0;
  const auto byte_of = [&](std::int64_t position) {
    at += utf8::offset_of(text.substr(at), position - chars);
    chars = position;
    return at;
  };
  for (const auto& [start, end] : ranges(field, text)) {
    if (at_char && !made.current_ && end > *at_char) made.current_ = made.ranges_.size();
    const std::size_t from = byte_of(start);
    made.ranges_.emplace_back(from, byte_of(end));
  }
  return made;
}

std::optional<std::int64_t> Matches::first(std::string_view field, std::string_view text) const {
  const auto found = ranges(field, text);
  return found.empty() ? std::nullopt : std::optional(found.front().first);
}

Writer Matches::marked(std::string_view field, std::string_view text) { return in(field, text).part(text); }

std::vector<Matches::In::Range>::const_iterator Matches::In::first_after(std::size_t at) const {
  return std::ranges::upper_bound(ranges_, at, {}, &Range::second);
}

std::int64_t Matches::In::count(std::string_view part) const {
  const auto from = static_cast<std::size_t>(part.data() - text_.data());
  const auto end = std::ranges::lower_bound(ranges_, from + part.size(), {}, &Range::first);
  return std::max<std::int64_t>(0, end - first_after(from));
}

Writer Matches::In::part(std::string_view part) {
  Writer out;
  const auto from = static_cast<std::size_t>(part.data() - text_.data());
  const std::size_t end = from + part.size();
  std::size_t at = from;
  for (auto match = first_after(from); match != ranges_.end() && match->first < end; ++match) {
    const std::size_t start = std::max(match->first, at), stop = std::min(match->second, end);
    const bool is_current = current_ && match - ranges_.begin() == static_cast<std::ptrdiff_t>(*current_);
    out << Prose(text_.substr(at, start - at))
        << (is_current ? Markup("<span id=\"at\"></span><mark class=\"here\"") : Markup("<mark"));
    if (all_->written_ < kNumbered) out << Attribute("id", "m" + std::to_string(++all_->written_));
    out << Markup(">") << Prose(text_.substr(start, stop - start)) << Markup("</mark>");
    at = stop;
  }
  out << Prose(text_.substr(at, end - at));
  return out;
}

}  // namespace ladder::console
