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
#include "port/target.h"

#include <algorithm>

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
  const CharRange cut = evidence::excerpt_around(window.text, focus_of(window, snippet_chars), snippet_chars);
  evidence::Excerpt excerpt;
  excerpt.field_path = window.field_path;
  excerpt.preview_text = utf8::slice(window.text, cut.start_chars, cut.end_chars - cut.start_chars);
  const bool whole_window = cut.end_chars - cut.start_chars == utf8::count(window.text);
  if (placed) excerpt.range = CharRange{window.start_chars + cut.start_chars, window.start_chars + cut.end_chars};
  if (window.size_chars > 0) excerpt.size_chars = window.size_chars;
  if (window.complete && whole_window) excerpt.status = PreviewStatus::kComplete;
  else excerpt.status = excerpt.size_chars < 0 ? PreviewStatus::kSnippetOnly : PreviewStatus::kTruncated;
  excerpt.resume.offset_chars = window.start_chars;
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

// Where it comes from and which it is; what it says belongs to its fields (design D22).
std::string title_of(const SearchHit& hit) {
  const std::string& source = !hit.display_name.empty()    ? hit.display_name
                              : !hit.connector_key.empty() ? hit.connector_key
                                                           : hit.ref.connection_id;
  return evidence::shortened(format("{} / {} / {}", source, hit.ref.stream, hit.ref.record_id), evidence::kTitleChars);
}

void write_excerpt(json::Writer& out, const HitView& view, bool reads) {
  const evidence::Excerpt& excerpt = *view.excerpt;
  out.key("evidence_excerpts").begin_array().begin_object().member("field_path", excerpt.field_path);
  out.member("preview_text", excerpt.preview_text).member("preview_status", evidence::word_of(excerpt.status));
  if (reads) write_call(out, "read", view.read);
  out.end_object().end_array();
}

void write_result(json::Writer& out, const HitView& view, bool reads) {
  const SearchHit& hit = *view.hit;
  out.begin_object().member("id", view.id).member("title", view.title).member("url", view.url);
  out.optional_member("stream", hit.ref.stream).optional_member("record_key", hit.ref.record_id);
  out.optional_member("connection_id", hit.ref.connection_id).optional_member("connector_key", hit.connector_key);
  out.optional_member("authored_at", hit.authored_at);
  if (!view.is_proven()) {
    out.member("evidence", "metadata-only").end_object();
    return;
  }
  if (hit.matched_fields.size() > 1) port::write_names(out, "matched_fields", hit.matched_fields);
  write_excerpt(out, view, reads);
  out.end_object();
}

}  // namespace

SearchView search_view(const Context& context, const port::SearchPage& page, const std::string& query,
                       std::int64_t snippet_chars) {
  SearchView view(page);
  view.hits.reserve(page.hits.size());
  view.ladder.reserve(page.hits.size());
  view.names.reserve(page.hits.size());
  for (const SearchHit& hit : page.hits) {
    HitView& one = view.hits.emplace_back();
    one.hit = &hit;
    one.names_record = !hit.ref.stream.empty() && !hit.ref.record_id.empty();
    one.title = title_of(hit);
    one.id = one.names_record        ? model::format_record_id(hit.ref)
             : !hit.other_id.empty() ? hit.other_id
                                     : format("result:{}", view.hits.size());
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
    view.names.push_back({one.id, one.is_proven() ? &one.read : nullptr});
  }
  return view;
}

std::string search_json(const Context& context, const SearchView& view, const port::SearchRequest& request,
                        const SearchCalls& calls) {
  const port::SearchPage& page = *view.page;
  json::Writer out;
  out.begin_object().key("data").begin_object().member("object", "list").member("url", "/v1/search");
  out.member("has_more", page.has_more).optional_member("next_cursor", page.next_cursor);
  out.member("result_count", std::ssize(view.hits)).member("results_ref", "structuredContent.results");
  const std::string self = port::target_of(request);
  port::write_links(out, {.self = self, .next_cursor = page.next_cursor, .is_list = true});
  port::write_search_meta(out, page, page.warnings);
  out.end_object().key("results").begin_array();
  for (const HitView& hit : view.hits) write_result(out, hit, calls.in_results);
  out.end_array();
  write_ladder(out, "search_results", view.ladder, calls.in_ladder, view.names);
  write_origin(out, context, page.request_id);
  return out.end_object().take();
}

}  // namespace ladder::mcp
