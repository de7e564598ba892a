#include "mcp/render/search_answer.h"

#include "api/preview.h"
#include "api/render/render.h"
#include "api/wire_words.h"
#include "base/limits.h"
#include "base/text/casefold.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "mcp/context.h"
#include "mcp/render/calls.h"
#include "mcp/render/content_ladder_json.h"
#include "mcp/render/fence.h"
#include "mcp/render/record_answer.h"
#include "mcp/render/search_words.h"
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
    if (hit.matched_fields.size() > 1) out.member("matched_fields", hit.matched_fields);
    out.key("evidence_excerpts").begin_array().begin_object().member("field_path", view.excerpt->field_path);
    out.member("preview_text", view.excerpt->preview_text).end_object().end_array();
  }
  const bool is_second = hit.group && hit.group->second;
  if (!hit.missing.empty() && !is_second) out.member("missing_words", hit.missing);
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

}  // namespace ladder::mcp
