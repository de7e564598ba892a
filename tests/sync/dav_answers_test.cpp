// Calendars on servers whose answers are not complete: nothing is removed, and nothing is left out for ever.
#include "support/server_fixture.h"
#include "sync/dav_sync.h"
#include "sync/synchronizer.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <set>
#include <thread>

namespace ladder::sync {
namespace {

using test_support::must;

class KeptRecords final : public RecordSink {
 public:
  Result<std::vector<StoredItem>> import(const std::filesystem::path& staged) override {
    std::vector<StoredItem> stored;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(staged)) {
      if (!entry.is_regular_file()) continue;
      const auto uid = static_cast<imap::Uid>(std::stoul(entry.path().filename().string()));
      stored.push_back({uid, {{"events", format("e{}", uid)}}});
      records.insert(format("e{}", uid));
    }
    return stored;
  }
  Status set_flags(std::span<const FlagChange>) override { return {}; }
  Status remove(std::span<const RecordKey> removed) override {
    for (const RecordKey& each : removed) records.erase(each.key);
    return {};
  }
  Result<bool> is_shared() override { return false; }
  void lose(const std::string&, imap::Uid, std::string) override {}

  std::set<std::string> records;
};

// A calendar at /cal/ whose listing and content are what the test says.
class CalendarServer {
 public:
  CalendarServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }
  ~CalendarServer() {
    thread_.request_stop();
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  std::string url() const { return format("http://127.0.0.1:{}/cal/", port_); }

  // Changed only between runs.
  std::set<int> events;
  std::set<int> withheld;  // not in the answer that has the content
  std::string more;        // further responses of listings
  std::string tag = "1";

 private:
  static std::string response(int event, const std::string& data = "") {
    return format(
        "<d:response><d:href>/cal/{0}.ics</d:href><d:propstat><d:prop><d:getetag>\"{0}\"</d:getetag>{1}</d:prop>"
        "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>",
        event, data);
  }
  std::string answer(const std::string& request) const {
    std::string body;
    if (request.starts_with("REPORT")) {
      for (const int event : events) {
        if (request.find(format("/cal/{}.ics<", event)) == std::string::npos || withheld.contains(event)) continue;
        body += response(event, "<c:calendar-data>BEGIN:VCALENDAR\nEND:VCALENDAR</c:calendar-data>");
      }
    } else if (request.find("getctag") != std::string::npos) {
      body = format(
          "<d:response><d:href>/cal/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/><c:calendar/></d:resourcetype>"
          "<s:getctag>{}</s:getctag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>",
          tag);
    } else {
      for (const int event : events) body += response(event);
      body += more;
    }
    return format(
        "<d:multistatus xmlns:d='DAV:' xmlns:c='urn:ietf:params:xml:ns:caldav' "
        "xmlns:s='http://calendarserver.org/ns/'>{}</d:multistatus>",
        body);
  }
  void serve(const std::stop_token& stop) const {
    while (!stop.stop_requested()) {
      const int socket = ::accept(listener_, nullptr, nullptr);
      if (socket < 0) return;
      std::string request;
      for (char buffer[4096]; !request.ends_with("propfind>") && !request.ends_with("multiget>");) {
        const auto got = ::recv(socket, buffer, sizeof buffer, 0);
        if (got <= 0) break;
        request.append(buffer, static_cast<std::size_t>(got));
      }
      const std::string body = answer(request);
      const std::string whole =
          format("HTTP/1.1 207 Multi-Status\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}", body.size(), body);
      EXPECT_EQ(::send(socket, whole.data(), whole.size(), MSG_NOSIGNAL), std::ssize(whole));
      ::close(socket);
    }
  }

  int listener_;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

class DavAnswers : public test_support::ServerFixture {
 protected:
  DavAnswers() {
    source_.name = "cal";
    source_.kind = Kind::kCalDav;
    source_.connection = "calendar-cal";
  }
  RunReport run() {
    std::shared_ptr<dav::Client> client = must(dav::Client::open({server_.url(), "ann", "x"}, dav::Service::kCalendars, {}));
    SyncStore states(store(), clock());
    return must(run_source(source_, states, owner(), dav_folders(client, dav::Service::kCalendars), records_,
                           {0, 0, place().folder() / "staging"}));
  }

  Source source_;
  CalendarServer server_;
  KeptRecords records_;
};

TEST_P(DavAnswers, AShortenedListingRemovesNothing) {
  server_.events = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(run().fetched, 6);
  for (const char* const response :
       {"<d:response><d:href>/cal/</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status></d:response>",
        "<d:response><d:href>/cal/6.ics</d:href><d:status>HTTP/1.1 500 Internal Server Error</d:status></d:response>",
        "<d:response><d:href>/cal/6.ics</d:href><d:propstat><d:prop><d:getetag/></d:prop><d:status>HTTP/1.1 403 "
        "Forbidden</d:status></d:propstat></d:response>"}) {
    server_.tag = "2";
    server_.events = {1, 2, 3, 4, 5};
    server_.more = response;
    const RunReport report = run();
    EXPECT_TRUE(report.is_incomplete) << response;
    EXPECT_EQ(report.removed, 0) << response;
    EXPECT_EQ(records_.records.size(), 6U) << response;
  }
  server_.more.clear();
  EXPECT_EQ(run().removed, 1) << "the tag of a shortened listing is not kept";
}

TEST_P(DavAnswers, AnEventThatWasNotDeliveredIsFetchedLater) {
  server_.events = {1, 2, 3};
  server_.withheld = {2};
  EXPECT_EQ(run().fetched, 2);
  EXPECT_EQ(run().fetched, 0);
  server_.withheld.clear();
  EXPECT_EQ(run().fetched, 1) << "although the tag is the same";
  EXPECT_EQ(run().unchanged, 1);
}

LADDER_FOR_EVERY_ENGINE(DavAnswers);

}  // namespace
}  // namespace ladder::sync
