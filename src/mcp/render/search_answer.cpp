#include "mcp/render/search_answer.h"

#include "api/preview.h"
#include "api/render/render.h"
#include "api/wire_words.h"
#include "base/limits.h"
#include "base/text/casefold.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "mcp/render/fence.h"
#include "mcp/render/ladder_json.h"
#include "mcp/render/record_answer.h"
#include "mcp/tools/calls.h"
#include "mcp/tools/search_words.h"
#include "mcp/tools/tools.h"
#include "model/handle.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

namespace ladder::mcp {
namespace {

using api::CharRange;
using api::MatchWindow;
using api::PreviewStatus;
using api::SearchHit;

// Returns the range of the matched words, from the first on, that fits into a snippet; in chars of the window's text.
CharRange focus_of(const MatchWindow& window, std::int64_t snippet_chars) {
  CharRange focus;
  bool first = true;
  for (const MatchWindow::Range& match : window.matches) {
    const CharRange found{match.start_chars - window.start_chars, match.end_chars - window.start_chars};
    if (first) focus = found;
    else if (found.end_chars - focus.start_chars <= snippet_chars) focus.end_chars = std::max(focus.end_chars, found.end_chars);
    first = false;
  }
  return focus;
}

// For a server that does not mark its matches: finds the query in the text, else the first of its words.
CharRange found_in(std::string_view text, std::string_view query) {
  const auto look_for = [&](std::string_view words) -> std::optional<CharRange> {
    if (words.empty()) return std::nullopt;
    FoldedFinder finder(words);
    const auto start = finder.feed(text);
    if (!start) return std::nullopt;
    return CharRange{*start, *start + finder.needle_chars()};
  };
  if (const auto whole = look_for(query)) return *whole;
  constexpr std::string_view kBetween = " \t\n\"+-*";
  for (std::size_t at = 0; (at = query.find_first_not_of(kBetween, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(query.find_first_of(kBetween, at), query.size());
    if (const auto word = look_for(query.substr(at, end - at))) return *word;
    at = end;
  }
  return {};
}

bool contains_folded(std::string_view text, std::string_view needle) {
  return !needle.empty() && fold(text).find(fold(needle)) != std::string::npos;
}

// Returns the text to search for if a server proves a match without its position: the query's words if they are adjacent, else
// the first marked one.
std::string words_to_find(const MatchWindow& window, const std::string& query) {
  if (contains_folded(window.text, query)) return query;
  if (window.matches.empty()) return {};
  const MatchWindow::Range& first = window.matches.front();
  const std::int64_t chars = first.end_chars - first.start_chars;
  return chars > static_cast<std::int64_t>(limits::kQueryMaxChars)
             ? ""
             : std::string(utf8::slice(window.text, first.start_chars, chars));
}

api::Excerpt excerpt_of(const MatchWindow& window, const std::string& query, std::int64_t snippet_chars) {
  const bool placed = window.end_chars > window.start_chars;  // some servers do not report the position of their text
  const CharRange focus = window.matches.empty() ? found_in(window.text, query) : focus_of(window, snippet_chars);
  const CharRange cut = api::excerpt_around(window.text, focus, snippet_chars);
  api::Excerpt excerpt;
  excerpt.field_path = window.field_path;
  excerpt.preview_text = utf8::slice(window.text, cut.start_chars, cut.end_chars - cut.start_chars);
  const bool whole_window = cut.end_chars - cut.start_chars == utf8::count(window.text);
  if (placed) excerpt.range = CharRange{window.start_chars + cut.start_chars, window.start_chars + cut.end_chars};
  if (window.size_chars > 0) excerpt.size_chars = window.size_chars;
  if (window.complete && whole_window) excerpt.status = PreviewStatus::kComplete;
  else excerpt.status = excerpt.size_chars < 0 ? PreviewStatus::kSnippetOnly : PreviewStatus::kTruncated;
  if (placed) excerpt.resume.offset_chars = api::read_start(window);
  else excerpt.resume.q = words_to_find(window, query);
  excerpt.resume.whole_record = window.is_short_metadata;
  return excerpt;
}

api::LadderField field_of(const api::Excerpt& excerpt) {
  api::LadderField field;
  field.path = excerpt.field_path;
  field.type = "string";  // words are only found in strings
  field.status = excerpt.status;
  field.size_chars = excerpt.size_chars;
  field.preview = excerpt.range;
  field.resume = excerpt.resume;
  return field;
}

// Returns the declared title, or the record's key (design D22).
std::string title_of(const SearchHit& hit) {
  return api::shortened(hit.title.empty() ? hit.ref.record_id : hit.title, api::kTitleChars);
}

bool has_neighbours(const SearchHit& hit) { return hit.neighbours && !hit.windows.empty(); }

// Lists the messages around the hit, oldest first.
ToolCall around_call(const SearchHit& hit) {
  json::Writer args;
  args.begin_object().member("stream", hit.ref.stream).optional_member("connection_id", hit.ref.connection_id);
  args.member("order", "asc").key("filter").begin_object().key(hit.neighbours->field).string(hit.neighbours->value);
  args.key(hit.neighbours->time_field).begin_object();
  args.member("gte", hit.neighbours->since).member("lte", hit.neighbours->until).end_object();
  return {"query_records", args.end_object().end_object().take()};
}

void write_result(json::Writer& out, const HitView& view) {
  const SearchHit& hit = *view.hit;
  out.begin_object().member("id", view.id).member("title", view.title).member("url", view.url);
  out.optional_member("author", hit.author).optional_member("authored_at", hit.authored_at);
  out.optional_member("connection_id", hit.ref.connection_id);
  out.optional_member("connector_key", hit.connector_key);
  if (!view.is_proven()) {
    out.member("evidence", "metadata-only");
  } else {
    if (view.excerpt->resume.whole_record) out.member("evidence", "metadata-field");
    if (hit.matched_fields.size() > 1) api::write_names(out, "matched_fields", hit.matched_fields);
    out.key("evidence_excerpts").begin_array().begin_object().member("field_path", view.excerpt->field_path);
    out.member("preview_text", view.excerpt->preview_text).end_object().end_array();
  }
  const bool is_second = hit.group && hit.group->second;
  if (!hit.missing.empty() && !is_second) api::write_names(out, "missing_words", hit.missing);
  if (view.shows_neighbours) write_call(out, "neighbours", around_call(hit));
  if (hit.group && (hit.group->more > 0 || is_second)) {
    out.key("group").begin_object().member("id", hit.group->id).optional_member("label", hit.group->label);
    if (is_second) out.member("second", true);
    else out.member("more", hit.group->more);
    if (!hit.group->exact && !is_second) out.member("more_accuracy", "lower_bound");
    out.end_object();
  }
  out.end_object();
}

}  // namespace

void keep_snippets(api::SearchPage& page, const std::string& query, std::int64_t snippet_chars) {
  const auto first = std::ranges::find_if(page.hits, has_neighbours);
  if (first != page.hits.end()) first->lines.push_back(first->neighbours->part);
  for (SearchHit& hit : page.hits) {
    if (hit.windows.empty()) continue;
    hit.windows.resize(1);
    MatchWindow& window = hit.windows.front();
    api::Excerpt excerpt = excerpt_of(window, query, snippet_chars);
    if (!excerpt.range) continue;
    window.read_start = excerpt.resume.offset_chars;
    window.start_chars = excerpt.range->start_chars;
    window.end_chars = excerpt.range->end_chars;
    window.complete = excerpt.status == PreviewStatus::kComplete;
    window.text = std::move(excerpt.preview_text);
    std::erase_if(window.matches, [&](const MatchWindow::Range& match) {
      return match.start_chars < window.start_chars || match.end_chars > window.end_chars;
    });
  }
}

SearchView search_view(const Context& context, const api::SearchPage& page, const std::string& query,
                       std::int64_t snippet_chars) {
  SearchView view(page);
  view.hits.reserve(page.hits.size());
  view.ladder.reserve(page.hits.size());
  view.ids.reserve(page.hits.size());
  for (const SearchHit& hit : page.hits) {
    HitView& one = view.hits.emplace_back();
    one.hit = &hit;
    one.names_record = !hit.ref.stream.empty() && !hit.ref.record_id.empty();
    one.id = one.names_record        ? model::format_record_id(hit.ref)
             : !hit.other_id.empty() ? hit.other_id
                                     : format("result:{}", view.hits.size());
    one.title = title_of(hit);
    if (one.title.empty()) one.title = one.id;
    if (!one.names_record) continue;
    one.url = citation_url(context.options.provider_url, hit.ref);
    api::LadderRecord& ladder = view.ladder.emplace_back();
    ladder.ref = hit.ref;
    ladder.unavailable = hit.windows.empty();
    if (!ladder.unavailable) {
      one.excerpt = &ladder.excerpts.emplace_back(excerpt_of(hit.windows.front(), query, snippet_chars));
      ladder.fields.push_back(field_of(*one.excerpt));
      one.read = read_call(hit.ref, one.id, one.excerpt->field_path, one.excerpt->resume);
    }
    view.ids.push_back(one.id);
  }
  // One call is enough as an example; ten would fill the response.
  const auto first = std::ranges::find_if(view.hits, [](const HitView& one) { return has_neighbours(*one.hit); });
  if (first != view.hits.end()) first->shows_neighbours = true;
  return view;
}

std::string search_json(const Context& context, const SearchView& view, const boost::json::object& given) {
  const api::SearchPage& page = *view.page;
  json::Writer out;
  out.begin_object().key("results").begin_array();
  for (const HitView& hit : view.hits) write_result(out, hit);
  out.end_array();
  write_ladder(out, "search_results", view.ladder, view.ids);
  out.key("data").begin_object();
  out.member("has_more", page.has_more).optional_member("next_cursor", page.next_cursor);
  out.member("result_count", std::ssize(view.hits));
  api::write_search_words(out, page);
  if (const auto again = call_in_other_languages(page, given)) write_call(out, "in_other_languages", *again);
  api::write_search_meta(out, page, page.warnings, api::MetaForm::kBrief);
  out.end_object();
  write_origin(out, context, page.request_id);
  return out.end_object().take();
}

// The text of a search response (PDPP "tools", design D10).

namespace {

constexpr std::size_t kMaxSources = 8;
constexpr std::int64_t kTitleInTextChars = 72, kAuthorChars = 40;  // on a hit's line; structuredContent has more
constexpr std::size_t kMaxWarningBytes = 400;
constexpr std::size_t kUsualLineBytes = 360;  // per hit

// Appends the connection to an id that does not contain it (PDPP "record ids").
std::string connection_beside(const HitView& hit) {
  const bool embedded = hit.names_record && !hit.id.starts_with(model::kRecordUriPrefix);
  return embedded || hit.hit->ref.connection_id.empty() ? "" : " connection_id=" + plain_or_quoted(hit.hit->ref.connection_id);
}

void append_number(std::string& out, std::int64_t value) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// Shortens a time to the minute: 2026-03-02T09:00Z. Other formats stay unchanged.
std::string_view append_minute(std::string& out, std::string_view time) {
  constexpr std::size_t kToMinute = 16;
  const bool utc = time.size() > kToMinute && time[kToMinute] == ':' && time.ends_with('Z');
  return utc ? out.append(time.substr(0, kToMinute)).append("Z") : out.append(plain_or_quoted(time));
}

// Appends the declared and granted title, time and author of a hit. A title or author that the snippet shows completely is not
// repeated.
void append_name(std::string& out, const api::SearchHit& hit, std::string_view snippet = {}) {
  if (!hit.title.empty() && hit.title != snippet)
    out.append(quoted_line(api::shortened(hit.title, kTitleInTextChars))).append(" ");
  if (!hit.authored_at.empty()) {
    append_minute(out, hit.authored_at);
    out.append(" ");
  }
  if (!hit.author.empty() && hit.author != snippet)
    out.append("by ").append(quoted_line(api::shortened(hit.author, kAuthorChars))).append(" ");
}

void append_list(std::string& out, std::string_view label, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    out.append(label).append(plain_or_quoted(name));
    label = "|";
  }
}

// Appends the number of hits in the same conversation or wording that this hit represents.
void append_group(std::string& out, const api::SearchHit& hit, const boost::json::object& given) {
  if (!hit.group) return;
  if (hit.group->second) {
    out.append(" second hit in this ").append(one_line(hit.group->label));
    return;
  }
  if (hit.group->more <= 0) return;
  boost::json::object args = given;
  args.erase("cursor");
  args["group"] = hit.group->id;
  append_number(out.append(hit.group->exact ? " +" : " at least +"), hit.group->more);
  out.append(" more ").append(one_line(api::words_of_group(*hit.group)));
  out.append(": ").append(line_of({"search", boost::json::serialize(args)}));
}

void append_evidence_line(std::string& out, std::size_t number, const HitView& hit, const boost::json::object& given) {
  const api::Excerpt& excerpt = *hit.excerpt;
  append_number(out, static_cast<std::int64_t>(number));
  out.append(". ");
  append_name(out, *hit.hit, excerpt.preview_text);
  out.append("snippet=").append(quoted_line(excerpt.preview_text));
  if (excerpt.status == api::PreviewStatus::kComplete) out.append(" complete");
  else if (!excerpt.range) out.append(" cut");
  if (excerpt.range) {
    append_number(out.append(" "), excerpt.range->start_chars);
    append_number(out.append(".."), excerpt.range->end_chars);
    if (excerpt.size_chars >= 0) append_number(out.append("/"), excerpt.size_chars);
  }
  if (excerpt.resume.whole_record) out.append(" only ").append(plain_or_quoted(excerpt.field_path)).append(" matched:");
  out.append(" ").append(line_of(hit.read));
  std::vector<std::string> others = hit.hit->matched_fields;
  std::erase(others, excerpt.field_path);
  append_list(out, " also_matched=", others);
  if (!hit.hit->group || !hit.hit->group->second) append_list(out, " missing=", hit.hit->missing);
  out.append(connection_beside(hit));
  append_group(out, *hit.hit, given);
  if (hit.shows_neighbours) out.append(" around it: ").append(line_of(around_call(*hit.hit)));
  out.append("\n");
}

// Counts the hits per source; returns nothing if there is only one.
std::vector<std::string> source_mix(const SearchView& view) {
  std::map<std::tuple<std::string, std::string, std::string>, int> counts;
  for (const HitView& hit : view.hits) {
    ++counts[{hit.hit->ref.connection_id, hit.hit->connector_key, hit.hit->display_name}];
  }
  std::vector<std::pair<int, std::string>> entries;
  for (const auto& [source, count] : counts) {
    const auto& [connection, connector, name] = source;
    const std::string& called = name.empty() ? connector : name;
    entries.emplace_back(
        -count, format("{}{}:{}", plain_or_quoted(connection), called.empty() ? "" : "(" + plain_or_quoted(called) + ")", count));
  }
  std::ranges::stable_sort(entries, {}, &std::pair<int, std::string>::first);
  std::vector<std::string> mix;
  if (entries.size() > 1) {
    for (auto& entry : entries) mix.push_back(std::move(entry.second));
  }
  return mix;
}

std::string mix_token(const std::vector<std::string>& mix, std::size_t shown) {
  if (mix.empty() || shown == 0) return {};
  std::string token = " source_mix=";
  for (std::size_t i = 0; i < std::min(shown, mix.size()); ++i) token += (i == 0 ? "" : "|") + mix[i];
  if (shown < mix.size()) token += format("|more:{}", mix.size() - shown);
  return token;
}

std::string summary(const SearchView& view, const std::string& mix) {
  const api::SearchPage& page = *view.page;
  std::string line = format("search: {} hit(s). has_more={}.", view.hits.size(), page.has_more);
  if (page.count) line += format(" count{}{}.", page.count_exact ? "=" : ">=", *page.count);
  if (page.count_all_words) line += format(" with_every_word={}.", *page.count_all_words);
  return line + mix + "\n";
}

std::string notes(const api::SearchPage& page) {
  std::string text;
  if (page.recall.truncated || (page.count && !page.recall.complete && page.pending_scopes == 0)) {
    text += format("Recall: {} ranked, not every match; narrow the query{}.\n",
                   page.recall.ranked_candidates ? format("{} candidates were", *page.recall.ranked_candidates) : "a part was",
                   page.next_cursor.empty() ? "" : ", or read on by next_cursor");
  }
  if (page.searched_nothing()) text += "Recall: nothing within reach can be searched; use schema and query_records.\n";
  if (page.pending_scopes > 0) {
    text += format("Recall: {} stream(s) are still being indexed; words in them alone are not found yet.\n", page.pending_scopes);
  }
  std::string warned;
  append_warnings(warned, page.warnings);
  if (warned.size() > kMaxWarningBytes) warned = format("warnings={}; see structuredContent.data.meta\n", page.warnings.size());
  return text + warned;
}

// The statement and the ids below it; the call inside the statement counts as an id.
struct Unproven {
  std::string label, ids;
  std::size_t prose_bytes = 0;
};

Unproven unproven_hits(const SearchView& view, const boost::json::object& given) {
  constexpr std::string_view kStatement =
      "evidence=metadata-only: in these hits no matched field is proven, only metadata is available";
  constexpr std::string_view kOneWay = "; open one with ", kOtherWay = " or read_record_field and a field_path";
  Unproven lines;
  std::string opening;  // of the first one that can be opened
  std::size_t number = 0;
  for (const HitView& hit : view.hits) {
    ++number;
    if (hit.is_proven()) continue;
    if (hit.names_record && opening.empty()) opening = line_of(fetch_call(hit.hit->ref));
    std::string name;
    append_name(name, *hit.hit);
    lines.ids += format("{}. {}{}{}", number, name, plain_or_quoted(hit.id), connection_beside(hit));
    append_list(lines.ids, " missing=", hit.hit->missing);
    append_group(lines.ids, *hit.hit, given);
    lines.ids += '\n';
  }
  if (lines.ids.empty()) return lines;
  lines.label = kStatement;
  if (!opening.empty()) lines.label.append(kOneWay).append(opening).append(kOtherWay);
  lines.label += ":\n";
  lines.prose_bytes = lines.label.size() - opening.size();
  return lines;
}

}  // namespace

std::string search_text(const SearchView& view, const api::SearchRequest& request, const boost::json::object& given) {
  std::string text;
  text.reserve(view.hits.size() * kUsualLineBytes);
  std::size_t number = 0;
  for (const HitView& hit : view.hits) {
    ++number;
    if (hit.is_proven()) append_evidence_line(text, number, hit, given);
  }
  const api::SearchPage& page = *view.page;
  const Unproven unproven = unproven_hits(view, given);
  const std::string explanations = notes(page) + words_text(page, request, given) + languages_text(page, given);
  const std::vector<std::string> mix = source_mix(view);
  std::string last = more_line("search", given, page.has_more, page.next_cursor);
  if (!page.next_cursor.empty()) {
    const std::string shorter = format("more: the same search with \"cursor\":{}", quoted_line(page.next_cursor));
    if (last.size() > shorter.size() + api::kSnippetChars * 2) last = shorter;
  }
  std::size_t shown = std::min(kMaxSources, mix.size());
  std::string head = summary(view, mix_token(mix, shown));
  while (shown > 0 && head.size() + unproven.prose_bytes + explanations.size() + last.size() > api::kSearchProseBytes) {
    head = summary(view, mix_token(mix, --shown));
  }
  text.append(head).append(unproven.label).append(unproven.ids).append(explanations).append(last);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace ladder::mcp
