// Measures how long the owner's pages take over many records, and their size in bytes. A real `ladder serve` answers
// over HTTP, as for a browser, over a store of mail-like records with a client that has read much of it.
//
//   bench_pages [sqlite|postgres] [--million] [--quick]     100,000 records; --million: 1,000,000; --quick: 10,000
#include "child.h"
#include "report.h"
#include "scene.h"
#include "wrk.h"

#include "auth/authorization.h"
#include "base/text/format.h"
#include "html/html.h"
#include "http/client.h"
#include "pages/form.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>

namespace ladder::bench {
namespace {

constexpr int kTurns = 15, kBatch = 20'000, kThread = 8;
constexpr int kSeenRecords = 10'000, kSearches = 200, kHits = 25, kListed = 100;
constexpr std::size_t kMaxFirstLoad = 80 * 1000;  // a page with its stylesheet and script
constexpr double kMaxMs = 50, kMaxMsOfMillion = 200;
constexpr int kMillion = 1'000'000;
// One record in this many has the rare word, and one in this many the common word.
constexpr int kRare = 5'000, kCommon = 7;

constexpr std::string_view kDeclaration = R"({"protocol_version":"0.1.0",
  "source":{"kind":"connector","id":"https://sources.example/post"},"declaration_version":"1",
  "publisher":{"id":"https://sources.example/"},"display":{"name":"Post"},
  "streams":[{"name":"messages","semantics":"mutable_state","primary_key":["id"],"cursor_field":"date",
    "consent_time_field":"date","selection":{"fields":true,"resources":true},
    "query":{"search":{"lexical_fields":["subject","text"]},"range_filters":{"date":["gte","gt","lte","lt"]}},
    "schema":{"type":"object","required":["id","date"],"properties":{"id":{"type":"string"},"thread":{"type":"string"},
      "from":{"type":"string","x_pdpp_role":"actor"},"subject":{"type":"string","x_pdpp_role":"primary-title"},
      "text":{"type":"string","x_pdpp_role":"primary-text"},
      "date":{"type":"string","format":"date-time","x_pdpp_role":"event-time"}}}}]})";

class NoDocuments final : public auth::DocumentFetcher {
 public:
  Result<Document> fetch(const std::string&) override { return fail(Code::kInvalidRequest, "there is no network here"); }
};

std::string message_line(int n, int records) {
  // Spreads the records evenly over the last ten years.
  const Instant step = 10 * 365 * kDay / records;
  const Instant at = Clock::system().now() - static_cast<Instant>(records - n) * step;
  std::string text = prose(300, static_cast<std::uint64_t>(n));
  if (n % kRare == 0) text += " quagga";
  if (n % kCommon == 0) text += " kitchen tiles";
  return format(
      R"({{"key":"m{0}","data":{{"id":"m{0}","thread":"t{1}","from":"Person {2} <p{2}@example.org>","subject":"{3}","text":"{4}","date":"{5}"}}}})"
      "\n",
      n, n / kThread, n % 97, prose(40, static_cast<std::uint64_t>(n) + 7), text, format_time(at));
}

struct Page {
  std::string name, path;
  Samples times = {};
  double first_ms = 0;  // the first request, with nothing in memory
  std::size_t bytes = 0;
};

class PagesBench {
 public:
  PagesBench(const std::string& engine, int records, Report& report) : place_(engine), report_(report), records_(records) {
    fill();
    ladder_ = std::make_unique<ServedStore>(std::vector<std::string>{"--db", place_.location(), "--owner", "local"},
                                            (folder_ / "access.log").string());
    http::ClientOptions options;
    options.origin = format("http://localhost:{}", ladder_->port);
    client_ = must(http::Client::create(options));
  }

  void run() {
    progress(format("{}: pages", place_.name_in_table()));
    std::vector<Page> pages = all_pages();
    for (Page& page : pages) {
      Samples first;
      page.bytes = first.time([&] { return get(page.path); }).size();
      page.first_ms = first.p50() / 1000;
    }
    const std::size_t assets = asset_bytes(get("/"));
    for (int turn = 0; turn < kTurns; ++turn) {
      for (Page& page : pages) page.times.time([&] { return get(page.path); });
    }
    const double bar = records_ >= kMillion ? kMaxMsOfMillion : kMaxMs;
    const std::string of = format("{}, {}: ", place_.name_in_table(), grouped(records_));
    for (const Page& page : pages) {
      const double ms = page.times.p50() / 1000;
      const std::size_t load = page.bytes + assets;
      report_.below(of + page.name,
                    format("{:.1f} ms, first {:.0f} ms, {:.0f} + {:.0f} KB", ms, page.first_ms,
                           static_cast<double>(page.bytes) / 1000, static_cast<double>(assets) / 1000),
                    ms <= bar && load <= kMaxFirstLoad, format("{:.0f} ms, 80 KB", bar));
    }
    measure_new_reads(of, bar);
  }

 private:
  // Measures the owner's pages right after a client's read, when the cached figures of a page are stale.
  void measure_new_reads(const std::string& of, double bar) {
    Samples times;
    for (int turn = 0; turn < kTurns; ++turn) {
      read_as_client(format("/v1/streams/messages/records?limit={}", kListed));
      times.time([&] { return get("/clients"); });
    }
    const double ms = times.p50() / 1000;
    report_.below(of + "clients, after new reads", format("{:.1f} ms", ms), ms <= bar, format("{:.0f} ms", bar));
  }

  void fill() {
    progress(format("{}: writing {} records", place_.name_in_table(), grouped(records_)));
    in_another_process([&] {
      Scene scene(place_, Scene::Set::kUp);
      must(scene.server().sources().add(scene.owner(), std::string(kDeclaration), "post"));
      must(scene.server().sources().add_connection(scene.owner(), "post", "Post", "post"));
      for (int made = 0; made < records_; made += kBatch) {
        std::string lines;
        for (int n = made; n < std::min(made + kBatch, records_); ++n) lines += message_line(n, records_);
        scene.ingest({"post", "messages"}, lines);
      }
      return 0;
    });
    progress(place_.name_in_table() + ": reading as a client");
    Scene scene(place_, Scene::Set::kAlready);
    server::GrantRequest request;
    request.client_id = "reader";
    request.streams = {{.connection_id = "post",
                        .stream = "messages",
                        .fields = {"id", "date", "from", "subject", "text"},
                        .since = {},
                        .until = {},
                        .records = {}}};
    token_ = must(scene.server().grants().create(scene.owner(), request)).token;
    const server::Access reader = must(scene.server().accesses().authenticate(token_));
    api::RecordsRequest list;
    list.scope.connector_key = "post";
    list.stream = "messages";
    list.limit = kListed;
    for (int read = 0; read < std::min(kSeenRecords, records_); read += kListed) {
      list.cursor = must(scene.server().reads().records(reader, list)).next_cursor;
    }
    api::SearchRequest search;
    search.q = "kitchen";
    search.limit = kHits;
    for (int i = 0; i < kSearches; ++i) (void)must(scene.server().search().find(reader, search));
    must(scene.server().ledger().page(scene.owner(), {}));  // runs the sweep
    auth::AuthorizationServer authorization(scene.server(), scene.store(), std::make_unique<NoDocuments>(), Clock::system());
    const std::string link = must(authorization.owners().make_link(scene.owner()));
    cookie_ = must(authorization.owners().use_link(link, "", {"127.0.0.1", "bench"})).cookie;
  }

  std::vector<Page> all_pages() {
    const std::string record = html::Url::encoded(format("post/messages:m{}", records_ - 1));
    std::vector<Page> pages = {{"home", "/"},
                               {"explore, the newest", "/explore"},
                               {"explore, a rare word", "/explore?q=quagga"},
                               {"explore, two words of a seventh", "/explore?q=kitchen+tiles"},
                               {"explore, nothing found", "/explore?q=xylophonist"},
                               {"a record", "/record?id=" + record},
                               {"a record as a client sees it", "/record?id=" + record + "&as=reader"},
                               {"sources", "/sources"},
                               {"import", "/import"},
                               {"erase", "/sources/erase?connection=post"},
                               {"clients", "/clients"},
                               {"a client", "/client?id=reader"},
                               {"narrow", "/client/narrow?id=reader"},
                               {"requests", "/requests"},
                               {"ledger", "/ledger"},
                               {"ledger, of a client", "/ledger?client=reader"},
                               {"ledger, of a record", "/ledger/record?id=" + record},
                               {"settings", "/settings"},
                               {"end all access", "/panic"}};
    const std::string ledger = get("/ledger");
    const std::string mark = "href=\"/ledger/entry?";
    if (const std::size_t at = ledger.find(mark); at != std::string::npos) {
      const std::size_t from = at + 6;
      pages.push_back({"ledger, an answer", ledger.substr(from, ledger.find('"', from) - from)});
    } else {
      give_up("the ledger's page folds no answer");
    }
    return pages;
  }

  std::string get(const std::string& path) {
    http::ClientRequest request;
    request.target = path;
    request.headers.set("Accept", "text/html");
    request.headers.set("Cookie", format("{}={}", pages::kCookieName, cookie_));
    return send(request);
  }
  void read_as_client(const std::string& path) {
    http::ClientRequest request;
    request.target = path;
    request.headers.set("Authorization", "Bearer " + token_);
    (void)send(request);
  }
  std::string send(const http::ClientRequest& request) {
    const auto answer = client_->send(request, {});
    if (!answer) give_up(answer.error().message);
    if (answer->status != 200) give_up(format("{} is {}: {}", request.target, answer->status, answer->body.substr(0, 2000)));
    return answer->body;
  }

  // Returns the size of the stylesheet and the script as a browser downloads them.
  std::size_t asset_bytes(const std::string& page) {
    std::set<std::string> paths;
    constexpr std::string_view kBegin = "\"/assets/";
    for (std::size_t at = page.find(kBegin); at != std::string::npos; at = page.find(kBegin, at + 1)) {
      paths.insert(page.substr(at + 1, page.find('"', at + 1) - at - 1));
    }
    std::size_t bytes = 0;
    for (const std::string& path : paths) {
      http::ClientRequest request;
      request.target = path;
      request.headers.set("Accept-Encoding", "gzip, deflate, br");
      bytes += send(request).size();
    }
    return bytes;
  }

  static std::string grouped(int number) {
    std::string text = std::to_string(number);
    for (auto at = std::ssize(text) - 3; at > 0; at -= 3) text.insert(static_cast<std::size_t>(at), ",");
    return text;
  }

  ScratchLocation place_;
  Report& report_;
  int records_;
  test_support::ScratchFolder folder_;
  std::string token_, cookie_;
  std::unique_ptr<ServedStore> ladder_;
  std::unique_ptr<http::Client> client_;
};

int run(int argc, char** argv) {
  std::vector<std::string> given;
  const auto engines = engines_to_run(argc, argv, {"--million", "--quick"}, given);
  const auto is_given = [&](std::string_view word) { return std::ranges::find(given, word) != given.end(); };
  const int records = is_given("--million") ? kMillion : is_given("--quick") ? 10'000 : 100'000;
  Report report("the owner's pages over HTTP: p50, the first time, bytes of the page and of its assets");
  for (const std::string& engine : engines) PagesBench(engine, records, report).run();
  report.print();
  return report.exit_code();
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) { return ladder::bench::run(argc, argv); }
