#include "server/search/search_hit.h"

#include "api/schema.h"
#include "api/wire_words.h"
#include "base/limits.h"
#include "base/text/utf8.h"
#include "base/time/time.h"
#include "crypto/hash.h"
#include "model/field_path.h"
#include "server/read/projection.h"
#include "server/search/search_reading.h"
#include "server/window/field_text.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace ladder::server {
namespace {

using text::WordRange;

constexpr std::int64_t kMaxCutChars = 24;  // trimmed from an end so that windows begin and end between words

using Terms = std::bitset<text::kMaxWordTerms>;

// Nearby matches that fit into one window.
struct Cluster {
  const FoundText* text = nullptr;
  std::int64_t start = 0, end = 0;  // chars of the field
  Terms terms;
};

bool is_space(char32_t c) {
  return c == ' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// Builds the cluster from match `first` on: the smallest set within one window that covers all terms there.
Cluster cluster_at(const FoundText& text, std::size_t first) {
  const WordRange& begin = text.ranges[first];
  const std::int64_t read_scope = begin.start + kMatchWindowChars;
  Cluster cluster{&text, begin.start, begin.end, {}};
  cluster.terms.set(begin.term);
  for (std::size_t i = first + 1; i < text.ranges.size() && text.ranges[i].start < read_scope; ++i) {
    const WordRange& range = text.ranges[i];
    if (cluster.terms[range.term] || range.end > read_scope) continue;
    cluster.terms.set(range.term);
    cluster.end = std::max(cluster.end, range.end);
  }
  return cluster;
}

// Ranking of clusters, greater is better: number of new terms, number of terms, in a title, closeness.
auto rank(const Cluster& cluster, const Terms& shown) {
  const std::int64_t apart = cluster.terms.count() > 1 ? cluster.end - cluster.start : 0;
  return std::tuple((cluster.terms & ~shown).count(), cluster.terms.count(), cluster.text->strong, -apart);
}

// Returns the best cluster accepted by `fits`; the earlier one on a tie.
template <class Fits>
std::optional<Cluster> best_cluster(std::span<const FoundText> texts, const Terms& shown, Fits fits) {
  std::optional<Cluster> best;
  for (const FoundText& text : texts) {
    for (std::size_t i = 0; i < text.ranges.size(); ++i) {
      const Cluster cluster = cluster_at(text, i);
      if (fits(cluster) && (!best || rank(cluster, shown) > rank(*best, shown))) best = cluster;
    }
  }
  return best;
}

// A position in a text that moves char by char. Positions outside the text are not whitespace.
class TextPosition {
 public:
  TextPosition(std::string_view text, std::size_t byte) : text_(text), byte_(byte) {}

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

// Moves forward from inside a word to the start of the next word, if it is close.
std::int64_t to_word_start(TextPosition& position, std::int64_t start, std::int64_t at_most) {
  const TextPosition begin = position;
  std::int64_t at = start;
  for (; at < at_most && at - start < kMaxCutChars && !position.space_before(); ++at) position.forward();
  if (!position.space_before()) {
    position = begin;
    return start;
  }
  for (; at < at_most && position.space_here(); ++at) position.forward();
  return at;
}

// Moves back from inside a word to the end of the previous word, if it is close.
std::int64_t to_word_end(TextPosition& position, std::int64_t end, std::int64_t at_least) {
  const TextPosition begin = position;
  std::int64_t at = end;
  for (; at > at_least && end - at < kMaxCutChars && !position.space_here(); --at) position.back();
  if (!position.space_here()) {
    position = begin;
    return end;
  }
  for (; at > at_least && position.space_before(); --at) position.back();
  return at;
}

// Returns the cluster with text around it.
api::MatchWindow window_around(const Cluster& cluster) {
  const FoundText& text = *cluster.text;
  const std::string_view all = text.text;
  const std::int64_t text_end = text.start_chars + utf8::count(all);
  const std::int64_t length = std::max(kMatchWindowChars, cluster.end - cluster.start);
  std::int64_t start = std::max(text.start_chars, cluster.start - (length - (cluster.end - cluster.start)) / 2);
  std::int64_t end = std::min(text_end, start + length);
  start = std::max(text.start_chars, std::min(start, end - length));

  TextPosition first(all, utf8::offset_of(all, start - text.start_chars));
  TextPosition last(all, first.byte() + utf8::offset_of(all.substr(first.byte()), end - start));
  if (start > 0) start = to_word_start(first, start, cluster.start);
  if (end < text.size_chars) end = to_word_end(last, end, cluster.end);

  api::MatchWindow window;
  window.field_path = model::format_field_path(text.field);
  window.start_chars = start;
  window.end_chars = end;
  window.size_chars = text.size_chars;
  window.text = all.substr(first.byte(), last.byte() - first.byte());
  window.complete = start == 0 && end == text.size_chars;
  window.digest = text.digest;
  window.read_start = api::read_start(all, text.start_chars, cluster.start, text.size_chars);
  window.is_short_metadata = text.is_short_metadata();
  return window;
}

// Adds the matches that are completely inside the window.
void list_matches(const FoundText& text, api::MatchWindow& window, Terms& shown) {
  for (const WordRange& range : text.ranges) {
    if (range.start < window.start_chars || range.end > window.end_chars) continue;
    shown.set(range.term);
    if (range.start < range.end) window.matches.push_back({range.start, range.end});
  }
  std::ranges::sort(window.matches);
  window.matches.erase(std::ranges::unique(window.matches).begin(), window.matches.end());
}

}  // namespace

std::vector<api::MatchWindow> choose_windows(std::span<const FoundText> texts) {
  std::vector<api::MatchWindow> windows;
  Terms shown;
  std::vector<std::string_view> fields;
  const auto add = [&](const Cluster& cluster) {
    api::MatchWindow& window = windows.emplace_back(window_around(cluster));
    list_matches(*cluster.text, window, shown);
    fields.emplace_back(cluster.text->field);
  };
  // The text is better evidence than the title, so its best window comes first.
  const auto in_text = [](const Cluster& cluster) { return !cluster.text->is_short_metadata(); };
  if (const auto first = best_cluster(texts, shown, in_text)) add(*first);
  while (windows.size() < kMaxMatchWindows) {
    const auto next = best_cluster(texts, shown, [&](const Cluster& cluster) { return (cluster.terms & ~shown).any(); });
    if (!next) break;
    add(*next);
  }
  const auto is_new = [&](const Cluster& cluster) { return std::ranges::find(fields, cluster.text->field) == fields.end(); };
  while (windows.size() < kMaxMatchWindows) {  // all terms are shown; add other fields that contain some
    const auto next = best_cluster(texts, shown, is_new);
    if (!next) break;
    add(*next);
  }
  return windows;
}

namespace {

constexpr std::size_t kMaxMatchesPerTerm = 256;  // positions per term and text; about as many as a passage has

using text::WordRange;

// Describes a part of a field's text that is already loaded.
api::ShownPart shown_part(const std::string& field, std::string_view text, std::int64_t start, std::int64_t end) {
  return {model::format_field_path(field), start, end, utf8::count(text), crypto::digest_text(crypto::sha256(text))};
}

std::string authored_at(const SearchStream& place, const store::RecordRow& row, std::vector<api::ShownPart>& lines) {
  if (!place.scope.timed) return {};
  const std::string& field = place.stream().declared->consent_time_field;
  const auto value = json::member(row.body, field);
  if (!value || value->kind != json::Kind::kString || value->text.size() > limits::kMaxTimeTextBytes) return {};
  std::string text = json::decode_string(json::raw_content(*value));
  if (!parse_field_time(text)) return {};
  lines.push_back(shown_part(field, text, 0, utf8::count(text)));
  return text;
}

constexpr std::int64_t kMaxLineChars = 120;
constexpr std::array<std::string_view, 3> kTitleRoles = {"primary-title", "title", "context"};
constexpr std::array<std::string_view, 1> kAuthorRoles = {"actor"};

// Returns the first line of the first granted, non-empty field with one of the roles, in role order.
std::string declared_line(const SearchStream& place, const store::RecordRow& row, std::span<const std::string_view> roles,
                          std::vector<api::ShownPart>& lines) {
  const grant::StreamGrant* const granted = place.read_scope.granted;
  for (const std::string_view role : roles) {
    for (const model::Field& field : place.stream().declared->fields) {
      if (field.role != role || (granted && !granted->allows_field(field.name))) continue;
      const auto value = json::member(row.body, field.name);
      if (!value || value->kind != json::Kind::kString) continue;
      const std::string whole = json::decode_string(json::raw_content(*value));
      const std::size_t begin = whole.find_first_not_of(" \t\r\n");
      if (begin == std::string::npos) continue;
      const std::string text = whole.substr(begin, whole.find_first_of("\r\n", begin) - begin);
      const std::int64_t chars = utf8::count(text);
      const std::int64_t shown = chars <= kMaxLineChars ? chars : kMaxLineChars - 1;
      const std::int64_t start = utf8::count(std::string_view(whole).substr(0, begin));
      lines.push_back(shown_part(field.name, whole, start, start + shown));
      return shown == chars ? text : std::string(utf8::slice(text, 0, shown)) + "\u2026";
    }
  }
  return {};
}

// Lists the query words that the record has, and those that it lacks.
void name_words(const text::WordQuery& query, std::span<const FoundText> texts, api::SearchHit& hit) {
  if (query.terms.empty()) return;  // the record is listed
  std::vector<bool> has(query.terms.size());
  for (const FoundText& text : texts) {
    for (const WordRange& range : text.ranges) has[range.term] = true;
  }
  for (std::size_t i = 0; i < has.size(); ++i) (has[i] ? hit.words : hit.missing).push_back(query.terms[i].typed);
}

// Describes the hits that are folded into this one.
std::optional<api::SearchGroup> group_of_hit(const SearchStream& place, const store::WordHit& hit) {
  if (hit.more == 0 && hit.alike == 0) return std::nullopt;
  api::SearchGroup made;
  made.second = hit.more == store::kIsSecond;
  made.more = std::max<std::int64_t>(hit.more, 0) + hit.alike;
  if (hit.more != 0) made.label = place.group.label;
  const text::RankedText reading = reading_of(place, hit.record);
  std::optional<std::uint64_t> wording;
  text::NearSketch sketch;
  if (hit.alike > 0) {
    if (reading.wording != 0) wording = reading.wording;
    sketch = sketch_of(place, reading);
    const std::string_view alone = sketch.empty() ? api::kWordingLabel : api::kNearLabel;
    made.label += made.label.empty() ? alone : api::kOrWordingLabel;
  }
  made.id =
      group_id(hit.more != 0 ? std::span<const std::string>(reading.groups) : std::span<const std::string>(), wording, sketch);
  return made;
}

constexpr std::int64_t kMaxWholeNameChars = 120;
constexpr Instant kAroundHit = 3 * kDay;

// Returns the granted field that names the declared group. In a message stream without one, returns the field of the
// conversation's context.
std::string group_field(const SearchStream& place) {
  if (place.group.any()) return place.group.fields.empty() ? std::string() : place.group.fields.front();
  const grant::StreamGrant* const granted = place.read_scope.granted;
  const auto& fields = place.stream().declared->fields;
  if (std::ranges::find(fields, kAuthorRoles.front(), &model::Field::role) == fields.end()) return {};
  const auto found = std::ranges::find_if(fields, [&](const model::Field& field) {
    return field.role == "context" && field.type == model::FieldType::kString && (!granted || granted->allows_field(field.name));
  });
  return found == fields.end() ? std::string() : found->name;
}

// Returns a value only if the stream supports a range filter on its time; `authored_at` is the hit's, if granted.
std::optional<api::Neighbours> neighbours_of(const SearchStream& place, const store::RecordRow& row,
                                             const std::string& authored_at) {
  const model::Stream& stream = *place.stream().declared;
  const auto time = parse_field_time(authored_at);
  const auto range = stream.range_filters.find(stream.consent_time_field);
  if (!time || range == stream.range_filters.end()) return std::nullopt;
  const auto takes = [&](std::string_view op) { return std::ranges::find(range->second, op) != range->second.end(); };
  const std::string field = group_field(place);
  if (field.empty() || !takes("gte") || !takes("lte")) return std::nullopt;
  const auto value = json::member(row.body, field);
  if (!value || value->kind != json::Kind::kString) return std::nullopt;
  const std::string text = json::decode_string(json::raw_content(*value));
  const std::int64_t chars = utf8::count(text);
  if (chars == 0 || chars > kMaxWholeNameChars) return std::nullopt;
  const auto day = [](Instant instant) { return format_time(instant).substr(0, std::string_view("2026-03-01").size()); };
  return api::Neighbours{field,
                         text,
                         stream.consent_time_field,
                         day(*time - kAroundHit),
                         day(*time + kAroundHit),
                         shown_part(field, text, 0, chars)};
}

// Locates the query words in the texts of one record.
class Finder {
 public:
  Finder(store::Reader& reader, const SearchStream& place, const text::WordQuery& query, const store::WordHit& hit)
      : reader_(reader), place_(place), query_(query), hit_(hit) {
    has_text_ = std::ranges::any_of(place.columns, [this](const store::WordColumn& column) { return is_text(column.field); });
  }

  // Returns false if a text is gone.
  Result<bool> find() {
    if (query_.terms.empty()) return take_beginning();
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
  bool is_text(std::string_view name) const {
    const model::Field* const field = place_.stream().declared->field(name);
    return field && api::is_text_role(field->role);
  }

  FoundText begin(const store::WordColumn& column) const {
    FoundText text;
    text.field = column.field;
    text.strong = (place_.scope.strong >> column.column & 1) != 0;
    text.is_metadata = text.strong || (has_text_ && !is_text(column.field));
    return text;
  }

  // A listed record has no words to locate. Its evidence is the declared text, or else the first text field that is
  // neither its title (which every hit shows) nor context.
  Result<bool> take_beginning() {
    std::vector<store::WordColumn> columns = place_.columns;
    std::ranges::stable_sort(columns, {}, [this](const store::WordColumn& column) {
      const bool other = ((place_.scope.strong | place_.scope.context) >> column.column & 1) != 0;
      return is_text(column.field) ? 0 : other ? 2 : 1;
    });
    auto texts = store::searched_texts(hit_.record.body, place_.columns);
    for (const store::WordColumn& column : columns) {
      const auto found = std::ranges::find(texts, column.column, &store::SearchedText::column);
      if (found == texts.end() || (!found->ref && found->text.empty())) continue;
      FoundText text = begin(column);
      text.ranges = {WordRange()};
      if (found->ref) {
        LADDER_TRY(const FieldText field, FieldText::of({found->ref, found->ref->kind, {}}, column.field));
        LADDER_TRY(auto chars, field.chars(reader_, 0, std::min(found->ref->size_chars, 2 * kMatchWindowChars)));
        if (!chars) return false;
        text.size_chars = found->ref->size_chars;
        text.digest = crypto::digest_text(found->ref->digest);
        text.text = *std::move(chars);
      } else {
        text.size_chars = utf8::count(found->text);
        text.digest = crypto::digest_text(crypto::sha256(found->text));
        text.text = std::move(found->text);
      }
      texts_.push_back(std::move(text));
      return true;
    }
    return true;
  }

  // A term that names a field matches in that field only.
  std::vector<WordRange> ranges_in(const store::WordColumn& column, std::string_view text) const {
    std::vector<WordRange> ranges = text::find_terms(query_, text, kMaxMatchesPerTerm);
    std::erase_if(ranges, [&](const WordRange& range) {
      const std::string& field = query_.terms[range.term].field;
      return !field.empty() && !place_.is_named(field, column.field);
    });
    return ranges;
  }

  void take_short(const store::WordColumn& column, std::string all) {
    auto ranges = ranges_in(column, all);
    if (ranges.empty()) return;
    FoundText text = begin(column);
    text.ranges = std::move(ranges);
    text.size_chars = utf8::count(all);
    text.digest = crypto::digest_text(crypto::sha256(all));
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

  // Searches only the passage, as indexed; the text around it is loaded to fill the window.
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
    text.digest = crypto::digest_text(ref.digest);
    text.start_chars = from;
    text.text = *std::move(chars);
    if (!text.ranges.empty()) texts_.push_back(std::move(text));
    return true;
  }

  store::Reader& reader_;
  const SearchStream& place_;
  const text::WordQuery& query_;
  const store::WordHit& hit_;
  std::vector<FoundText> texts_;
  bool has_text_ = false;  // the declared text of the records is searched
};

}  // namespace

Result<std::optional<api::SearchHit>> build_hit(store::Reader& reader, const SearchStream& place, const text::WordQuery& query,
                                                const store::WordHit& hit) {
  Finder finder(reader, place, query, hit);
  LADDER_TRY(const bool whole, finder.find());
  if (!whole) return std::nullopt;
  api::Record record = to_record(place.read_scope, place.stream(), hit.record, {});
  api::SearchHit made;
  made.ref = std::move(record.ref);
  made.connector_key = std::move(record.connector_key);
  made.display_name = std::move(record.display_name);
  made.emitted_at = std::move(record.emitted_at);
  made.authored_at = authored_at(place, hit.record, made.lines);
  made.score = hit.sort_key.score;
  for (const FoundText& text : finder.texts()) {
    if (query.terms.empty()) break;
    if (made.matched_fields.empty() || made.matched_fields.back() != text.field) made.matched_fields.push_back(text.field);
  }
  made.windows = choose_windows(finder.texts());
  name_words(query, finder.texts(), made);
  made.title = declared_line(place, hit.record, kTitleRoles, made.lines);
  made.author = declared_line(place, hit.record, kAuthorRoles, made.lines);
  made.group = group_of_hit(place, hit);
  made.neighbours = neighbours_of(place, hit.record, made.authored_at);
  return made;
}

}  // namespace ladder::server
