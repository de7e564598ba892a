#include "rs/search_hit.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "rs/field_text.h"
#include "rs/match_windows.h"
#include "rs/record_view.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace ladder::rs {
namespace {

constexpr std::size_t kMostPlacesOfATerm = 256;  // that are weighed in one text; there are about so many in a passage

using store::WordRange;

std::string authored_at(const SearchPlace& place, const store::RecordRow& row) {
  if (!place.scope.timed) return {};
  const auto value = json::member(row.body, place.place().declared->consent_time_field);
  if (!value || value->kind != json::Kind::kString || value->text.size() > limits::kMaxTimeTextBytes) return {};
  std::string text = json::decode_string(json::raw_content(*value));
  return parse_field_time(text) ? text : std::string();
}

constexpr std::int64_t kMostLineChars = 120;
constexpr std::array<std::string_view, 2> kTitleRoles = {"primary-title", "title"};
constexpr std::array<std::string_view, 1> kAuthorRoles = {"actor"};

// The first granted field with one of the roles, in their order, that has text: its first line.
std::string declared_line(const SearchPlace& place, const store::RecordRow& row, std::span<const std::string_view> roles) {
  const grant::StreamGrant* const granted = place.reach.granted;
  for (const std::string_view role : roles) {
    for (const model::Field& field : place.place().declared->fields) {
      if (field.role != role || (granted && !granted->allows_field(field.name))) continue;
      const auto value = json::member(row.body, field.name);
      if (!value || value->kind != json::Kind::kString) continue;
      std::string text = json::decode_string(json::raw_content(*value));
      const std::size_t begin = text.find_first_not_of(" \t\r\n");
      if (begin == std::string::npos) continue;
      text = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
      if (utf8::count(text) <= kMostLineChars) return text;
      return std::string(utf8::slice(text, 0, kMostLineChars - 1)) + "\u2026";
    }
  }
  return {};
}

// Which of the words the record has, and which it lacks.
void name_words(const store::WordQuery& query, std::span<const FoundText> texts, port::SearchHit& hit) {
  std::vector<bool> has(query.terms.size());
  for (const FoundText& text : texts) {
    for (const WordRange& range : text.ranges) has[range.term] = true;
  }
  for (std::size_t i = 0; i < has.size(); ++i) (has[i] ? hit.words : hit.missing).push_back(query.terms[i].typed);
}

// Finding the words again in the texts of one record.
class Finder {
 public:
  Finder(store::Reader& reader, const SearchPlace& place, const store::WordQuery& query, const store::WordHit& hit)
      : reader_(reader), place_(place), query_(query), hit_(hit) {}

  // False: a text is gone.
  Result<bool> find() {
    auto texts = store::searched_texts(hit_.record.body, place_.columns);
    for (const store::WordColumn& column : place_.columns) {  // in declared order
      const auto found = std::ranges::find(texts, column.column, &store::SearchedText::column);
      if (found == texts.end()) continue;
      if (!found->ref) {
        take_short(column, std::move(found->text));
        continue;
      }
      LADDER_TRY(const bool whole, take_passages(column, *found->ref));
      if (!whole) return false;
    }
    return true;
  }
  const std::vector<FoundText>& texts() const { return texts_; }

 private:
  FoundText begin(const store::WordColumn& column) const {
    FoundText text;
    text.field = column.field;
    text.strong = (place_.scope.strong >> column.column & 1) != 0;
    return text;
  }

  // A term that names a field counts in no other.
  std::vector<WordRange> ranges_in(const store::WordColumn& column, std::string_view text) const {
    std::vector<WordRange> ranges = store::find_terms(query_, text, kMostPlacesOfATerm);
    std::erase_if(ranges, [&](const WordRange& range) {
      const std::string& field = query_.terms[range.term].field;
      return !field.empty() && field != column.field;
    });
    return ranges;
  }

  void take_short(const store::WordColumn& column, std::string all) {
    auto ranges = ranges_in(column, all);
    if (ranges.empty()) return;
    FoundText text = begin(column);
    text.ranges = std::move(ranges);
    text.size_chars = utf8::count(all);
    text.text = std::move(all);
    texts_.push_back(std::move(text));
  }

  Result<bool> take_passages(const store::WordColumn& column, const store::LongRef& ref) {
    for (const store::WordPassage& passage : hit_.passages) {
      if (passage.column != column.column) continue;
      LADDER_TRY(const bool whole, take_passage(column, ref, passage));
      if (!whole) return false;
    }
    return true;
  }

  // Words are looked for in the passage alone, as they stand in the index; what lies around it is for the window's sake.
  Result<bool> take_passage(const store::WordColumn& column, const store::LongRef& ref, const store::WordPassage& passage) {
    LADDER_TRY(const FieldText field, FieldText::of({ref, ref.kind, {}}, column.field));
    const std::int64_t from = std::max<std::int64_t>(0, passage.start - kMatchWindowChars);
    const std::int64_t to = std::min(ref.size_chars, passage.end + kMatchWindowChars);
    LADDER_TRY(auto chars, field.chars(reader_, from, to));
    if (!chars) return false;
    FoundText text = begin(column);
    const std::string_view inside = utf8::slice(*chars, passage.start - from, passage.end - passage.start);
    text.ranges = ranges_in(column, inside);
    for (WordRange& range : text.ranges) {
      range.start += passage.start;
      range.end += passage.start;
    }
    text.size_chars = ref.size_chars;
    text.start_chars = from;
    text.text = *std::move(chars);
    if (!text.ranges.empty()) texts_.push_back(std::move(text));
    return true;
  }

  store::Reader& reader_;
  const SearchPlace& place_;
  const store::WordQuery& query_;
  const store::WordHit& hit_;
  std::vector<FoundText> texts_;
};

}  // namespace

Result<std::optional<port::SearchHit>> to_hit(store::Reader& reader, const SearchPlace& place, const store::WordQuery& query,
                                              const store::WordHit& hit) {
  Finder finder(reader, place, query, hit);
  LADDER_TRY(const bool whole, finder.find());
  if (!whole) return std::nullopt;
  port::Record record = to_record(place.reach, place.place(), hit.record, {});
  port::SearchHit made;
  made.ref = std::move(record.ref);
  made.connector_key = std::move(record.connector_key);
  made.display_name = std::move(record.display_name);
  made.emitted_at = std::move(record.emitted_at);
  made.authored_at = authored_at(place, hit.record);
  made.score = hit.place.score;
  for (const FoundText& text : finder.texts()) {
    if (made.matched_fields.empty() || made.matched_fields.back() != text.field) made.matched_fields.push_back(text.field);
  }
  made.windows = choose_windows(finder.texts());
  name_words(query, finder.texts(), made);
  made.title = declared_line(place, hit.record, kTitleRoles);
  made.author = declared_line(place, hit.record, kAuthorRoles);
  return made;
}

}  // namespace ladder::rs
