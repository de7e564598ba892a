// An in-memory resource server for tests of its callers: real reads over a few records, and a list of the received calls. Its
// cursors are readable text, bound to record, field and content like real ones.
#pragma once

#include "api/render/target.h"
#include "api/resource_port.h"
#include "base/limits.h"
#include "base/text/base64.h"
#include "base/text/casefold.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "crypto/hash.h"
#include "json/scan/pointer.h"
#include "json/scan/scan.h"
#include "json/writer.h"
#include "model/base64_shape.h"
#include "model/field_path.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ladder::mcp::testing {

struct StoredRecord {
  model::RecordRef ref;
  std::string data;  // JSON object
  std::string connector_key = "nonsense";
  std::string display_name = "Acme";
  bool deleted = false;
  std::string title = {}, author = {}, authored_at = {};  // shown in search results
  std::vector<std::string> missing = {};
  std::optional<api::SearchGroup> group = {};
  std::optional<api::Neighbours> neighbours = {};
};

class MemoryPort : public api::ResourcePort {
 public:
  std::vector<StoredRecord> stored;
  api::SchemaView view;
  std::map<std::string, api::Blob> blobs;
  std::set<std::string> hidden_fields;     // not granted
  std::set<std::string> unproven_streams;  // their hits have no windows
  std::set<std::string> short_metadata;    // their hits match only in a title or another short field
  std::vector<std::string> calls;          // "GET /v1/…", in order
  std::optional<Error> failure;            // the response to every call
  std::size_t cursor_bytes = 0;            // minimum size of a cursor
  bool matches_nothing = false;            // every filter matches no record
  bool reports_positions = true;           // search reports the positions of its windows
  api::Record expanded_child;              // added by expand=…, if it has an id
  bool more_children = false;              // and reports that there are more
  std::vector<api::Warning> warnings;
  api::SearchRecall recall;         // reported by search
  std::int64_t pending_scopes = 0;  // also reported by search
  std::vector<api::SearchedWord> searched_words;
  std::optional<std::int64_t> count_all_words;
  std::vector<api::SearchLanguage> languages;
  std::vector<api::SearchRequest> searches;  // the received requests, in order

  Result<api::SchemaView> schema(const api::SchemaRequest& request, std::stop_token) override {
    note(api::target_of(request, !request.full_detail));
    if (failure) return std::unexpected(*failure);
    if (request.full_detail && request.stream.empty())
      return fail(Code::kInvalidRequest, "full detail is for one stream", "detail");
    api::SchemaView narrowed = view;
    for (api::SourceView& source : narrowed.sources) {
      std::erase_if(source.streams,
                    [&](const api::StreamView& s) { return !request.stream.empty() && s.name != request.stream; });
    }
    std::erase_if(narrowed.sources, [](const api::SourceView& source) { return source.streams.empty(); });
    if (request.full_detail && narrowed.sources.size() > 1 && request.connection_id.empty()) {
      Error error{Code::kAmbiguousConnection, "several sources have it", "connection_id"};
      error.details().available_connections = {{"cin_a", "one", request.stream, ""}, {"cin_b", "two", request.stream, ""}};
      return std::unexpected(error);
    }
    return narrowed;
  }

  Result<api::RecordsPage> records(const api::RecordsRequest& request, std::stop_token) override {
    note(api::target_of(request));
    if (failure) return std::unexpected(*failure);
    std::vector<const StoredRecord*> found;
    for (const StoredRecord& record : stored) {
      if (record.ref.stream != request.stream) continue;
      if (matches_nothing && !request.filters.empty()) continue;
      if (!request.scope.connection_id.empty() && record.ref.connection_id != request.scope.connection_id) continue;
      found.push_back(&record);
    }
    std::size_t at = 0;
    if (!request.cursor.empty()) {
      const auto place = open(request.cursor);
      if (!place) return fail(Code::kInvalidCursor, "the cursor is not one of this server", "cursor");
      at = static_cast<std::size_t>(std::stoul(*place));
    }
    api::RecordsPage page;
    page.warnings = warnings;
    const auto limit = static_cast<std::size_t>(request.limit.value_or(25));
    std::int64_t bytes = 0;
    for (; at < found.size() && page.records.size() < limit; ++at) {
      api::Record record = shown(*found[at], request.fields, request.max_field_chars);
      bytes += std::ssize(record.data);
      if (request.max_bytes && bytes > *request.max_bytes && !page.records.empty()) break;
      add_child(record, request.expand);
      page.records.push_back(std::move(record));
    }
    page.has_more = at < found.size();
    if (page.has_more) page.next_cursor = seal(std::to_string(at));
    if (request.changes_since) page.next_changes_since = seal("changes");
    if (request.count != api::CountKind::kNone) page.count = {api::CountKind::kExact, std::ssize(found)};
    return page;
  }

  Result<api::Record> record(const api::RecordRequest& request, std::stop_token) override {
    note(api::target_of(request));
    if (failure) return std::unexpected(*failure);
    for (const std::string& field : request.fields) {
      if (hidden_fields.contains(field)) return fail(Code::kFieldNotGranted, "the field is outside the grant", "fields");
    }
    LADDER_TRY(const StoredRecord* const found, find(request.record));
    api::Record record = shown(*found, request.fields, request.max_field_chars);
    add_child(record, request.expand);
    return record;
  }

  Result<api::AggregateResult> aggregate(const api::AggregateRequest& request, std::stop_token) override {
    note(api::target_of(request));
    if (failure) return std::unexpected(*failure);
    std::map<std::string, std::int64_t> counts;
    api::AggregateResult result;
    for (const StoredRecord& record : stored) {
      if (record.ref.stream != request.stream) continue;
      ++result.filtered_record_count;
      const auto value = json::member(record.data, request.group_by);
      if (value) ++counts[std::string(value->text)];
    }
    result.value_json = std::to_string(result.filtered_record_count);
    result.limit = request.limit.value_or(10);
    for (const auto& [key, count] : counts) {
      if (std::ssize(result.groups) < result.limit) result.groups.push_back({key, count});
      else result.other_count += count;
    }
    return result;
  }

  Result<api::SearchPage> search(const api::SearchRequest& request, std::stop_token) override {
    note(api::target_of(request));
    searches.push_back(request);
    if (failure) return std::unexpected(*failure);
    std::vector<api::SearchHit> hits;
    for (const StoredRecord& record : stored) {
      auto hit = hit_of(record, request.q);
      if (hit) hits.push_back(*std::move(hit));
    }
    api::SearchPage page;
    page.count = std::ssize(hits);
    page.warnings = warnings;
    page.recall = recall;
    page.pending_scopes = pending_scopes;
    page.searched_words = searched_words;
    page.count_all_words = count_all_words;
    page.languages = languages;
    std::size_t at = 0;
    if (!request.cursor.empty()) {
      const auto place = open(request.cursor);
      if (!place) return fail(Code::kInvalidCursor, "the cursor is not one of this server", "cursor");
      at = static_cast<std::size_t>(std::stoul(*place));
    }
    for (; at < hits.size() && std::ssize(page.hits) < request.limit.value_or(25); ++at) page.hits.push_back(hits[at]);
    page.has_more = at < hits.size();
    if (page.has_more) page.next_cursor = seal(std::to_string(at));
    return page;
  }

  Result<api::FieldWindow> field_window(const api::FieldWindowRequest& request, std::stop_token) override {
    note(api::target_of(request));
    if (failure) return std::unexpected(*failure);
    LADDER_TRY(const model::WindowSelector selector, model::checked(request.window));
    LADDER_TRY(const model::FieldPath path, model::parse_field_path(request.field_path));
    if (hidden_fields.contains(path.field)) return fail(Code::kFieldNotGranted, "the field is outside the grant", "field_path");
    LADDER_TRY(const StoredRecord* const found, find(request.record));
    const auto field = json::member(found->data, path.field);
    const auto value = field ? json::resolve(*field, path.nested) : std::nullopt;
    if (!value) return fail(Code::kFieldNotFound, "the record has no such field", "field_path");
    if (value->kind != json::Kind::kString && value->kind != json::Kind::kObject && value->kind != json::Kind::kArray) {
      return fail(Code::kFieldNotText, "it is no text", "field_path");
    }
    api::FieldWindow window;
    window.record = found->ref;
    window.path = request.field_path;
    const bool is_string = value->kind == json::Kind::kString;
    const std::string text = is_string ? json::decode_string(json::raw_content(*value)) : std::string(value->text);
    window.type = is_string ? "string" : value->kind == json::Kind::kObject ? "object" : "array";
    model::Base64Shape shape;
    shape.feed(text);
    window.text_like = !is_string || !shape.fits();
    if (!window.text_like) {
      window.mime_type = shape.sniffed_mime_type();
      window.size_bytes = shape.decoded_bytes();
    }
    window.size_chars = utf8::count(text);
    window.digest = crypto::digest_text(crypto::sha256(text));
    LADDER_CHECK(place(window, selector, text));
    window.text = utf8::slice(text, window.start_chars, window.end_chars - window.start_chars);
    return window;
  }

  Result<api::Blob> blob(const api::BlobRequest& request, std::stop_token) override {
    note(format("/v1/blobs/{}?first={}&max={}", request.blob_id, request.first_byte, request.max_bytes));
    const auto found = blobs.find(request.blob_id);
    if (found == blobs.end()) return fail(Code::kBlobNotFound, "there is no such blob", "blob_id");
    api::Blob blob = found->second;
    blob.size_bytes = std::ssize(blob.bytes);
    blob.first_byte = request.first_byte;
    const auto first = std::min(static_cast<std::size_t>(request.first_byte), blob.bytes.size());
    blob.bytes = blob.bytes.substr(first, static_cast<std::size_t>(request.max_bytes));
    return blob;
  }

 private:
  void note(const std::string& target) { calls.push_back("GET " + target); }

  std::string seal(std::string plain) const {
    if (plain.size() < cursor_bytes) plain.resize(cursor_bytes, ' ');
    return base64url::encode("cur " + plain);
  }
  static std::optional<std::string> open(const std::string& cursor) {
    const auto plain = base64url::decode(cursor);
    if (!plain || !plain->starts_with("cur ")) return std::nullopt;
    return plain->substr(4);
  }

  Result<const StoredRecord*> find(const model::RecordRef& ref) const {
    std::vector<const StoredRecord*> found;
    for (const StoredRecord& record : stored) {
      if (record.ref.stream != ref.stream || record.ref.record_id != ref.record_id) continue;
      if (ref.connection_id.empty() || ref.connection_id == record.ref.connection_id) found.push_back(&record);
    }
    if (found.empty()) return fail(Code::kNotFound, "there is no such record that you may read", "id");
    if (found.size() == 1) return found.front();
    Error error{Code::kAmbiguousConnection, "several connections have the record; name one", "connection_id"};
    for (const StoredRecord* record : found) {
      error.details().available_connections.push_back({record->ref.connection_id, record->connector_key, ref.stream, ""});
    }
    return std::unexpected(std::move(error));
  }

  // Returns the record with the selected fields, truncated like a store does.
  api::Record shown(const StoredRecord& from, const std::vector<std::string>& fields,
                    std::optional<std::int64_t> max_chars) const {
    api::Record record;
    record.ref = from.ref;
    record.connector_key = from.connector_key;
    record.display_name = from.display_name;
    record.emitted_at = "2026-01-01T00:00:00Z";
    record.deleted = from.deleted;
    if (from.deleted) return record;
    record.data = "{";
    for (json::Members members(from.data); members.next();) {
      const std::string name = json::decode_string(members.raw_name());
      if (hidden_fields.contains(name)) continue;
      if (!fields.empty() && std::ranges::find(fields, name) == fields.end()) continue;
      record.data += format("{}\"{}\":", record.data.size() > 1 ? "," : "", members.raw_name());
      add_value(record, name, members.value(), max_chars);
    }
    record.data += "}";
    return record;
  }

  static void add_value(api::Record& record, const std::string& name, const json::Value& value,
                        std::optional<std::int64_t> max_chars) {
    const bool is_string = value.kind == json::Kind::kString;
    const bool is_container = value.kind == json::Kind::kObject || value.kind == json::Kind::kArray;
    const std::string text = is_string ? json::decode_string(json::raw_content(value)) : std::string(value.text);
    const std::int64_t chars = utf8::count(text);
    if (!max_chars || chars <= *max_chars || (!is_string && !is_container)) {
      record.data += value.text;
      return;
    }
    api::CutField cut;
    cut.path = model::format_field_path(name);
    cut.type = is_string ? "string" : value.kind == json::Kind::kObject ? "object" : "array";
    cut.size_chars = chars;
    cut.digest = crypto::digest_text(crypto::sha256(text));
    model::Base64Shape shape;
    shape.feed(text);
    cut.text_like = !is_string || !shape.fits();
    if (!cut.text_like) {
      cut.mime_type = shape.sniffed_mime_type();
      cut.size_bytes = shape.decoded_bytes();
    }
    cut.shown_chars = is_string && cut.text_like ? *max_chars : 0;
    if (is_string) json::append_string(record.data, utf8::slice(text, 0, cut.shown_chars));
    else record.data += "null";
    record.cut.push_back(std::move(cut));
  }

  void add_child(api::Record& record, const std::vector<std::string>& expand) const {
    if (expanded_child.ref.record_id.empty()) return;
    for (const std::string& name : expand) record.expanded.push_back({name, true, more_children, {expanded_child}});
  }

  // Every string field that contains the query, with its first match.
  std::optional<api::SearchHit> hit_of(const StoredRecord& record, const std::string& q) const {
    api::SearchHit hit;
    hit.ref = record.ref;
    hit.connector_key = record.connector_key;
    hit.display_name = record.display_name;
    hit.title = record.title;
    hit.author = record.author;
    hit.authored_at = record.authored_at;
    hit.missing = record.missing;
    hit.group = record.group;
    hit.neighbours = record.neighbours;
    for (json::Members members(record.data); members.next();) {
      if (members.value().kind != json::Kind::kString) continue;
      const std::string name = json::decode_string(members.raw_name());
      const std::string text = json::decode_string(json::raw_content(members.value()));
      FoldedFinder finder(q);
      const auto start = finder.feed(text);
      if (!start || hidden_fields.contains(name)) continue;
      hit.matched_fields.push_back(name);
      api::MatchWindow window;
      window.field_path = model::format_field_path(name);
      const std::int64_t size = utf8::count(text), from = std::max<std::int64_t>(0, *start - 100);
      const std::int64_t to = std::min(size, *start + 140);
      window.text = utf8::slice(text, from, to - from);
      window.complete = from == 0 && to == size;
      if (reports_positions) {
        window.start_chars = from, window.end_chars = to, window.size_chars = size;
        window.matches.push_back({*start, *start + utf8::count(q)});
      }
      window.is_short_metadata = short_metadata.contains(record.ref.stream);
      if (!unproven_streams.contains(record.ref.stream)) hit.windows.push_back(std::move(window));
    }
    if (hit.matched_fields.empty()) return std::nullopt;
    return hit;
  }

  // A cursor is "direction anchor limit digest binding q", padded to a realistic length.
  Status place(api::FieldWindow& window, const model::WindowSelector& selector, const std::string& text) const {
    const std::int64_t size = window.size_chars;
    const std::string bound = crypto::digest_text(crypto::sha256(model::format_record_id(window.record) + " " + window.path));
    if (selector.kind == model::SelectorKind::kOffset) {
      window.limit_chars = selector.limit();
      window.start_chars = std::min(selector.offset_chars, size);
      window.end_chars = std::min(size, window.start_chars + window.limit_chars);
    } else if (selector.kind == model::SelectorKind::kQuery) {
      LADDER_CHECK(find_match(window, selector, text, 0));
    } else {
      LADDER_CHECK(follow(window, selector, text, bound));
    }
    const auto cursor = [&](char direction, std::int64_t anchor, std::int64_t limit, const std::string& q) {
      return seal(format("{}\n{}\n{}\n{}\n{}\n{}", direction, anchor, limit, window.digest, bound, q));
    };
    if (window.has_more()) window.next_cursor = cursor('n', window.end_chars, window.limit_chars, "");
    if (window.start_chars > 0) window.previous_cursor = cursor('p', window.start_chars, window.limit_chars, "");
    if (window.match)
      window.next_match_cursor = cursor('m', window.match->end_chars, selector.limit_chars.value_or(0), window.match->q);
    return {};
  }

  Status follow(api::FieldWindow& window, const model::WindowSelector& selector, const std::string& text,
                const std::string& bound) const {
    const auto plain = open(selector.cursor);
    if (!plain) return fail(Code::kInvalidCursor, "the cursor is not one of this server", "cursor");
    std::vector<std::string> parts;
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t end = plain->find('\n', at);
      parts.push_back(plain->substr(at, end == std::string::npos ? end : end - at));
      at = end == std::string::npos ? end : end + 1;
    }
    while (!parts.back().empty() && parts.back().back() == ' ') parts.back().pop_back();
    if (parts.size() != 6) return fail(Code::kInvalidCursor, "the cursor is not one of this server", "cursor");
    if (parts[4] != bound) return fail(Code::kCursorMismatch, "the cursor belongs to another field", "cursor");
    const std::int64_t anchor = std::stoll(parts[1]), size = window.size_chars;
    if (parts[3] != window.digest) {
      Error error{Code::kStaleCursor, "the field has changed", "cursor"};
      error.details().digest = window.digest;
      error.details().size_chars = size;
      error.details().resume_offset_chars = std::min(anchor, size);
      return std::unexpected(std::move(error));
    }
    window.limit_chars = selector.limit_chars.value_or(std::stoll(parts[2]));
    if (parts[0] == "n") {
      window.start_chars = std::min(anchor, size);
      window.end_chars = std::min(size, anchor + window.limit_chars);
    } else if (parts[0] == "p") {
      window.end_chars = std::min(anchor, size);
      window.start_chars = std::max<std::int64_t>(0, window.end_chars - window.limit_chars);
    } else {
      model::WindowSelector again = selector;
      again.q = parts[5];
      again.before_chars = again.after_chars = limits::kContextDefaultChars;
      return find_match(window, again, text, anchor);
    }
    return {};
  }

  static Status find_match(api::FieldWindow& window, const model::WindowSelector& selector, const std::string& text,
                           std::int64_t from) {
    FoldedFinder finder(selector.q);
    const auto found = finder.feed(utf8::slice(text, from, window.size_chars));
    if (!found) return fail(Code::kQueryNotFound, "the text does not occur in the field", "q");
    const std::int64_t start = from + *found, end = start + finder.needle_chars();
    window.limit_chars = selector.query_limit(finder.needle_chars());
    window.start_chars = std::max({std::int64_t{0}, start - selector.before_chars, end - window.limit_chars});
    window.end_chars = selector.limit_chars ? window.start_chars + window.limit_chars
                                            : std::min(end + selector.after_chars, window.start_chars + window.limit_chars);
    window.end_chars = std::min(window.end_chars, window.size_chars);
    window.match = api::Match{selector.q, start, end};
    return {};
  }
};

}  // namespace ladder::mcp::testing
