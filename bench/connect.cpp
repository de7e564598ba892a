// Measures consent over 100,000 records: opening the page, updating the preview after a choice, and issuing the token,
// compared with the bare commit of one row of the same table. Redirects come from unauthenticated clients, so the time
// for a million wrong redirect URIs is measured as well; none may be accepted.
//
//   bench_connect [sqlite|postgres] [--quick]     --quick: 10,000 records and 100,000 redirects
#include "report.h"
#include "scene.h"

#include "auth/authorization.h"
#include "base/text/base64.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "crypto/random.h"
#include "html/html.h"
#include "oauth/endpoints.h"
#include "pages/site.h"

#include <random>

namespace ladder::bench {
namespace {

constexpr std::string_view kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
constexpr std::string_view kBack = "https://claude.ai/api/mcp/auth_callback";
constexpr double kMaxPageMs = 50, kMaxPreviewMs = 200, kMaxTokenOverCommitMs = 1;
constexpr int kPages = 60, kTokens = 60, kBatch = 1000;

class NoDocuments final : public auth::DocumentFetcher {
 public:
  Result<Document> fetch(const std::string&) override { return fail(Code::kInvalidRequest, "there is no network here"); }
};

std::string field(std::string_view name, std::string_view value) { return format("{}={}&", name, html::Url::encoded(value)); }

// Returns the value of a page's hidden field.
std::string hidden(const std::string& page, std::string_view name) {
  const std::string mark = format("name=\"{}\" value=\"", name);
  const auto at = page.find(mark);
  if (at == std::string::npos) give_up(format("the page has no field {}: {}", name, page.substr(0, 2000)));
  return page.substr(at + mark.size(), page.find('"', at + mark.size()) - at - mark.size());
}

class ConnectBench {
 public:
  ConnectBench(const std::string& engine, int records, Report& report) : place_(engine), report_(report), records_(records) {
    progress(format("{}: writing {} records", place_.name_in_table(), records));
    in_another_process([&] {
      Scene scene(place_, Scene::Set::kUpSearched);
      for (int made = 0; made < records; made += kBatch) {
        std::string lines;
        for (int i = made; i < made + kBatch; ++i) lines += line(i);
        scene.ingest(lines);
      }
      return 0;
    });
    scene_ = std::make_unique<Scene>(place_, Scene::Set::kAlready);
    authorization_ = std::make_unique<auth::AuthorizationServer>(scene_->server(), scene_->store(),
                                                                 std::make_unique<NoDocuments>(), Clock::system());
    site_ = std::make_unique<pages::Site>(*authorization_);
    oauth_ = std::make_unique<oauth::Endpoints>(*authorization_);
    const std::string link = must(authorization_->owners().make_link(scene_->owner()));
    cookie_ = must(authorization_->owners().use_link(link, "", {"127.0.0.1", "bench"})).cookie;
    client_ = authorization_->clients()
                  .add(format(R"({{"client_name":"Bench","redirect_uris":["{}"]}})", kBack), "127.0.0.1")
                  .value()
                  .client.client_id;
  }

  void run() {
    progress(place_.name_in_table() + ": pages");
    Samples opened, previewed, token, commit;
    for (int i = 0; i < kPages; ++i) {
      const std::string id = ask();
      const auto page = opened.time([&] { return get(id); });
      if (page.status != 200) give_up(page.body);
      (void)previewed.time([&] { return post(id, page.body, "preview", "", i % 2 == 0 ? "12m" : "all"); });
    }
    progress(place_.name_in_table() + ": tokens");
    for (int i = 0; i < kTokens; ++i) {
      const std::string form = redeemable();
      http::Request request = this->request("POST", "/oauth/token");
      request.headers.set("Content-Type", "application/x-www-form-urlencoded");
      request.body = form;
      const auto answer = token.time([&] { return oauth_->token(request, here_); });
      if (answer.status != 200) give_up(answer.body);
      store::AuthChange change;
      change.puts.push_back({"bench", crypto::random_hex(16), 0, "{}", 1, std::nullopt, 0});
      commit.time([&] { return must(scene_->store().auth().apply(change)); });
    }
    const std::string of = format("{}, {} records: ", place_.name_in_table(), records_);
    report_.below(of + "the consent page", opened.text(), opened.p50() <= kMaxPageMs * 1000, format("{} ms", kMaxPageMs));
    report_.below(of + "a preview", previewed.text(), previewed.p50() <= kMaxPreviewMs * 1000, format("{} ms", kMaxPreviewMs));
    report_.below(of + "a token, beside a commit of " + commit.text(), token.text(),
                  token.p50() - commit.p50() <= kMaxTokenOverCommitMs * 1000, format("{} ms more", kMaxTokenOverCommitMs));
  }

 private:
  static std::string line(int i) {
    // One record per hour, going back from the autumn of 2026.
    const Instant at = 1'790'000'000LL * kSecond - static_cast<Instant>(i) * 3600 * kSecond;
    return format("{{\"key\":\"n{0}\",\"data\":{{\"id\":\"n{0}\",\"updated_at\":\"{1}\",\"length\":300,\"body\":\"{2}\"}}}}\n", i,
                  format_time(at), prose(300, static_cast<std::uint64_t>(i)));
  }

  http::Request request(std::string method, std::string target) const {
    http::Request request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.remote_address = "127.0.0.1";
    request.headers.set("Host", "data.example");
    return request;
  }
  http::Request of_owner(std::string method, std::string target) const {
    http::Request request = this->request(std::move(method), std::move(target));
    request.headers.set("Cookie", format("{}={}", pages::kCookieName, cookie_));
    request.headers.set("Origin", here_.base);
    return request;
  }

  std::string ask() {
    auth::AuthorizeParameters asked;
    asked.client_id = client_;
    asked.redirect_uri = kBack;
    asked.response_type = "code";
    asked.challenge = base64url::encode(crypto::view(crypto::sha256(kVerifier)));
    asked.challenge_method = "S256";
    asked.details =
        R"([{"type":"https://pdpp.dev/data-access","source":{"kind":"connector","id":"https://sources.example/notes"},)"
        R"("purpose_code":"https://pdpp.dev/purpose/agent_context","access_mode":"continuous",)"
        R"("streams":[{"name":"notes","fields":["body","updated_at"]}]}])";
    const auto begun = authorization_->requests().begin(asked, here_);
    if (!begun) give_up(begun.error().description);
    return begun->id;
  }

  http::Response get(const std::string& id) {
    return site_->serve(&pages::Site::consent, pages::Gate::Audience::kOwner, of_owner("GET", "/consent?request=" + id), here_);
  }
  http::Response post(const std::string& id, const std::string& page, std::string_view action, std::string_view shown,
                      std::string_view period) {
    http::Request request = of_owner("POST", "/consent");
    request.headers.set("Content-Type", "application/x-www-form-urlencoded");
    request.body = field("csrf", hidden(page, "csrf")) + field("request", id) + field("s", "notes/notes") +
                   field("f", "notes/notes\tbody") + field("t", period) + field("d", "30d") + field("do", action) +
                   field("shown", shown);
    return site_->serve(&pages::Site::consent, pages::Gate::Audience::kOwner, request, here_);
  }

  // Returns a token request with a code that the owner has just approved.
  std::string redeemable() {
    const std::string id = ask();
    const std::string page = get(id).body;
    const std::string preview = post(id, page, "preview", "", "12m").body;
    if (post(id, preview, "allow", hidden(preview, "shown"), "12m").status != 303) give_up("it could not be allowed");
    const auto request = must(authorization_->requests().open(id, scene_->owner()));
    const std::string code = must(authorization_->consents().issue_code(request));
    return field("grant_type", "authorization_code") + field("client_id", client_) + field("code", code) +
           field("redirect_uri", kBack) + field("code_verifier", kVerifier);
  }

  ScratchLocation place_;
  Report& report_;
  int records_;
  auth::ServerUrl here_{"https://data.example"};
  std::unique_ptr<Scene> scene_;
  std::unique_ptr<auth::AuthorizationServer> authorization_;
  std::unique_ptr<pages::Site> site_;
  std::unique_ptr<oauth::Endpoints> oauth_;
  std::string cookie_, client_;
};

// Tries nearly correct redirect URIs with a client that has five registered ones of different kinds.
void mutate_redirects(int count, Report& report) {
  auth::Client client;
  client.redirect_uris = {std::string(kBack), "http://127.0.0.1/callback", "http://localhost:8787/callback",
                          "cursor://anysphere.cursor-mcp/oauth/callback", "https://app.example:8443/back?x=1"};
  constexpr std::string_view kBytes = "abcxyz0189./:@?#%\\&=-_~[]\t\n <>\"'";
  std::mt19937 random(11);
  std::int64_t accepted = 0;
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    const std::string& known = client.redirect_uris[random() % client.redirect_uris.size()];
    std::string mutated = known;
    for (auto changes = random() % 4 + 1; changes > 0; --changes) {
      const std::size_t at = random() % (mutated.size() + 1);
      const char byte = random() % 16 == 0 ? static_cast<char>(random() % 256) : kBytes[random() % kBytes.size()];
      switch (random() % 4) {
        case 0:
          mutated.insert(at, 1, byte);
          break;
        case 1:
          if (at < mutated.size()) mutated.erase(at, 1);
          break;
        case 2:
          mutated.insert(at, client.redirect_uris[random() % client.redirect_uris.size()].substr(0, random() % 24));
          break;
        default:
          if (at < mutated.size()) mutated[at] = byte;
      }
    }
    // Loopback redirects may use any port.
    const auto right = auth::parse_uri(known), wrong = auth::parse_uri(mutated);
    const bool same_but_port = right && wrong && right->scheme == "http" && wrong->scheme == "http" &&
                               right->host == wrong->host && right->path == wrong->path && right->query == wrong->query &&
                               !wrong->has_user && !wrong->has_fragment;
    if (mutated != known && !same_but_port && auth::may_redirect(client, mutated)) ++accepted;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  report.below(format("{} mutated redirects, {:.1f} s: accepted", count, took.count()), std::to_string(accepted), accepted == 0,
               "0");
}

int run(int argc, char** argv) {
  std::vector<std::string> given;
  const auto engines = engines_to_run(argc, argv, {"--quick"}, given);
  const bool quick = !given.empty();
  Report report("Consent and tokens");
  mutate_redirects(quick ? 100'000 : 1'000'000, report);
  for (const std::string& engine : engines) ConnectBench(engine, quick ? 10'000 : 100'000, report).run();
  report.print();
  return report.exit_code();
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) { return ladder::bench::run(argc, argv); }
