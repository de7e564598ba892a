#include "rest_fixture.h"

#include <utility>

namespace ladder::wire {

std::string_view library_declaration() {
  return R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://sources.example/library"},
    "declaration_version":"1","publisher":{"id":"https://sources.example/"},"display":{"name":"Library"},"streams":[
    {"name":"books","semantics":"mutable_state","primary_key":["id"],"cursor_field":"bought_at","consent_time_field":"bought_at",
     "display":{"label":"Books"},"selection":{"fields":true,"resources":true},
     "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},
       "title":{"type":"string","x_pdpp_type":"text","x_pdpp_role":"primary-title"},"shelf":{"type":["string","null"]},
       "pages":{"type":"integer"},"short_id":{"type":"string"},"secret":{"type":"string"},"notes":{},
       "bought_at":{"type":"string","format":"date-time"}}},
     "views":[{"id":"titles","label":"Titles","fields":["id","title"]},{"id":"all","label":"All","fields":["id","secret"]}],
     "relationships":[{"name":"chapters","stream":"chapters","foreign_key":"book_id","cardinality":"has_many"},
       {"name":"summary","stream":"summaries","foreign_key":"short_id","cardinality":"has_one"}],
     "query":{"range_filters":{"bought_at":["gte","lt"],"pages":["gte","gt","lte","lt"]},
       "search":{"lexical_fields":["title"],"semantic_fields":["title"]},
       "aggregations":{"count":true,"sum":["pages"],"min":["pages","bought_at"],"max":["pages","bought_at"],
         "group_by":["shelf"],"group_by_time":["bought_at"],"count_distinct":["shelf"]},
       "expand":[{"name":"chapters","default_limit":2,"max_limit":4},{"name":"summary"}]}},
    {"name":"chapters","semantics":"mutable_state","primary_key":["id"],"cursor_field":"no",
     "selection":{"fields":true,"resources":true},
     "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"book_id":{"type":"string"},
       "no":{"type":"integer"},"text":{"type":"string"}}}},
    {"name":"summaries","semantics":"mutable_state","primary_key":["id"],"selection":{"fields":true,"resources":true},
     "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"text":{"type":"string"}}}},
    {"name":"covers","semantics":"mutable_state","primary_key":["id"],"selection":{"fields":true,"resources":true},
     "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},
       "blob_ref":{"type":"object","required":["blob_id"],"properties":{"blob_id":{"type":"string"},
         "mime_type":{"type":"string"},"sha256":{"type":"string"},"size_bytes":{"type":"integer"}}}}}}]})";
}

std::string line(std::string_view key, std::string_view data) {
  std::string text = "{\"key\":";
  json::append_string(text, key);
  return text + ",\"data\":" + std::string(data) + "}\n";
}

// Finds the value within the body itself, so that the result lives as long as the response.
static const boost::json::value* find(const boost::json::object& body, std::string_view pointer) {
  const std::string_view rest = pointer.substr(1);
  const std::string_view first = rest.substr(0, rest.find('/'));
  const boost::json::value* found = body.if_contains(first);
  if (found == nullptr || first.size() == rest.size()) return found;
  boost::system::error_code error;
  return found->find_pointer(rest.substr(first.size()), error);
}

const boost::json::value& Answer::at(std::string_view pointer) const {
  static const boost::json::value kNone;
  const boost::json::value* found = find(body, pointer);
  if (found != nullptr) return *found;
  ADD_FAILURE() << "no " << pointer << " in " << status << ' ' << text;
  return kNone;
}

std::string Answer::string(std::string_view pointer) const {
  const auto& value = at(pointer);
  if (!value.is_string()) {
    ADD_FAILURE() << pointer << " is no string in " << text;
    return {};
  }
  return std::string(value.as_string());
}

std::int64_t Answer::number(std::string_view pointer) const {
  const auto& value = at(pointer);
  if (!value.is_int64()) {
    ADD_FAILURE() << pointer << " is no integer in " << text;
    return -1;
  }
  return value.as_int64();
}

bool Answer::has(std::string_view pointer) const { return find(body, pointer) != nullptr; }

std::vector<std::string> Answer::ids() const {
  std::vector<std::string> found;
  for (const auto& one : at("/data").as_array()) found.emplace_back(one.at("id").as_string());
  return found;
}

std::vector<std::string> Answer::warnings() const {
  std::vector<std::string> found;
  for (const auto& one : at("/meta/warnings").as_array()) found.emplace_back(one.at("code").as_string());
  return found;
}

std::string Answer::header(std::string_view name) const { return std::string(headers.get(name).value_or("")); }

http::Headers headers(std::initializer_list<std::pair<const char*, std::string>> fields) {
  http::Headers made;
  for (const auto& [name, value] : fields) made.add(name, value);
  return made;
}

static std::vector<std::string> serve_words(const std::string& location, const std::vector<std::string>& flags) {
  std::vector<std::string> words = {
      LADDER_BINARY, "serve", "--db", location, "--listen", "127.0.0.1:0", "--json", "--allow-origin", "https://app.example"};
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

Rest::Rest(const std::vector<std::string>& flags, std::vector<std::string> environment)
    : serving_(serve_words(place().location(), flags), {"/dev/null", std::move(environment)}) {
  const auto announced = serving_.read_line();
  const auto port = boost::json::parse(announced.value_or("{}")).as_object().at("port").as_int64();
  port_ = static_cast<std::uint16_t>(port);
  http::ClientOptions options;
  options.origin = format("http://127.0.0.1:{}", port);
  client_ = must(http::Client::create(options));
  owner_token_ = must(server().owner_tokens().create(owner()));
}

std::string Rest::log_line_with(std::string_view text) {
  while (const auto line = serving_.read_line(std::chrono::seconds(60))) {
    if (line->find(text) != std::string::npos) return *line;
  }
  return {};
}

// Sends one signal: a second one would kill the server at once.
void Rest::stop_serving() {
  if (!std::exchange(stopped_, true)) serving_.kill(SIGTERM);
}

void Rest::end_serving() {
  stop_serving();
  EXPECT_EQ(serving_.wait(), 0) << "a graceful end";
}

Rest::~Rest() { end_serving(); }

Answer Rest::send(std::string method, std::string target, const std::string& token, std::string body, http::Headers headers) {
  http::ClientRequest request{std::move(method), std::move(target), std::move(headers), std::move(body)};
  if (!token.empty()) request.headers.set("Authorization", "Bearer " + token);
  auto response = client_->send(request, {});
  if (!response) {
    ADD_FAILURE() << request.target << ": " << response.error().message;
    return {};
  }
  Answer answer{response->status, response->headers, std::move(response->body), {}};
  const bool is_lines = answer.header("Content-Type").find("ndjson") != std::string::npos;
  if (answer.text.starts_with('{') && !is_lines) answer.body = boost::json::parse(answer.text).as_object();
  return answer;
}

void Rest::add_library() {
  must(server().sources().add(owner(), library_declaration(), "library"));
  must(server().sources().add_connection(owner(), "library", "The shelf", "shelf"));
}

void Rest::put_lines(const std::string& stream, std::string_view lines, const std::string& connection) {
  const server::IngestReport report = ingest(lines, connection, stream);
  ASSERT_EQ(report.rejected, 0) << server::to_json(report);
}

std::vector<std::string> Rest::walk(std::string target, const std::string& token) {
  std::vector<std::string> seen;
  for (int pages = 0; pages < 1000 && !target.empty(); ++pages) {
    const Answer page = get(target, token);
    EXPECT_EQ(page.status, 200) << page.text;
    if (page.status != 200) break;
    for (std::string& id : page.ids()) seen.push_back(std::move(id));
    EXPECT_EQ(page.at("/has_more").as_bool(), page.has("/next_cursor"));
    const auto& next = page.at("/links/next");
    target = next.is_string() ? std::string(next.as_string()) : "";
  }
  return seen;
}

void Rest::expect_error(const Answer& answer, int status, std::string_view code, std::string_view param) {
  EXPECT_EQ(answer.status, status) << answer.text;
  ASSERT_TRUE(answer.has("/error/code")) << answer.text;
  EXPECT_EQ(answer.string("/error/code"), code) << answer.text;
  EXPECT_FALSE(answer.string("/error/message").empty());
  EXPECT_EQ(answer.string("/error/request_id"), answer.header("Request-Id"));
  EXPECT_EQ(answer.header("x-request-id"), answer.header("Request-Id"));
  if (!param.empty()) {
    EXPECT_EQ(answer.has("/error/param") ? answer.string("/error/param") : "", param) << answer.text;
  }
}

}  // namespace ladder::wire
