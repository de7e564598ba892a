#include "remote/readers.h"

#include "base/text/utf8.h"
#include "model/field_path.h"
#include "model/handle.h"

#include <algorithm>
#include <cmath>

namespace ladder::remote {

MarkedText without_marks(std::string_view text) {
  constexpr std::string_view kOpen = "<mark>", kClose = "</mark>";
  MarkedText plain;
  std::int64_t chars = 0;  // of plain.text
  std::string_view rest = text;
  for (std::size_t open = rest.find(kOpen); open != std::string_view::npos; open = rest.find(kOpen)) {
    const std::size_t close = rest.find(kClose);
    if (close == std::string_view::npos || close < open) return {std::string(text), {}};
    const std::string_view word = rest.substr(open + kOpen.size(), close - open - kOpen.size());
    if (word.empty() || word.find(kOpen) != std::string_view::npos) return {std::string(text), {}};
    plain.text += rest.substr(0, open);
    plain.text += word;
    const std::int64_t start = chars + utf8::count(rest.substr(0, open));
    chars = start + utf8::count(word);
    plain.marked.emplace_back(start, chars);
    rest.remove_prefix(close + kClose.size());
  }
  if (rest.find(kClose) != std::string_view::npos) return {std::string(text), {}};
  plain.text += rest;
  return plain;
}

// Parses a search (PDPP "search"): hits and their evidence. Only what the server reports about a match is used. A hit without a
// field and its text has no evidence (PDPP "search"), and a range that does not match its text is ignored.

namespace {

using api::MatchWindow;
using api::SearchHit;
using json::Kind;
using json::Value;

constexpr std::size_t kMaxWindows = 3;
constexpr std::size_t kMaxOtherIdBytes = 2'048;

// Other servers use a field name where Ladder uses a path.
std::string field_of(const Object& reported) {
  std::string path = reported.hint({"field_path", "fieldPath", "path"});
  const Value* const field = reported.find("field");
  if (path.empty() && field && field->kind == Kind::kObject) path = reported.at("field", *field).hint("path");
  return path.empty() || model::parse_field_path(path) ? path : model::format_field_path(path);
}

std::string text_of(const Object& reported) {
  if (std::string text = reported.hint({"text", "preview_text", "preview", "snippet"}); !text.empty()) return text;
  const Value* const window = reported.find("window");
  return window && window->kind == Kind::kObject ? reported.at("window", *window).hint("text") : std::string();
}

// Uses the server's suggested next call if it is valid for the window.
void read_hint(const Object& reported, MatchWindow& window) {
  const Value* const found = reported.find("read");
  if (!found || found->kind != Kind::kObject) return;
  const Object read = reported.at("read", *found);
  window.is_short_metadata = read.hint("object") == "record_read";
  const Value* const offset = read.find("offset_chars");
  const std::int64_t start = offset ? integer_of(*offset).value_or(-1) : -1;
  if (start >= 0 && start < window.end_chars) window.read_start = start;
}

// Sets the range of the text if the server reports it and the text matches.
void place(const Object& reported, MatchWindow& window) {
  const auto start = reported.integer_if_any("start_chars");
  const auto end = reported.integer_if_any("end_chars");
  if (!start || !end || *start < 0 || *end < *start || *end - *start != utf8::count(window.text)) return;
  const std::int64_t size = reported.integer_or("size_chars", 0);
  window.start_chars = *start;
  window.end_chars = *end;
  if (size >= *end) window.size_chars = size;
  read_hint(reported, window);
  for (const Object& match : reported.list_if_any("matches").objects()) {
    const MatchWindow::Range range{match.integer("start_chars"), match.integer("end_chars")};
    if (range.start_chars >= *start && range.end_chars <= *end && range.start_chars < range.end_chars) {
      window.matches.push_back(range);
    }
  }
}

std::optional<MatchWindow> window_of(const Object& reported) {
  const std::string provenance = reported.hint("provenance");
  if (!provenance.empty() && provenance != "lexical_match") return std::nullopt;
  MatchWindow window;
  window.field_path = field_of(reported);
  window.text = text_of(reported);
  if (window.field_path.empty() || window.text.empty()) return std::nullopt;
  window.complete =
      reported.boolean_or("complete", false) || (reported.has("truncated") && !reported.boolean_or("truncated", true));
  place(reported, window);
  if (window.end_chars > window.start_chars) return window;
  MarkedText plain = without_marks(window.text);
  window.text = std::move(plain.text);
  for (const auto& [start, end] : plain.marked) window.matches.push_back({start, end});
  return window;
}

// Reads the first non-empty list.
void read_windows(const Object& hit, std::vector<MatchWindow>& windows) {
  for (const char* const name : {"match_windows", "field_windows", "matches", "evidence_excerpts"}) {
    for (const Object& reported : hit.list_if_any(name).objects()) {
      auto window = window_of(reported);
      if (window && windows.size() < kMaxWindows) windows.push_back(*std::move(window));
    }
    if (!windows.empty()) return;
  }
}

// Keys are strings; some servers write integers.
std::string key_of(const Object& hit, std::string_view name) {
  const Value* const key = hit.find(name);
  return key && key->kind == Kind::kNumber ? plain_text(*key) : hit.hint(name);
}

// Returns the record of a hit (PDPP "record ids"): from the server's id, its record URI, or stream and key.
model::RecordRef ref_of(const Object& hit) {
  model::RecordRef ref;
  const auto take = [&ref](const std::string& id) {
    if (id.empty()) return false;
    auto parsed = model::parse_record_id(id);
    if (!parsed) return false;
    ref = *std::move(parsed);
    return true;
  };
  const auto is_uri = [](const std::string& id) { return id.starts_with(model::kRecordUriPrefix); };
  bool found = take(hit.hint({"result_id", "resultId"}));
  for (const char* const name : {"record_uri", "recordUri", "id"}) {
    if (const std::string uri = hit.hint(name); !found && is_uri(uri)) found = take(uri);
  }
  if (!found) {
    ref.stream = hit.hint({"stream", "stream_name", "streamName"});
    for (const char* const name : {"record_key", "recordKey", "record_id", "recordId", "id"}) {
      if (ref.record_id.empty()) ref.record_id = key_of(hit, name);
    }
    if (ref.stream.empty() || ref.record_id.empty()) {
      ref = {};
      take(hit.hint("id"));
    }
  }
  if (ref.connection_id.empty()) ref.connection_id = connection_of(hit);
  const Value* const source = hit.find("source");
  if (ref.connection_id.empty() && source && source->kind == Kind::kObject) {
    ref.connection_id = connection_of(hit.at("source", *source));
  }
  return ref;
}

// Keeps integers unchanged; scales other scores so that their order stays the same.
std::int64_t score_of(const Object& hit) {
  const Value* const reported = hit.find("score");
  if (!reported || reported->kind != Kind::kObject) return 0;
  const Object score = hit.at("score", *reported);
  const Value* const value = score.find("value");
  if (!value || value->kind != Kind::kNumber) return 0;
  const bool lower_is_better = score.hint("order") == "lower_is_better";
  if (const auto whole = integer_of(*value); whole && !lower_is_better) return *whole;
  constexpr double kScale = 1e6, kMax = 9e17;
  const double number = std::clamp(std::strtod(std::string(value->text).c_str(), nullptr) * kScale, -kMax, kMax);
  return std::llround(lower_is_better ? -number : number);
}

// Returns the strings of a list. In other servers these members may have another type; then the result is empty.
std::vector<std::string> words_of(const Object& reported, std::string_view name) {
  std::vector<std::string> words;
  const Value* const list = reported.find(name);
  if (!list || list->kind != Kind::kArray) return words;
  const List elements = reported.list_if_any(name);
  for (const Value& element : elements.values()) {
    if (element.kind == Kind::kString) words.push_back(plain_text(element));
  }
  return words;
}

void read_searched_words(const Object& body, api::SearchPage& page) {
  page.count_all_words = body.integer_if_any("count_all_words");
  const Value* const list = body.find("words");
  if (!list || list->kind != Kind::kArray) return;
  const List elements = body.list_if_any("words");
  for (std::size_t i = 0; i < elements.values().size(); ++i) {
    if (elements.values()[i].kind != Kind::kObject) continue;
    const Object word = elements.at(i);
    page.searched_words.push_back({word.hint("word"), word.integer_or("records", 0), words_of(word, "near")});
  }
}

void read_languages(const Object& meta, api::SearchPage& page) {
  const Value* const list = meta.find("languages");
  if (!list || list->kind != Kind::kArray) return;
  const List elements = meta.list_if_any("languages");
  for (std::size_t i = 0; i < elements.values().size(); ++i) {
    if (elements.values()[i].kind != Kind::kObject) continue;
    const Object language = elements.at(i);
    page.languages.push_back({language.hint("code"), language.hint("name"), language.boolean_or("asked", false)});
  }
}

SearchHit hit_of(const Object& reported) {
  SearchHit hit;
  hit.ref = ref_of(reported);
  if (hit.ref.record_id.empty()) hit.other_id = reported.hint({"id", "url"});
  if (hit.other_id.size() > kMaxOtherIdBytes) hit.other_id.clear();
  hit.connector_key = reported.hint({"connector_key", "connector_id"});
  hit.display_name = reported.hint("display_name");
  hit.emitted_at = reported.hint("emitted_at");
  hit.authored_at = reported.hint("authored_at");
  hit.title = reported.hint("title");
  hit.author = reported.hint("author");
  hit.words = words_of(reported, "words");
  hit.missing = words_of(reported, "missing_words");
  if (const auto group = reported.object_if_any("group")) {
    const std::string id = group->hint("id");
    if (!id.empty()) {
      hit.group = api::SearchGroup{id, group->hint("label"), group->integer_or("more", 0),
                                   group->hint("more_accuracy") != "lower_bound", group->boolean_or("second", false)};
    }
  }
  hit.matched_fields = reported.texts("matched_fields");
  hit.score = score_of(reported);
  read_windows(reported, hit.windows);
  const Value* const data = reported.find("data");
  if (hit.windows.empty() && data && data->kind == Kind::kObject) read_windows(reported.at("data", *data), hit.windows);
  return hit;
}

// Finds results[], hits[], data[], data.results[] or data.data[].
List hits_of(const Object& body) {
  for (const char* const name : {"results", "hits"}) {
    if (body.has(name)) return body.list(name);
  }
  const Value* const data = body.find("data");
  if (!data || data->kind != Kind::kObject) return body.list("data");
  const Object inner = body.at("data", *data);
  return inner.list(inner.has("results") ? "results" : "data");
}

std::string known_scope(const std::string& reported) {
  const bool known = reported == "all_matches" || reported == "candidate_window" || reported == "unknown";
  return known ? reported : std::string();
}

void read_meta(const Object& meta, api::SearchPage& page) {
  const Value* const count = meta.find("count");
  if (count && count->kind == Kind::kNumber) page.count = meta.integer_if_any("count");
  if (count && count->kind == Kind::kObject) page.count = meta.at("count", *count).integer_if_any("value");
  const std::string accuracy = meta.hint("count_accuracy");
  page.count_exact = accuracy.empty() || accuracy == "exact";
  if (accuracy == "not_counted") page.count.reset();
  if (const auto recall = meta.object_if_any("recall")) {
    page.recall.known = true;
    page.recall.complete = recall->boolean_or("complete", false);
    page.recall.truncated = recall->boolean_or("truncated", false) || recall->hint("ranking_scope") == "candidate_window";
    page.recall.ranking_scope = known_scope(recall->hint("ranking_scope"));
    page.recall.ranked_candidates = recall->integer_if_any("ranked_candidate_count");
    page.recall.sources_searched = recall->integer_if_any("sources_searched_count");
    page.recall.candidate_window_limit = recall->integer_if_any("candidate_window_limit");
    page.recall.truncated_sources = recall->integer_if_any("truncated_source_count");
  }
  if (const auto maintenance = meta.object_if_any("index_maintenance")) {
    const Value* const pending = maintenance->find("pending_scopes");
    if (pending) page.pending_scopes = integer_of(*pending).value_or(0);
  }
  read_languages(meta, page);
  page.warnings = read_warnings(meta);
}

}  // namespace

api::SearchPage read_search(Answer& answer) {
  api::SearchPage page;
  page.recall.known = false;
  const Object body = answer.object();
  for (const Object& hit : hits_of(body).objects()) page.hits.push_back(hit_of(hit));
  page.next_cursor = body.text_if_any("next_cursor");
  page.has_more = body.boolean_or("has_more", !page.next_cursor.empty());
  if (const auto meta = body.object_if_any("meta")) read_meta(*meta, page);
  read_searched_words(body, page);
  return page;
}

}  // namespace ladder::remote
