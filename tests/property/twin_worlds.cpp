#include "property/twin_worlds.h"

#include <algorithm>

namespace ladder::test_support {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

World::World(std::unique_ptr<store::Store> store, StillClock& clock, unsigned secret_seed)
    : store_(std::move(store)), clock_(clock), random_(secret_seed), server_(*store_, clock_) {
  for (const char* owner : {"local", "other"}) must(store_->add_owner(owner, clock_.now()));
  // Row numbers differ between the worlds from the start.
  for (unsigned i = 0; i < 1 + secret_seed % 3; ++i) {
    const server::Access other = must(server_.accesses().local_owner("other"));
    must(server_.sources().add(other, notes_declaration(format("https://sources.example/other{}", i)), format("other{}", i)));
    must(server_.sources().add_connection(other, format("other{}", i), "", format("other{}", i)));
  }
  const server::Access owner = must(server_.accesses().local_owner("local"));
  must(server_.sources().add(owner, notes_declaration(), "notes"));
  if (secret_seed % 2 == 0) must(server_.sources().add_connection(owner, "notes", "", "work"));
  must(server_.sources().add(owner, library_declaration(), "library"));
  for (const char* connection : {"home", "cabin", "attic"})
    must(server_.sources().add_connection(owner, "library", connection, connection));
  rest::ServiceOptions options;
  options.live.hosts.bound_address = "127.0.0.1";
  options.version = "test";
  service_ = must(rest::Service::create(server_, options, clock_, log_));
}

void World::grant(const GrantShape& shape) {
  shape_ = shape;
  server::GrantRequest request;
  request.client_id = "agent";
  request.streams = shape.streams;
  token_ = must(server_.grants().create(must(server_.accesses().local_owner("local")), request)).token;
}

void World::put_line(const std::string& connection, const std::string& stream, std::string_view line) {
  TextSource bytes(line);
  server::LineSource source(bytes, limits::kMaxLineBytes);
  QuietObserver observer;
  const server::IngestReport report =
      must(server_.ingest().put_records(must(server_.accesses().local_owner("local")), {connection, stream}, source, observer));
  EXPECT_EQ(report.accepted, 1) << server::to_json(report) << line;
}

// Returns every field of a book that the client may not see.
std::string World::hidden_members() {
  std::string members;
  const auto add = [&](std::string_view field, const std::string& value) {
    if (!contains(shape_.fields, field)) members += format(",\"{}\":{}", field, value);
  };
  add("secret", format("\"title {} shelf {} {}\"", one_of(9), one_of(5), std::string(one_of(5'000), 's')));
  add("shelf", one_of(3) == 0 ? "null" : format("\"shelf {}\"", one_of(5)));
  add("pages", std::to_string(one_of(900)));
  add("cover_id", format("\"h{}\"", one_of(40)));
  add("lent", one_of(2) == 0 ? "true" : "false");
  add("read_at", format("\"20{:02}-01-01T00:00:00Z\"", 10 + one_of(15)));
  add("bought_at", format("\"2025-{:02}-15T00:00:00Z\"", 1 + one_of(12)));  // within every grant's time range
  if (one_of(4) != 0) add("title", format("\"hidden {}\"", one_of(100)));
  if (one_of(4) == 0) members += format(",\"undeclared{}\":{}", one_of(3), one_of(9));
  return members;
}

void World::write_shown(const std::string& connection, const std::string& id, const std::string& emitted_at) {
  const std::string& members = shown_[{connection, id}].members;
  put_line(connection, "books",
           format("{{\"key\":\"{0}\",\"emitted_at\":\"{1}\",\"data\":{{\"id\":\"{0}\"{2}{3}}}}}\n", id, emitted_at,
                  members.empty() ? "" : "," + members, hidden_members()));
}

void World::put_shown(const std::string& connection, const std::string& id, const std::string& shown,
                      const std::string& emitted_at) {
  shown_[{connection, id}] = {shown, emitted_at};
  write_shown(connection, id, emitted_at);
}

void World::delete_shown(const std::string& connection, const std::string& id) {
  shown_.erase({connection, id});
  put_line(connection, "books", format("{{\"key\":\"{}\",\"op\":\"delete\",\"data\":{{}}}}\n", id));
}

// Adds a record that no grant shape shows: of another stream, connection, time or key.
void World::put_hidden_record() {
  const std::string id = format("h{}", one_of(40));
  const unsigned kind = one_of(4);
  if (kind == 0) return put_line("attic", "books", record_line(id, "\"bought_at\":\"2025-01-01T00:00:00Z\""));
  if (kind == 1) return put_line("cabin", "covers", record_line(id, "\"colour\":\"red\""));
  if (shape_.since || shape_.until || !shape_.records.empty()) {
    const std::string_view far = !shape_.until || one_of(2) == 0 ? "1999-01-01T00:00:00Z" : "2060-01-01T00:00:00Z";
    return put_line(
        one_of(2) == 0 ? "home" : "cabin", "books",
        record_line(id, format("\"bought_at\":\"{}\",\"title\":\"title {}\",\"pages\":{}", far, one_of(9), one_of(900))));
  }
  put_line("attic", "loans", record_line(format("{}-{}", id, ++emissions_), "\"book\":\"s1\",\"at\":\"2025-01-01T00:00:00Z\""));
}

// An import report counts all its files, granted or not.
void World::add_import_report() {
  const std::string body = format(
      R"({{"what":"books","file":"books-{0}.csv","complete":{1},"streams":[{{"stream":"books","read":{0},"from":"19{2}-01-01T00:00:00Z","to":"2060-01-01T00:00:00Z"}}],"lost":{0}}})",
      one_of(1000), one_of(2) == 0 ? "true" : "false", 10 + one_of(90));
  must(server_.imports().put(must(server_.accesses().local_owner("local")), one_of(2) == 0 ? "home" : "cabin",
                             format("unit{}", one_of(3)), body));
}

void World::change_hidden_data(const std::vector<std::pair<std::string, std::string>>& shown) {
  if (one_of(3) == 0) add_import_report();
  const unsigned times = one_of(12);
  for (unsigned i = 0; i < times; ++i) {
    const unsigned what = one_of(4);
    if (what == 0 && !shown.empty()) {
      const auto& [connection, id] = shown[one_of(static_cast<unsigned>(shown.size()))];
      write_shown(connection, id, format("2027-01-01T00:00:{:02}Z", ++emissions_ % 60));
    } else if (what == 1) {
      const std::string id = format("h{}", one_of(40));
      put_line("attic", "books", format("{{\"key\":\"{}\",\"op\":\"delete\",\"data\":{{}}}}\n", id));
    } else {
      put_hidden_record();
    }
  }
}

Answer World::ask(const std::string& target) {
  http::Request request;
  request.method = "GET";
  request.target = target;
  request.headers.set("Host", "127.0.0.1:7663");
  request.headers.set("Authorization", "Bearer " + token_);
  http::Response response = service_->serve(request);
  Answer answer{response.status, std::move(response.body)};
  for (std::string piece; response.stream;) {
    if (!must(response.stream->next(piece))) break;
    answer.body += piece;
  }
  return answer;
}

}  // namespace ladder::test_support
