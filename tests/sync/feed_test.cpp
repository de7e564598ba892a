// Synced feeds against a real HTTP server: what is new, what is not asked for again, and servers that are hostile or gone.
#include "owner.h"

#include "base/text/format.h"
#include "support/child_process.h"
#include "support/scratch_folder.h"
#include "sync/feed_sync.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

namespace ladder::e2e {
namespace {

using namespace std::chrono_literals;

class FeedServer {
 public:
  FeedServer()
      : process_({"/usr/bin/python3", LADDER_SOURCE_DIR "/tests/support/feed_server.py", folder_.path().string()}),
        port_(process_.read_line().value_or("")) {}

  std::string url(std::string_view path) const { return format("http://127.0.0.1:{}/{}", port_, path); }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }
  // A feed of the entries first to last.
  void publish(int first, int last, std::string_view text = "The text of entry") const {
    std::string feed = "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Rungs</title>";
    for (int i = first; i <= last; ++i)
      feed += format(
          "<item><guid>g{0}</guid><title>Title {0}</title><author>Ada</author><pubDate>Tue, 03 Jun 2025 09:{0:02}:00 GMT"
          "</pubDate><description>&lt;p&gt;{1} word{0}&lt;/p&gt;</description></item>",
          i, text);
    write("feed.xml", feed + "</channel></rss>");
  }
  std::vector<boost::json::value> requests() const {
    std::vector<boost::json::value> all;
    std::ifstream file(folder_.path() / "requests");
    for (std::string line; std::getline(file, line);) all.push_back(boost::json::parse(line));
    return all;
  }

 private:
  test_support::ScratchFolder folder_;
  test_support::ChildProcess process_;
  std::string port_;
};

class SyncedFeed : public EveryEngine {
 protected:
  SyncedFeed() { owner.done({"init"}); }

  Outcome add(const std::string& path, std::vector<std::string> more = {"--allow-private"}) {
    std::vector<std::string> words = {"sync", "add", "feed", "news", "--url", path.starts_with("http") ? path : server.url(path)};
    words.insert(words.end(), more.begin(), more.end());
    return owner.ladder(words);
  }
  boost::json::value sync() { return owner.json({"sync", "run", "news"}).at("runs").at(0).at("report"); }
  Outcome failed_sync() { return owner.ladder({"sync", "run", "news", "--json"}); }
  bool finds(std::string_view word) const { return !owner.json({"search", std::string(word)}).at("data").as_array().empty(); }
  boost::json::array entries() const {
    return owner.json({"records", "entries", "--connection", "feed-news", "--limit", "100", "--order", "asc"})
        .at("data")
        .as_array();
  }

  FeedServer server;
};

TEST_P(SyncedFeed, NewEntriesComeInAndOldOnesStay) {
  server.publish(1, 10);
  ASSERT_EQ(add("feed.xml").exit_code, 0);
  EXPECT_EQ(number_at(sync(), "/fetched"), 10);
  EXPECT_TRUE(finds("word7"));
  const auto first = entries();
  ASSERT_EQ(first.size(), 10U);
  EXPECT_EQ(text_at(first[0], "/data/title"), "Title 1");
  EXPECT_EQ(text_at(first[0], "/data/author"), "Ada");
  EXPECT_EQ(text_at(first[0], "/data/text"), "The text of entry word1");
  EXPECT_EQ(text_at(first[0], "/data/feed"), "Rungs");
  EXPECT_EQ(text_at(first[0], "/data/published_at"), "2025-06-03T09:01:00.000Z");

  server.publish(8, 12);
  const auto report = sync();
  EXPECT_EQ(number_at(report, "/fetched"), 2);
  EXPECT_EQ(number_at(report, "/messages"), 5);
  EXPECT_EQ(number_at(report, "/removed"), 0);
  EXPECT_EQ(entries().size(), 12U) << "a feed lists only its newest entries";
  server.publish(8, 12, "A corrected text, marzipan,");
  sync();
  EXPECT_EQ(entries().size(), 12U) << "the guid is the key";
  EXPECT_TRUE(finds("marzipan"));
}

TEST_P(SyncedFeed, AnUnchangedFeedIsNotSentAgain) {
  server.publish(1, 3);
  ASSERT_EQ(add("feed.xml").exit_code, 0);
  sync();
  const std::size_t before = server.requests().size();
  const auto again = sync();
  EXPECT_EQ(number_at(again, "/unchanged_folders"), 1);
  EXPECT_EQ(number_at(again, "/fetched_bytes"), 0);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), before + 1);
  EXPECT_EQ(number_at(requests.back(), "/status"), 304);
  EXPECT_FALSE(text_at(requests.back(), "/headers/If-Modified-Since").empty());
  // Without validators the content is compared.
  owner.done({"sync", "remove", "news"});
  ASSERT_EQ(add("plain/feed.xml").exit_code, 0);
  sync();
  EXPECT_EQ(number_at(sync(), "/unchanged_folders"), 1);
}

TEST_P(SyncedFeed, AddressesInTheOwnNetworkNeedThePermissionOfTheOwner) {
  server.publish(1, 3);
  const Outcome refused = add("feed.xml", {"--json"});
  EXPECT_EQ(refused.error_code(), "invalid_request") << refused.summary();
  EXPECT_NE(refused.summary().find("--allow-private"), std::string::npos);
  EXPECT_TRUE(server.requests().empty()) << "nothing was sent";
  for (const char* url :
       {"http://[::1]:1/feed", "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://0.0.0.0/"})
    EXPECT_EQ(add(url, {"--json"}).error_code(), "invalid_request") << url;
  EXPECT_EQ(add("http://169.254.169.254/latest", {"--json", "--allow-private"}).error_code(), "invalid_request");
  for (const char* url :
       {"file:///etc/passwd", "ftp://a.example/x", "https://ann:secret@a.example/feed", "https://a.example/a b", "feed"})
    EXPECT_EQ(owner.ladder({"sync", "add", "feed", "bad", "--url", url, "--json"}).error_code(), "invalid_request") << url;
}

TEST_P(SyncedFeed, RedirectsAreFollowedButNotForEver) {
  server.publish(1, 3);
  ASSERT_EQ(add("to?/to?" + server.url("feed.xml")).exit_code, 0);
  EXPECT_EQ(number_at(sync(), "/fetched"), 3);
  owner.done({"sync", "remove", "news"});
  ASSERT_EQ(add("to?/to?/to?/to?/to?/to?/to?/feed.xml", {"--allow-private", "--no-test"}).exit_code, 0);
  EXPECT_EQ(failed_sync().error_code(), "rs_protocol_error");
  owner.done({"sync", "remove", "news"});
  ASSERT_EQ(add("to?file:///etc/passwd", {"--allow-private", "--no-test"}).exit_code, 0);
  EXPECT_EQ(failed_sync().error_code(), "rs_protocol_error");
  owner.done({"sync", "remove", "news"});
  ASSERT_EQ(add("to?http://169.254.169.254/latest", {"--allow-private", "--no-test"}).exit_code, 0);
  EXPECT_EQ(failed_sync().error_code(), "invalid_request");
}

TEST_P(SyncedFeed, AnswersThatAreNoFeedAreNamed) {
  server.write("page.html", "<!doctype html><html><body>no feed here</body></html>");
  EXPECT_EQ(add("page.html", {"--allow-private", "--json"}).error_code(), "rs_protocol_error");
  EXPECT_EQ(add("missing", {"--allow-private", "--json"}).error_code(), "not_found");
  EXPECT_EQ(add("status/429", {"--allow-private", "--json"}).error_code(), "rs_unreachable");
  EXPECT_EQ(add("status/401", {"--allow-private", "--json"}).error_code(), "invalid_request");
  EXPECT_EQ(add("endless", {"--allow-private", "--json"}).error_code(), "rs_protocol_error");
  EXPECT_EQ(add("long-header", {"--allow-private", "--json"}).error_code(), "rs_protocol_error");
}

// A failure does not make Ladder ask more often than the owner wants.
TEST_P(SyncedFeed, AFailureIsShownAndTheServerIsLeftAlone) {
  server.publish(1, 3);
  ASSERT_EQ(add("feed.xml").exit_code, 0);
  sync();
  server.write("feed.xml", "<html>maintenance</html>");
  EXPECT_EQ(failed_sync().error_code(), "rs_protocol_error");
  const auto source = owner.json({"sync", "list"}).at("sources").at(0);
  EXPECT_EQ(text_at(source, "/state"), "failing");
  const auto tried = parse_time(text_at(source, "/tried_at")), due = parse_time(text_at(source, "/due_at"));
  ASSERT_TRUE(tried && due);
  EXPECT_GE(*due - *tried, 3600 * kSecond);
  EXPECT_TRUE(finds("word2"));
  server.publish(2, 4);
  EXPECT_EQ(number_at(sync(), "/fetched"), 1);
}

TEST_P(SyncedFeed, ADamagedFeedKeepsWhatItHas) {
  server.publish(1, 3);
  ASSERT_EQ(add("feed.xml").exit_code, 0);
  sync();
  server.write("feed.xml", "<rss><channel><item><guid>g9</guid><title>nine word9</title></item><item><title>cut");
  EXPECT_EQ(number_at(sync(), "/fetched"), 1);
  EXPECT_TRUE(finds("word9"));
  EXPECT_TRUE(finds("word2"));
  EXPECT_NE(owner.ladder({"connection", "show", "feed-news"}).out.find("the rest of the feed"), std::string::npos);
  owner.done({"erase", "feed-news", "--yes"});
  server.publish(1, 4);
  EXPECT_NE(failed_sync().exit_code, 0) << "an erased connection is not filled again";
}

TEST_P(SyncedFeed, ServeReadsIt) {
  server.publish(1, 3);
  ASSERT_EQ(add("feed.xml").exit_code, 0);
  Process serve(owner.surroundings(), {"serve", "--listen", "127.0.0.1:0"});
  for (int tries = 0; tries < 300 && !finds("word3"); ++tries) std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(finds("word3"));
  serve.signal(SIGTERM);
  EXPECT_EQ(serve.wait().exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, SyncedFeed, ::testing::Values("sqlite", "postgres"),
                         [](const auto& info) { return info.param; });

TEST(FeedRedirects, LeadToWebAddressesAndNotFromEncryptionToNone) {
  const auto next = [](std::string_view base, std::string_view to) { return sync::redirect_of(base, to).value_or("none"); };
  EXPECT_EQ(next("https://a.example/x/feed?y#z", "new?p=1"), "https://a.example/x/new?p=1");
  EXPECT_EQ(next("https://a.example/x/feed", "/new"), "https://a.example/new");
  EXPECT_EQ(next("http://a.example/x", "https://b.example"), "https://b.example/");
  EXPECT_EQ(next("https://a.example?q", "//b.example:8443/y"), "https://b.example:8443/y");
  for (const char* bad :
       {"http://a.example/x", "file:///etc/passwd", "https://u:p@a.example/", "", "https://a.example/\r\nX: y", "https://"})
    EXPECT_EQ(next("https://a.example/feed", bad), "none") << bad;
}

}  // namespace
}  // namespace ladder::e2e
