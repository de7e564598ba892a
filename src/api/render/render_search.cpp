// GET /v1/search (PDPP "search"): hits with the text that matched, and the coverage of the search.
#include "api/render/render.h"
#include "base/text/format.h"
#include "model/handle.h"

#include <set>

namespace ladder::api {
namespace {

using json::Writer;

std::string path_of_hit(const SearchHit& hit) {
  return format("/v1/streams/{}/records/{}", model::percent_encode(hit.ref.stream), model::percent_encode(hit.ref.record_id));
}

// Writes the call that opens the record, for a hit in a title or another short field.
void write_record_read(Writer& out, const SearchHit& hit) {
  const std::string route = path_of_hit(hit);
  out.key("read").begin_object().member("object", "record_read").member("method", "GET").member("route", route);
  out.member("url", format("{}?connection_id={}", route, model::percent_encode(hit.ref.connection_id)));
  out.member("stream", hit.ref.stream).member("record_id", hit.ref.record_id).member("connection_id", hit.ref.connection_id);
  out.member("tool", "fetch").key("args").begin_object().member("id", model::format_record_id(hit.ref));
  out.end_object().end_object();
}

// Writes the suggested next call, as a URL and as an MCP tool call. It reads one default window of the field.
void write_read(Writer& out, const SearchHit& hit, const MatchWindow& window) {
  if (window.is_short_metadata) return write_record_read(out, hit);
  const std::int64_t start = read_start(window);
  const std::string route = path_of_hit(hit) + "/field-window";
  out.key("read").begin_object().member("object", "field_window_read").member("method", "GET").member("route", route);
  out.member("url", format("{}?connection_id={}&field={}&offset_chars={}", route, model::percent_encode(hit.ref.connection_id),
                           model::percent_encode(window.field_path), start));
  out.member("field", window.field_path).member("stream", hit.ref.stream).member("record_id", hit.ref.record_id);
  out.member("connection_id", hit.ref.connection_id).member("offset_chars", start);
  out.member("tool", "read_record_field").key("args").begin_object().member("connection_id", hit.ref.connection_id);
  out.member("stream", hit.ref.stream).member("record_id", hit.ref.record_id).member("field_path", window.field_path);
  out.member("offset_chars", start).end_object().end_object();
}

void write_range(Writer& out, const MatchWindow& window) {
  out.member("start_chars", window.start_chars).member("end_chars", window.end_chars).member("size_chars", window.size_chars);
}

void write_matches(Writer& out, const MatchWindow& window) {
  out.key("matches").begin_array();
  for (const MatchWindow::Range& match : window.matches) {
    out.begin_object().member("start_chars", match.start_chars).member("end_chars", match.end_chars).end_object();
  }
  out.end_array();
}

void write_windows(Writer& out, const SearchHit& hit) {
  out.key("match_windows").begin_array();
  for (const MatchWindow& window : hit.windows) {
    out.begin_object().member("object", "match_window").member("field_path", window.field_path);
    write_range(out, window);
    out.member("text", window.text).member("complete", window.complete);
    write_matches(out, window);
    write_read(out, hit, window);
    out.end_object();
  }
  out.end_array();
}

// Writes the best window of each field, in the format of the reference implementation.
void write_excerpts(Writer& out, const SearchHit& hit) {
  std::set<std::string_view> told;
  out.key("evidence_excerpts").begin_array();
  for (const MatchWindow& window : hit.windows) {
    if (!told.insert(window.field_path).second) continue;
    out.begin_object().member("object", "evidence_excerpt").member("field_path", window.field_path);
    out.member("preview_text", window.text).member("provenance", "lexical_match").member("truncated", !window.complete);
    write_read(out, hit, window);
    out.end_object();
  }
  out.end_array();
}

void write_hit(Writer& out, const SearchHit& hit, bool for_owner) {
  out.begin_object().member("object", "search_result").member("stream", hit.ref.stream).member("record_key", hit.ref.record_id);
  out.member("id", model::format_record_id(hit.ref)).member("connector_id", hit.connector_key);
  out.member("connection_id", hit.ref.connection_id).member("connector_instance_id", hit.ref.connection_id);
  out.optional_member("display_name", hit.display_name).member("emitted_at", hit.emitted_at);
  out.optional_member("authored_at", hit.authored_at);
  out.optional_member("title", hit.title).optional_member("author", hit.author);
  out.member("matched_fields", hit.matched_fields);
  out.optional_member("words", hit.words);
  out.optional_member("missing_words", hit.missing);
  if (hit.group) {
    out.key("group").begin_object().member("id", hit.group->id).optional_member("label", hit.group->label);
    out.member("more", hit.group->more).member("more_accuracy", hit.group->exact ? "exact" : "lower_bound");
    if (hit.group->second) out.member("second", true);
    out.end_object();
  }
  out.member("record_url", path_of_hit(hit) + "?connection_id=" + model::percent_encode(hit.ref.connection_id) +
                               (for_owner ? "&connector_id=" + model::percent_encode(hit.connector_key) : ""));
  out.key("score").begin_object().member("kind", "bm25").member("value", hit.score).member("order", "higher_is_better");
  out.end_object().member("evidence", hit.windows.empty()                     ? "metadata_only"
                                      : hit.windows.front().is_short_metadata ? "metadata_field"
                                                                              : "match_windows");
  if (!hit.windows.empty()) {
    const MatchWindow& best = hit.windows.front();
    out.key("snippet").begin_object().member("field", best.field_path).member("text", best.text).end_object();
  }
  write_windows(out, hit);
  write_excerpts(out, hit);
  out.end_object();
}

std::string_view scope_of(const SearchPage& page) {
  if (!page.recall.ranking_scope.empty()) return page.recall.ranking_scope;
  if (page.recall.truncated) return "candidate_window";
  return page.count ? "all_matches" : "unknown";
}

// Unknown values are omitted, never guessed (PDPP "search").
void write_recall(Writer& out, const SearchPage& page, MetaForm form) {
  const SearchRecall& recall = page.recall;
  if (!recall.known) return;
  out.key("recall").begin_object().member("complete", recall.complete);
  if (form == MetaForm::kBrief && recall.complete && !recall.truncated) {
    out.end_object();
    return;
  }
  out.member("ranking_scope", scope_of(page));
  out.member("truncated", recall.truncated);
  const auto write = [&out](json::Name name, const std::optional<std::int64_t>& number) {
    if (number) out.member(name, *number);
  };
  write("ranked_candidate_count", recall.ranked_candidates);
  write("sources_searched_count", recall.sources_searched);
  write("candidate_window_limit", recall.candidate_window_limit);
  write("truncated_source_count", recall.truncated_sources);
  out.end_object();
}

}  // namespace

void write_search_words(Writer& out, const SearchPage& page) {
  if (page.count_all_words) out.member("count_all_words", *page.count_all_words);
  if (page.searched_words.empty()) return;
  out.key("words").begin_array();
  for (const SearchedWord& word : page.searched_words) {
    out.begin_object().member("word", word.word).member("records", word.records);
    out.optional_member("near", word.near);
    if (word.corrected) out.member("corrected", true);
    out.end_object();
  }
  out.end_array();
}

void write_search_meta(Writer& out, const SearchPage& page, const std::vector<Warning>& warnings, MetaForm form) {
  out.key("meta").begin_object().key("count");
  page.count ? out.number(*page.count) : out.null();
  out.member("count_accuracy", !page.count ? "not_counted" : page.count_exact ? "exact" : "lower_bound");
  write_recall(out, page, form);
  if (!page.languages.empty()) {
    out.key("languages").begin_array();
    for (const SearchLanguage& each : page.languages) {
      out.begin_object().member("code", each.code).member("name", each.name).member("asked", each.asked).end_object();
    }
    out.end_array();
  }
  if (page.pending_scopes > 0) {
    out.key("index_maintenance").begin_object();
    out.member("note", "some fields are still being indexed, so matches only in them are not found yet");
    out.member("pending_scopes", page.pending_scopes).end_object();
  }
  if (form == MetaForm::kWhole || !warnings.empty()) write_warnings(out, warnings);
  out.end_object();
}

std::string render(const SearchPage& page, bool for_owner, std::string_view path, ResponseTail response_tail) {
  Writer out;
  out.begin_object().member("object", "list").member("url", path).member("has_more", page.has_more);
  out.optional_member("next_cursor", page.next_cursor);
  out.key("data").begin_array();
  for (const SearchHit& hit : page.hits) write_hit(out, hit, for_owner);
  out.end_array();
  response_tail.is_list = true;
  response_tail.next_cursor = page.next_cursor;
  response_tail.warnings.insert(response_tail.warnings.end(), page.warnings.begin(), page.warnings.end());
  write_links(out, response_tail);
  write_search_words(out, page);
  write_search_meta(out, page, response_tail.warnings);
  return out.end_object().take();
}

}  // namespace ladder::api
