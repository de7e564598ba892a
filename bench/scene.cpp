#include "scene.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "server/window/field_text.h"
#include "store/engines/open_store.h"

#include <sched.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>

namespace ladder::bench {
namespace {

constexpr std::string_view kSearch = R"("search":{"lexical_fields":["body"]},)";

constexpr std::string_view kDeclaration = R"({"protocol_version":"0.1.0",
  "source":{"kind":"connector","id":"https://sources.example/notes"},"declaration_version":"1",
  "publisher":{"id":"https://sources.example/"},"display":{"name":"Notes"},
  "streams":[{"name":"notes","semantics":"mutable_state","primary_key":["id"],"cursor_field":"updated_at",
    "consent_time_field":"updated_at","selection":{"fields":true,"resources":true},
    "query":{SEARCH"range_filters":{"length":["gte","lt"]}},
    "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"body":{"type":"string"},
      "secret":{"type":"string"},"length":{"type":"integer"},"updated_at":{"type":"string","format":"date-time"}}}}]})";

constexpr std::array<std::string_view, 32> kWords = {"the",   "a",        "letter", "was",  "written", "in",   "haste", "and",
                                                     "sent",  "before",   "noon",   "café", "river",   "over", "hill",  "of",
                                                     "seven", "lanterns", "lit",    "our",  "way",     "home", "naïve", "song",
                                                     "about", "Zürich",   "rain",   "on",   "roofs",   "then", "sleep", "came"};

std::string declaration(bool searched) {
  constexpr std::string_view kPlace = "SEARCH";
  std::string text(kDeclaration);
  return text.replace(text.find(kPlace), kPlace.size(), searched ? kSearch : "");
}

class QuietObserver final : public server::IngestObserver {
 public:
  void durable_through(std::int64_t, const server::IngestReport&) override {}
};

}  // namespace

void give_up(const std::string& why) {
  std::fprintf(stderr, "bench: %s\n", why.c_str());
  std::exit(2);
}

void stay_on_one_core() {
  cpu_set_t allowed, one;
  CPU_ZERO(&allowed);
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) give_up("can't tell which cores may be used");
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core) {
    if (CPU_ISSET(core, &allowed)) CPU_SET(core, &one);
  }
  if (sched_setaffinity(0, sizeof one, &one) != 0) give_up("can't stay on one core");
}

void must(const Status& status) {
  if (!status) give_up(status.error().message + " " + status.error().log_detail);
}

ScratchLocation::ScratchLocation(const std::string& engine) : ScratchLocation(engine, {}, {}) {}

ScratchLocation::ScratchLocation(const std::string& engine, const std::string& keep, const std::string& name) : engine_(engine) {
  if (keep.empty()) {
    if (engine == "postgres") database_ = test_support::PostgresCluster::shared().fresh_database();
    location_ = database_ ? database_->address() : (folder_ / "store.db").string();
    return;
  }
  std::filesystem::create_directories(keep);
  const std::string file = format("{}/{}-{}", keep, engine, name);
  note_ = file + ".filled";
  if (engine == "sqlite") {
    location_ = file + ".db";
    if (is_filled()) return;
    for (const char* of_store : {"", "-wal", "-shm"}) std::filesystem::remove(location_ + of_store);
  } else {
    if (std::getenv("LADDER_TEST_POSTGRES") == nullptr) give_up("a database is kept on a server that LADDER_TEST_POSTGRES names");
    const auto whose = is_filled() ? test_support::Database::Kept::kFromBefore : test_support::Database::Kept::kFromNowOn;
    database_ = std::make_unique<test_support::Database>(test_support::PostgresCluster::shared().address(),
                                                         format("ladder_bench_{}", name), whose);
    location_ = database_->address();
  }
}

std::string ScratchLocation::files() const {
  if (!database_) return location_;
  return database_->value(
      "SELECT current_setting('data_directory') || '/base/' || oid FROM pg_database WHERE datname = current_database()");
}

bool ScratchLocation::is_filled() const { return !note_.empty() && std::filesystem::exists(note_); }

void ScratchLocation::note_filled() const {
  if (!note_.empty()) std::ofstream(note_) << "filled\n";
}

Scene::Scene(const ScratchLocation& place, Set set)
    : store_(must(
          store::open_store(place.location(), set == Set::kAlready ? store::OpenMode::kExisting : store::OpenMode::kCreate))),
      server_(*store_, Clock::system(), {place.journals(), false}) {
  if (set == Set::kAlready) return;
  must(store_->add_owner("local", Clock::system().now()));
  must(server_.sources().add(owner(), declaration(set == Set::kUpSearched), "notes"));
  must(server_.sources().add_connection(owner(), "notes", "", "work"));
}

std::string Scene::client_token() {
  server::GrantRequest request;
  request.client_id = "bench";
  request.streams = {
      {.connection_id = "work", .stream = "notes", .fields = {"id", "body"}, .since = {}, .until = {}, .records = {}}};
  return must(server_.grants().create(owner(), request)).token;
}

void Scene::ingest(const server::IngestTarget& target, std::string_view lines, server::IngestObserver& observer) {
  server::TextBytes bytes(lines);
  server::LineSource source(bytes, limits::kMaxLineBytes);
  const server::IngestReport report = must(server_.ingest().put_records(owner(), target, source, observer));
  if (report.added + report.deleted != report.attempted)
    give_up("not every line was taken: " + server::to_json(report).substr(0, 2000));
}

void Scene::ingest(std::string_view lines, server::IngestObserver& observer) { ingest({"work", "notes"}, lines, observer); }

void Scene::ingest(std::string_view lines) { ingest({"work", "notes"}, lines); }

void Scene::ingest(const server::IngestTarget& target, std::string_view lines) {
  QuietObserver observer;
  ingest(target, lines, observer);
}

std::string prose(std::int64_t chars, std::uint64_t seed) {
  std::string text;
  text.reserve(static_cast<std::size_t>(chars + chars / 16));
  for (std::int64_t made = 0; made < chars;) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    const std::string_view word = kWords[seed >> 59];
    const std::string_view part = utf8::slice(word, 0, chars - made);
    text += part;
    made += utf8::count(part);
    if (made < chars) {
      text += ' ';
      ++made;
    }
  }
  return text;
}

std::string note_line(std::string_view id, std::string_view body) {
  std::string line;
  line.reserve(body.size() + 2 * id.size() + 128);
  line +=
      format(R"({{"key":"{}","data":{{"id":"{}","updated_at":"2026-03-01T09:30:00Z","length":{},"body":")", id, id, body.size());
  line += body;  // prose needs no escapes
  return line += "\"}}\n";
}

std::int64_t in_another_process(const std::function<std::int64_t()>& work) {
  std::fflush(nullptr);
  int ends[2];
  if (::pipe(ends) != 0) give_up("no pipe can be made");
  const pid_t child = ::fork();
  if (child < 0) give_up("no other process can be made");
  std::int64_t result = 0;
  if (child == 0) {
    result = work();
    std::fflush(nullptr);
    ::_exit(::write(ends[1], &result, sizeof result) == sizeof result ? 0
                                                                      : 1);  // the server and the folders belong to the parent
  }
  ::close(ends[1]);
  const bool told = ::read(ends[0], &result, sizeof result) == sizeof result;
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!told || status != 0) give_up("the other process failed");
  return result;
}

std::vector<std::string> engines_to_run(int argc, char** argv, const std::vector<std::string>& others,
                                        std::vector<std::string>& given) {
  std::vector<std::string> engines;
  for (const std::string word : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    if (word == "sqlite" || word == "postgres") engines.push_back(word);
    else if (std::ranges::find(others, word) != others.end()) given.push_back(word);
    else give_up(format("\"{}\" is none of: sqlite postgres {}", word, fmt::join(others, " ")));
  }
  if (engines.empty()) engines = {"sqlite", "postgres"};
  return engines;
}

}  // namespace ladder::bench
