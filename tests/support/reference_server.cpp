#include "support/reference_server.h"

#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "http/message/query.h"
#include "json/scan/scan.h"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <algorithm>

namespace ladder::test_support {
namespace {

namespace bj = boost::json;
using http::Response;

// The error envelope: the type by status, and no details beyond those given.
Response refused(int status, std::string_view code, std::string_view message, bj::object more = {}) {
  bj::object error = {{"type", "api_error"}, {"code", code}, {"message", message}};
  for (auto& [name, value] : more) error[name] = value;
  error["request_id"] = "req_0123456789abcdef";
  return Response::json(status, bj::serialize(bj::object{{"error", error}}));
}

std::string ascii_lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return text;
}

// Returns the length of a string as JavaScript counts it.
std::int64_t utf16_units(std::string_view text) {
  std::int64_t units = 0;
  for (std::size_t at = 0; at < text.size();) units += utf8::next(text, at) > 0xFFFF ? 2 : 1;
  return units;
}

std::vector<std::string> words_of(const std::string& q) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : ascii_lower(q) + " ") {
    if (c != ' ') word += c;
    else if (!word.empty()) words.push_back(std::exchange(word, ""));
  }
  return words;
}

}  // namespace

// Answers one request.
class ReferenceServer::Answerer {
 public:
  Answerer(ReferenceServer& server, const http::Request& request, http::Query query)
      : server_(server), request_(request), query_(std::move(query)) {
    std::string_view path = request.path();
    while (!path.empty()) {
      path.remove_prefix(1);
      const std::size_t end = std::min(path.find('/'), path.size());
      path_.push_back(http::percent_decoded(path.substr(0, end), http::Plus::kPlus).value_or(""));
      path.remove_prefix(end);
    }
  }

  Response answer() {
    if (request_.headers.get("Authorization") != "Bearer " + server_.token) {
      return refused(401, "context.authentication_failed", "the token is not active");
    }
    if (path_.size() < 2 || path_[0] != "v1") return unknown_route();
    if (path_[1] == "schema") return schema();
    if (path_[1] == "search") return search();
    if (path_[1] == "blobs" && path_.size() == 3) return blob();
    if (path_[1] != "streams" || path_.size() < 4) return unknown_route();
    if (!server_.granted_streams.contains(path_[2])) {
      return refused(401, "context.stream_not_allowed", "the stream is not within the grant");
    }
    if (path_[3] == "aggregate") return aggregate();
    if (path_[3] != "records") return unknown_route();
    if (path_.size() == 4) return list();
    if (path_.size() == 5) return record();
    return path_[5] == "field-window" && server_.has_windows ? field_window() : unknown_route();
  }

 private:
  static Response unknown_route() {
    return Response::json(404, R"({"statusCode":404,"error":"Not Found","message":"Route not found"})");
  }

  std::string text(std::string_view name) const {
    const auto value = query_.one(name);
    return value && *value ? **value : std::string();
  }
  std::int64_t number(std::string_view name, std::int64_t otherwise) const {
    const std::string value = text(name);
    return value.empty() ? otherwise : std::stoll(value);
  }
  Response finished(bj::object body) const {
    body["links"] = {{"self", request_.target}};
    bj::object& meta = body["meta"].is_object() ? body["meta"].as_object() : body["meta"].emplace_object();
    if (!meta.contains("count")) meta["count"] = {{"kind", "none"}};
    if (!meta.contains("warnings")) meta["warnings"] = bj::array();
    Response response = Response::json(200, bj::serialize(body));
    response.headers.set("Request-Id", "req_0123456789abcdef");
    return response;
  }

  std::vector<const ReferenceRecord*> rows(const std::string& stream) const {
    std::vector<const ReferenceRecord*> found;
    for (const ReferenceRecord& record : server_.records) {
      if (record.stream != stream) continue;
      if (const std::string only = text("connection_id"); !only.empty() && record.connection_id != only) continue;
      found.push_back(&record);
    }
    return found;
  }

  bj::object envelope(const ReferenceRecord& record) const {
    bj::object data = bj::parse(record.data).as_object();
    for (const std::string& field : server_.hidden_fields) data.erase(field);
    if (auto* const blob = data.if_contains("blob_ref")) {
      blob->as_object()["fetch_url"] = "/v1/blobs/" + std::string(blob->at("blob_id").as_string());
    }
    bj::object row{{"object", "record"},
                   {"id", record.key},
                   {"stream", record.stream},
                   {"data", data},
                   {"emitted_at", "2026-01-01T00:00:00.000Z"},
                   {"connection_id", record.connection_id},
                   {"connector_instance_id", record.connection_id},
                   {"display_name", "Work"}};
    if (server_.change_row) server_.change_row(row);
    return row;
  }

  // Returns the only record of that key, or the reason why there is none.
  const ReferenceRecord* find(Response& why_not) const {
    std::vector<const ReferenceRecord*> found;
    for (const ReferenceRecord* record : rows(path_[2])) {
      if (record->key == path_[4]) found.push_back(record);
    }
    if (found.size() == 1) return found.front();
    if (found.empty()) {
      why_not = refused(404, "not_found", "Record not found");
      return nullptr;
    }
    bj::array choices;
    for (const ReferenceRecord* record : found) choices.push_back(bj::object{{"connection_id", record->connection_id}});
    why_not = refused(409, "ambiguous_connection", "Several connections hold the record",
                      {{"available_connections", choices}, {"retry_with", "connection_id"}});
    return nullptr;
  }

  Response record() const {  // ignores unknown parameters
    Response why_not;
    const ReferenceRecord* const found = find(why_not);
    if (!found) return why_not;
    bj::object body = envelope(*found);
    body["connector_key"] = "notes";
    body["record_json_bytes"] = found->data.size();
    return finished(std::move(body));
  }

  Response list() const {
    static const std::set<std::string> kKnown = {"limit", "cursor",        "order",  "sort",   "fields",        "view",
                                                 "count", "changes_since", "window", "filter", "connection_id", "expand"};
    if (server_.checks_parameters) {
      for (const http::Parameter& parameter : query_.all()) {
        if (!kKnown.contains(parameter.name)) return refused(400, "invalid_request", "Unsupported query parameter");
      }
    }
    const auto all = rows(path_[2]);
    const auto limit = static_cast<std::size_t>(number("limit", 25));
    std::set<std::string> connections;
    for (const ReferenceRecord* record : all) connections.insert(record->connection_id);
    std::size_t at = 0;
    if (const std::string cursor = text("cursor"); !cursor.empty()) {
      const auto opened = base64::decode(cursor);
      if (!opened || !opened->starts_with("{\"at\":")) return refused(400, "invalid_cursor", "Malformed cursor");
      at = std::stoul(opened->substr(6));
    }
    bj::object body = {{"object", "list"}, {"url", std::string(request_.path())}};
    bj::array data;
    if (connections.size() > 1) {  // a page of each, one after another
      std::map<std::string, std::size_t> taken;
      for (const ReferenceRecord* record : all) {
        if (++taken[record->connection_id] <= limit) data.push_back(envelope(*record));
      }
      body["has_more"] = data.size() < all.size();
      body["meta"] = {{"warnings",
                       {{{"code", "partial_results"},
                         {"message", "Several connections: pass connection_id to page"},
                         {"param", "connection_id"}}}}};
    } else {
      for (; at < all.size() && data.size() < limit; ++at) data.push_back(envelope(*all[at]));
      body["has_more"] = at < all.size();
      if (at < all.size()) body["next_cursor"] = base64::encode(format("{{\"at\":{}}}", at));
    }
    body["data"] = std::move(data);
    return finished(std::move(body));
  }

  Response field_window() const {
    const std::string field = text("field");
    if (field.empty()) return refused(400, "invalid_field_path", "field is required", {{"param", "field"}});
    if (server_.hidden_fields.contains(field)) {
      return refused(403, "field_not_granted", "The field is not granted", {{"param", "field"}});
    }
    Response why_not;
    const ReferenceRecord* const found = find(why_not);
    if (!found) return why_not;
    const auto value = json::member(found->data, field);  // a literal key, even with NUL
    if (!value) return refused(404, "field_not_found", "Field not found");
    if (value->kind != json::Kind::kString) return refused(422, "field_not_text", "Field is not text");
    const std::string whole = json::decode_string(json::raw_content(*value));
    const std::int64_t total = utf8::count(whole);
    std::int64_t start = number("offset_chars", 0), limit = number("limit_chars", 4096);
    bj::value match_start, match_end;
    if (const std::string q = text("q"); !q.empty()) {
      const std::size_t byte = ascii_lower(whole).find(ascii_lower(q));
      if (byte == std::string::npos) return refused(404, "query_not_found", "Not found in the field");
      const std::int64_t matched = utf8::count(std::string_view(whole).substr(0, byte));
      const std::int64_t before = number("before_chars", 0);
      if (text("limit_chars").empty() && (!text("before_chars").empty() || !text("after_chars").empty())) {
        limit = before + utf16_units(q) + number("after_chars", 0);
      }
      start = std::max<std::int64_t>(0, matched - before);
      match_start = matched;
      match_end = matched + utf16_units(q);
    }
    limit = std::min<std::int64_t>(limit, 16384);
    start = std::min(start, total);
    const std::string part(utf8::slice(whole, start, limit));
    // Mixes the units, as the reference implementation does.
    const std::int64_t end = std::min(start + utf16_units(part), total);
    bj::object window = {
        {"text", part},
        {"total_chars", total},
        {"start_chars", start},
        {"end_chars", end},
        {"limit_chars", limit},
        {"complete", start == 0 && end >= total},
        {"has_more", end < total},
        {"match_start_chars", match_start},
        {"match_end_chars", match_end},
        {"next_offset_chars", end < total ? bj::value(end) : bj::value()},
        {"previous_offset_chars", start > 0 ? bj::value(std::max<std::int64_t>(0, start - limit)) : bj::value()}};
    return finished({{"object", "field_window"},
                     {"stream", found->stream},
                     {"record_id", found->key},
                     {"url", std::string(request_.path())},
                     {"field", {{"path", field}, {"type", "string"}}},
                     {"window", window}});
  }

  // Requires every word in one field; the excerpt is from the first such field.
  bj::object hit_of(const ReferenceRecord& record, const std::vector<std::string>& words) const {
    const bj::value data = bj::parse(record.data);
    for (const auto& [name, value] : data.as_object()) {
      if (!value.is_string() || name == "id" || server_.hidden_fields.contains(std::string(name))) continue;
      const std::string whole(value.as_string());
      const std::string folded = ascii_lower(whole);
      if (!std::ranges::all_of(words, [&](const auto& word) { return folded.find(word) != std::string::npos; })) continue;
      const std::size_t at = folded.find(words.front());
      const std::size_t from = at > 40 ? at - 40 : 0;
      std::string snippet = (from > 0 ? "…" : "") + whole.substr(from, at - from) + "<mark>" + whole.substr(at, words[0].size()) +
                            "</mark>" + whole.substr(at + words[0].size(), 40);
      if (at + words[0].size() + 40 < whole.size()) snippet += "…";
      const std::string route = format("/v1/streams/{}/records/{}", record.stream, record.key);
      return {{"object", "search_result"},
              {"stream", record.stream},
              {"record_key", record.key},
              {"connector_id", "notes"},
              {"connection_id", record.connection_id},
              {"connector_instance_id", record.connection_id},
              {"display_name", "Work"},
              {"emitted_at", "2026-01-01T00:00:00.000Z"},
              {"matched_fields", bj::array({bj::value(std::string(name))})},
              {"record_url", route},
              {"score", {{"kind", "bm25"}, {"value", -3.21}, {"order", "lower_is_better"}}},
              {"snippet", {{"field", std::string(name)}, {"text", snippet}}},
              {"evidence_excerpts",
               {{{"object", "evidence_excerpt"},
                 {"field_path", std::string(name)},
                 {"preview_text", snippet},
                 {"provenance", "lexical_match"},
                 {"truncated", true},
                 {"read",
                  {{"object", "field_window_read"},
                   {"method", "GET"},
                   {"route", route + "/field-window"},
                   {"field", std::string(name)},
                   {"stream", record.stream},
                   {"record_id", record.key},
                   {"connection_id", record.connection_id}}}}}}};
    }
    return {};
  }

  Response search() const {
    static const std::set<std::string> kKnown = {"q", "limit", "cursor", "streams", "filter", "connection_id"};
    for (const http::Parameter& parameter : query_.all()) {
      if (!kKnown.contains(parameter.name)) {
        return refused(400, "invalid_request", "Unsupported query parameter", {{"param", parameter.name}});
      }
    }
    const std::vector<std::string> words = words_of(text("q"));
    if (words.empty()) return refused(400, "invalid_request", "q is required", {{"param", "q"}});
    bj::array hits;
    for (const ReferenceRecord& record : server_.records) {
      bj::object hit = hit_of(record, words);
      if (hit.empty()) continue;
      if (server_.change_hit) server_.change_hit(hit);
      hits.push_back(std::move(hit));
    }
    const std::size_t count = hits.size();
    bj::object meta = {{"count", count},
                       {"count_accuracy", "exact"},
                       {"recall",
                        {{"complete", true},
                         {"ranking_scope", "all_matches"},
                         {"truncated", false},
                         {"ranked_candidate_count", count},
                         {"sources_searched_count", 1}}}};
    if (server_.change_meta) server_.change_meta(meta);
    return finished({{"object", "list"}, {"url", "/v1/search"}, {"has_more", false}, {"data", hits}, {"meta", meta}});
  }

  Response aggregate() const {
    const auto all = rows(path_[2]);
    return finished({{"object", "aggregation"},
                     {"stream", path_[2]},
                     {"metric", text("metric")},
                     {"field", nullptr},
                     {"group_by", nullptr},
                     {"approximate", false},
                     {"filtered_record_count", all.size()},
                     {"value", all.size()}});
  }

  // The client's form: granted names with empty schemas, no flags except for search.
  Response schema() const {
    bj::array streams;
    const bool compact = text("view") == "compact";
    for (const std::string& name : server_.granted_streams) {
      if (const std::string only = text("stream"); !only.empty() && only != name) continue;
      bj::object properties, fields;
      std::set<std::string> connections;
      for (const ReferenceRecord& record : server_.records) {
        if (record.stream != name) continue;
        connections.insert(record.connection_id);
        const bj::value data = bj::parse(record.data);
        for (const auto& [field, value] : data.as_object()) {
          if (server_.hidden_fields.contains(std::string(field))) continue;
          properties[field] = bj::object();
          if (compact) fields[field] = "declared";
          else
            fields[field] = {
                {"schema", bj::object()}, {"granted", true}, {"lexical_search", {{"declared", false}, {"usable", false}}}};
        }
      }
      if (text("detail") == "full" && connections.size() > 1 && text("connection_id").empty()) {
        return refused(409, "ambiguous_schema_detail", "Name a connection", {{"retry_with", "connection_id"}});
      }
      bj::array granted;
      for (const std::string& connection : connections)
        granted.push_back(bj::object{{"connection_id", connection}, {"display_name", "Work"}});
      bj::object stream = {{"name", name}, {"field_capabilities", fields}, {"granted_connections", granted}};
      if (!compact) {
        stream["object"] = "stream_metadata";
        stream["schema"] = {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
        stream["primary_key"] = bj::array();
        stream["query"] = bj::object();
        stream["views"] = bj::array();
        stream["relationships"] = bj::array();
        stream["freshness"] = {{"status", "unknown"}};
        stream["instance_ids"] = bj::array(connections.begin(), connections.end());
      }
      streams.push_back(std::move(stream));
    }
    bj::object body = {
        {"object", "schema"},
        {"bearer", {{"token_kind", "client"}, {"scope", "grant"}, {"grant_id", "grt_0123456789abcdef"}, {"client_id", "app1"}}},
        {"connectors",
         {{{"object", "connector"},
           {"source", {{"kind", "connector"}, {"id", "https://sources.example/notes"}}},
           {"connector_key", "notes"},
           {"connector_id", "notes"},
           {"stream_count", streams.size()},
           {"streams", streams}}}}};
    if (compact) body["detail"] = "compact";
    if (server_.token_kind.empty()) body.erase("bearer");
    else body["bearer"].as_object()["token_kind"] = server_.token_kind;
    return finished(std::move(body));
  }

  Response blob() const {
    const auto found = server_.blobs.find(path_[2]);
    if (found == server_.blobs.end()) return refused(404, "blob_not_found", "Blob not found");
    Response response;
    if (!server_.blobs_elsewhere.empty()) {
      response.status = 302;
      response.headers.set("Location", server_.blobs_elsewhere);
      response.headers.set("Cache-Control", "no-store");
      return response;
    }
    response.headers.set("Content-Type", "application/pdf");
    response.headers.set("Cache-Control", "private, no-store");
    response.body = found->second;  // complete, whatever range was requested
    return response;
  }

  ReferenceServer& server_;
  const http::Request& request_;
  http::Query query_;
  std::vector<std::string> path_;
};

ReferenceServer::ReferenceServer(http::ServerOptions options) : tls_(!options.certificate_file.empty()) {
  options.port = 0;
  options.threads = 1;
  options.workers = 2;
  auto started = http::Server::start(options, *this);
  if (!started) throw std::runtime_error(started.error().message);
  server_ = *std::move(started);
}

ReferenceServer::~ReferenceServer() { server_.reset(); }

std::string ReferenceServer::url() const { return format("http{}://127.0.0.1:{}", tls_ ? "s" : "", server_->port()); }

std::vector<ReferenceCall> ReferenceServer::calls() {
  const std::lock_guard lock(mutex_);
  return std::exchange(calls_, {});
}

std::vector<std::string> ReferenceServer::targets() {
  std::vector<std::string> targets;
  for (ReferenceCall& call : calls()) targets.push_back(std::move(call.target));
  return targets;
}

http::Response ReferenceServer::serve(http::Request& request) {
  {
    const std::lock_guard lock(mutex_);
    calls_.push_back(
        {request.method, request.target, std::string(request.headers.get("Authorization").value_or("")), request.headers});
  }
  if (instead) return instead(request);
  auto query = http::Query::parse(request.query());
  if (!query) return refused(400, "invalid_request", query.error().message);
  return Answerer(*this, request, *std::move(query)).answer();
}

http::Response ReferenceServer::refuse(const http::Request*, int status, std::string_view what) {
  return refused(status, "api_error", what);
}

}  // namespace ladder::test_support
