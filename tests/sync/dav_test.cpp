// Calendars and contacts against a real Radicale: added, changed and deleted items, lost tokens, a server that is killed, and
// servers that lie.
#include "mail_server.h"
#include "owner.h"

#include "base/text/format.h"
#include "http/client.h"
#include "support/scratch_folder.h"

#include <boost/json/object.hpp>

#include <csignal>
#include <filesystem>
#include <map>

namespace ladder::e2e {
namespace {

using sync_tests::CutProxy;
using sync_tests::kPassword;

// A Radicale, and what another program of the account's owner does there.
class DavServer {
 public:
  DavServer() : port_(sync_tests::free_port()) { start(); }
  ~DavServer() { stop(); }
  void start() {
    server_ = std::make_unique<sync_tests::ServerProcess>(std::vector<std::string>{
        LADDER_SOURCE_DIR "/tests/support/radicale", folder_.path().string(), std::to_string(port_), kPassword});
    for (int tries = 0; tries < 200 && send("OPTIONS", "/", "") == 0; ++tries) usleep(50'000);
  }
  void stop() { server_.reset(); }
  std::string url() const { return format("http://127.0.0.1:{}", port_); }
  std::uint16_t port() const { return port_; }
  const std::filesystem::path& folder() const { return folder_.path(); }

  // Returns the status; 0 if the server does not answer.
  int send(const std::string& method, const std::string& path, const std::string& body,
           const std::string& type = "text/calendar") const {
    http::ClientOptions options;
    options.origin = url();
    http::ClientRequest request{method, path, {}, body};
    request.headers.set("Content-Type", type);
    request.headers.set("Authorization", "Basic YW5uOmNvcnJlY3QtaG9yc2UtYmF0dGVyeQ==");
    const auto answer = http::Client::create(options).value()->send(request, {});
    return answer ? answer->status : 0;
  }
  void make_calendar(const std::string& name) const {
    EXPECT_EQ(
        send(
            "MKCALENDAR", "/ann/" + name + "/",
            format(
                R"(<c:mkcalendar xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:set><d:prop><d:displayname>{} &amp; more)"
                "</d:displayname></d:prop></d:set></c:mkcalendar>",
                name),
            "application/xml"),
        201);
  }
  void put_event(const std::string& calendar, int number, const std::string& title) const {
    EXPECT_EQ(
        send("PUT", format("/ann/{}/e{}.ics", calendar, number),
             format("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:e{0}@{1}\r\nDTSTAMP:20260101T000000Z\r\n"
                    "DTSTART:20260105T100000Z\r\nSUMMARY:{2}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
                    number, calendar, title)),
        201);
  }
  void put_contact(int number) const {
    EXPECT_EQ(
        send("PUT", format("/ann/people/c{}.vcf", number),
             format("BEGIN:VCARD\r\nVERSION:3.0\r\nUID:c{0}\r\nFN:Person{0}\r\nEMAIL:p{0}@example.org\r\nEND:VCARD\r\n", number),
             "text/vcard"),
        201);
  }

 private:
  test_support::ScratchFolder folder_;
  const std::uint16_t port_;
  std::unique_ptr<sync_tests::ServerProcess> server_;
};

class Dav : public ::testing::TestWithParam<std::string> {
 protected:
  Dav() : owner(GetParam()) { owner.done({"init"}); }
  void add(const std::string& url, const std::string& kind = "caldav") {
    owner.done({"sync", "add", kind, "cal", "--url", url, "--user", "ann", "--no-test"}, std::string(kPassword) + "\n");
  }
  boost::json::value sync(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"sync", "run", "cal"};
    words.insert(words.end(), more.begin(), more.end());
    return owner.json(words).at("runs").at(0).at("report");
  }
  std::int64_t hits(std::string_view word) const {
    return std::ssize(owner.json({"search", std::string(word)}).at("data").as_array());
  }

  Owner owner;
  DavServer server;
};

TEST_P(Dav, AddedChangedAndDeletedEvents) {
  server.make_calendar("home");
  server.make_calendar("work");
  for (int i = 1; i <= 8; ++i) server.put_event("home", i, format("Dinner{}", i));
  server.put_event("work", 1, "Standup");
  add(server.url());
  const auto first = sync();
  EXPECT_EQ(number_at(first, "/fetched"), 9);
  EXPECT_EQ(number_at(first, "/folders"), 2);
  EXPECT_EQ(number_at(sync(), "/unchanged_folders"), 2) << "the tokens say so";
  const Outcome events = owner.done({"records", "events", "--connection", "calendar-cal", "--limit", "100", "--json"});
  EXPECT_NE(events.out.find("\"calendar\":\"work & more\""), std::string::npos) << events.out;

  server.put_event("home", 2, "Supper");
  server.put_event("home", 9, "Breakfast");
  EXPECT_EQ(server.send("DELETE", "/ann/home/e3.ics", ""), 200);
  const auto report = sync();
  EXPECT_EQ(number_at(report, "/fetched"), 2) << "only the changed event and the new one";
  EXPECT_EQ(number_at(report, "/removed"), 1);
  EXPECT_EQ(hits("dinner2"), 0);
  EXPECT_EQ(hits("supper"), 1);
  EXPECT_EQ(hits("breakfast"), 1);
  EXPECT_EQ(hits("dinner3"), 0);
  EXPECT_EQ(hits("dinner4"), 1);
  EXPECT_EQ(number_at(sync(), "/fetched"), 0);
}

TEST_P(Dav, ContactsAndACollectionByItsAddress) {
  EXPECT_EQ(
      server.send(
          "MKCOL", "/ann/people/",
          R"(<d:mkcol xmlns:d="DAV:" xmlns:a="urn:ietf:params:xml:ns:carddav"><d:set><d:prop><d:resourcetype><d:collection/>)"
          "<a:addressbook/></d:resourcetype></d:prop></d:set></d:mkcol>",
          "application/xml"),
      201);
  for (int i = 1; i <= 3; ++i) server.put_contact(i);
  add(server.url() + "/ann/people/", "carddav");
  EXPECT_EQ(number_at(sync(), "/fetched"), 3);
  EXPECT_EQ(hits("person2"), 1);
}

TEST_P(Dav, ALostTokenIsFollowedByACompleteListing) {
  server.make_calendar("home");
  for (int i = 1; i <= 6; ++i) server.put_event("home", i, format("Dinner{}", i));
  add(server.url());
  sync();
  server.stop();
  std::vector<std::filesystem::path> tokens;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(server.folder() / "data")) {
    if (entry.path().filename() == "sync-token") tokens.push_back(entry.path());
  }
  ASSERT_FALSE(tokens.empty());
  for (const auto& path : tokens) std::filesystem::remove_all(path);
  server.start();
  EXPECT_EQ(server.send("DELETE", "/ann/home/e6.ics", ""), 200);
  server.put_event("home", 7, "Dinner7");
  const auto report = sync();
  EXPECT_EQ(number_at(report, "/fetched"), 1) << "unchanged events are not fetched again";
  EXPECT_EQ(number_at(report, "/removed"), 1);
  EXPECT_EQ(hits("dinner7"), 1);
}

TEST_P(Dav, AnEmptiedCalendarAsksFirst) {
  server.make_calendar("home");
  for (int i = 1; i <= 5; ++i) server.put_event("home", i, format("Dinner{}", i));
  add(server.url());
  sync();
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(server.send("DELETE", format("/ann/home/e{}.ics", i), ""), 200);
  EXPECT_EQ(number_at(owner.ladder({"sync", "run", "cal", "--json"}).json().at("runs").at(0).at("report"), "/waiting_removals"),
            3);
  EXPECT_EQ(hits("dinner1"), 1);
  EXPECT_EQ(number_at(sync({"--remove-missing"}), "/removed"), 3);
  EXPECT_EQ(hits("dinner1"), 0);
}

TEST_P(Dav, ACutOrKilledServerRemovesNothing) {
  server.make_calendar("home");
  for (int i = 1; i <= 150; ++i) server.put_event("home", i, format("Dinner{}", i));
  CutProxy proxy(server.port(), 40'000, 1);
  add(format("http://127.0.0.1:{}/ann/", proxy.port()));
  const Outcome cut = owner.ladder({"sync", "run", "cal"});
  EXPECT_EQ(cut.exit_code, 1) << cut.summary();
  EXPECT_EQ(proxy.cuts(), 1);
  const auto rest = sync();
  EXPECT_EQ(number_at(rest, "/messages"), 150);
  EXPECT_EQ(number_at(rest, "/removed"), 0);
  server.stop();
  EXPECT_NE(owner.ladder({"sync", "run", "cal"}).exit_code, 0);
  EXPECT_EQ(text_at(owner.json({"sync", "list"}), "/sources/0/state"), "failing");
  server.start();
  EXPECT_EQ(number_at(sync(), "/fetched"), 0);
  EXPECT_EQ(hits("dinner150"), 1);
}

TEST_P(Dav, ARejectedPasswordIsNamed) {
  const Outcome wrong =
      owner.ladder({"sync", "add", "caldav", "cal", "--url", server.url(), "--user", "ann"}, "not-the-password\n");
  EXPECT_NE(wrong.exit_code, 0);
  EXPECT_NE(wrong.err.find("rejected the sign-in"), std::string::npos) << wrong.summary();
  EXPECT_EQ(wrong.err.find("not-the-password"), std::string::npos);
  EXPECT_EQ(wrong.err.find("grant create"), std::string::npos) << "no hint about tokens of this server";
}

INSTANTIATE_TEST_SUITE_P(Engines, Dav, ::testing::Values("sqlite", "postgres"), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ladder::e2e
