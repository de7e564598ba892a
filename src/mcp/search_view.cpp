#include "mcp/search_view.h"

#include "base/casefold.h"
#include "base/format.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "evidence/bounds.h"
#include "mcp/answer_frame.h"
#include "mcp/calls.h"
#include "mcp/ladder_json.h"
#include "port/render_parts.h"

#include <algorithm>
#include <optional>

namespace ladder::mcp {
namespace {

using evidence::CharRange;
using evidence::PreviewStatus;
using port::MatchWindow;
using port::SearchHit;

// As many of the matched words, from the first on, as a snippet can hold; in chars of the window's text.
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

// Where a server does not say which words it found: the query as it stands in the text, else the first of its words that does.
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

// What to look for where a server proves a match and does not say where: the words of the query if they stand together, else the
// first that the server marked.
std::string words_to_find(const MatchWindow& window, const std::string& query) {
  if (contains_folded(window.text, query)) return query;
  if (window.matches.empty()) return {};
  const MatchWindow::Range& first = window.matches.front();
  const std::int64_t chars = first.end_chars - first.start_chars;
  return chars > static_cast<std::int64_t>(limits::kQueryMaxChars)
             ? ""
             : std::string(utf8::slice(window.text, first.start_chars, chars));
}

evidence::Excerpt excerpt_of(const MatchWindow& window, const std::string& query, std::int64_t snippet_chars) {
  const bool placed = window.end_chars > window.start_chars;  // some servers do not say where their text lies
  const CharRange focus = window.matches.empty() ? found_in(window.text, query) : focus_of(window, snippet_chars);
  const CharRange cut = evidence::excerpt_around(window.text, focus, snippet_chars);
  evidence::Excerpt excerpt;
  excerpt.field_path = window.field_path;
  excerpt.preview_text = utf8::slice(window.text, cut.start_chars, cut.end_chars - cut.start_chars);
  const bool whole_window = cut.end_chars - cut.start_chars == utf8::count(window.text);
  if (placed) excerpt.range = CharRange{window.start_chars + cut.start_chars, window.start_chars + cut.end_chars};
  if (window.size_chars > 0) excerpt.size_chars = window.size_chars;
  if (window.complete && whole_window) excerpt.status = PreviewStatus::kComplete;
  else excerpt.status = excerpt.size_chars < 0 ? PreviewStatus::kSnippetOnly : PreviewStatus::kTruncated;
  // Reading begins with what is shown, so that the first line read is the line that was found.
  excerpt.resume.offset_chars = placed ? excerpt.range->start_chars : window.start_chars;
  if (!placed) excerpt.resume.q = words_to_find(window, query);
  return excerpt;
}

evidence::LadderField field_of(const evidence::Excerpt& excerpt) {
  evidence::LadderField field;
  field.path = excerpt.field_path;
  field.type = "string";  // words are found in strings only
  field.status = excerpt.status;
  field.size_chars = excerpt.size_chars;
  field.preview = excerpt.range;
  field.resume = excerpt.resume;
  return field;
}

// The declared title; without one the record's key (design D22).
std::string title_of(const SearchHit& hit) {
  return evidence::shortened(hit.title.empty() ? hit.ref.record_id : hit.title, evidence::kTitleChars);
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
    if (hit.matched_fields.size() > 1) port::write_names(out, "matched_fields", hit.matched_fields);
    out.key("evidence_excerpts").begin_array().begin_object().member("field_path", view.excerpt->field_path);
    out.member("preview_text", view.excerpt->preview_text).end_object().end_array();
  }
  if (!hit.missing.empty()) port::write_names(out, "missing_words", hit.missing);
  if (hit.group && hit.group->more > 0) {
    out.key("group").begin_object().member("id", hit.group->id).optional_member("label", hit.group->label);
    out.member("more", hit.group->more).end_object();
  }
  out.end_object();
}

// What is known of each word of the query, where the server looked.
void write_words(json::Writer& out, const port::SearchPage& page) {
  if (page.count_all_words) out.member("count_all_words", *page.count_all_words);
  if (page.searched_words.empty()) return;
  out.key("words").begin_array();
  for (const port::SearchedWord& word : page.searched_words) {
    out.begin_object().member("word", word.word).member("records", word.records);
    if (!word.near.empty()) port::write_names(out, "near", word.near);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

SearchView search_view(const Context& context, const port::SearchPage& page, const std::string& query,
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
    evidence::LadderRecord& ladder = view.ladder.emplace_back();
    ladder.ref = hit.ref;
    ladder.unavailable = hit.windows.empty();
    if (!ladder.unavailable) {
      one.excerpt = &ladder.excerpts.emplace_back(excerpt_of(hit.windows.front(), query, snippet_chars));
      ladder.fields.push_back(field_of(*one.excerpt));
      one.read = read_call(hit.ref, one.id, one.excerpt->field_path, one.excerpt->resume);
    }
    view.ids.push_back(one.id);
  }
  return view;
}

std::string search_json(const Context& context, const SearchView& view) {
  const port::SearchPage& page = *view.page;
  json::Writer out;
  out.begin_object().key("data").begin_object().member("object", "list").member("url", "/v1/search");
  out.member("has_more", page.has_more).optional_member("next_cursor", page.next_cursor);
  out.member("result_count", std::ssize(view.hits)).member("results_ref", "structuredContent.results");
  write_words(out, page);
  port::write_search_meta(out, page, page.warnings);
  out.end_object().key("results").begin_array();
  for (const HitView& hit : view.hits) write_result(out, hit);
  out.end_array();
  write_ladder(out, "search_results", view.ladder, view.ids);
  write_origin(out, context, page.request_id);
  return out.end_object().take();
}

}  // namespace ladder::mcp
