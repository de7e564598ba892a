#include "import/sqlite/testing/sqlite_maker.h"
#include "import/testing/reading.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

std::string firefox() {
  SqliteMaker maker;
  maker.run(
      "CREATE TABLE moz_places(id INTEGER PRIMARY KEY, url, title, hidden);"
      "CREATE TABLE moz_historyvisits(id INTEGER PRIMARY KEY, from_visit, place_id, visit_date, visit_type);"
      "CREATE TABLE moz_bookmarks(id INTEGER PRIMARY KEY, type, fk, parent, title, dateAdded, guid);"
      "INSERT INTO moz_places VALUES(1,'https://www.a.example/x','A "
      "page',0),(2,'about:config',NULL,0),(3,'https://b.example',NULL,1);"
      "INSERT INTO moz_historyvisits VALUES(1,0,1,1700000000000000,2),(2,0,1,1700000001000,1),(3,0,2,1700000000000000,1),"
      "(4,0,3,1700000000000000,1),(5,0,1,1700000000000000,4);"
      "INSERT INTO moz_bookmarks VALUES(1,2,NULL,0,'',0,'root'),(2,2,NULL,1,'menu',0,'m'),(3,2,NULL,2,'Travel',0,'t'),"
      "(4,1,1,3,NULL,1600000000000000,'abc');");
  EXPECT_EQ(maker.problems, "");
  return maker.bytes();
}

std::string chrome() {
  SqliteMaker maker;
  maker.run(
      "CREATE TABLE urls(id INTEGER PRIMARY KEY, url, title, visit_count, last_visit_time, hidden);"
      "CREATE TABLE visits(id INTEGER PRIMARY KEY, url, visit_time, from_visit, transition, visit_duration);"
      "CREATE TABLE keyword_search_terms(keyword_id, url_id, term);"
      "INSERT INTO urls VALUES(1,'https://s.example/?q=hotel','hotel - Search',1,13344473600000000,0);"
      "INSERT INTO visits VALUES(1,1,13344473600000000,0,805306369,2500000),(2,1,13344473600000000,0,268435457,0);"
      "INSERT INTO keyword_search_terms VALUES(2,1,'hotel valencia');");
  EXPECT_EQ(maker.problems, "");
  return maker.bytes();
}

TEST(Browser, FirefoxHasVisitsAndBookmarksWithFolders) {
  const CollectingSink sink =
      read_files(browser_format(), {{"profile/places.sqlite", firefox()}, {"profile/places.sqlite-shm", "x"}});
  EXPECT_EQ(sink.losses.size(), 0U);
  const auto visits = sink.of("visits");
  ASSERT_EQ(visits.size(), 2U);
  EXPECT_EQ(member(visits[0], "visited_at"), "2023-11-14T22:13:21.000Z") << "milliseconds, as on phones";
  EXPECT_EQ(member(visits[1], "visited_at"), "2023-11-14T22:13:20.000Z");
  EXPECT_EQ(member(visits[1], "host"), "a.example");
  EXPECT_EQ(member(visits[1], "transition"), "typed");
  const Collected bookmark = only(sink, "bookmarks");
  EXPECT_EQ(member(bookmark, "title"), "A page");
  EXPECT_EQ(member(bookmark, "folder"), "menu/Travel");
  EXPECT_EQ(member(bookmark, "added_at"), "2020-09-13T12:26:40.000Z");
}

TEST(Browser, ChromeHasVisitsSearchesAndBookmarks) {
  const CollectingSink sink = read_files(
      browser_format(),
      {{"Default/History", chrome()},
       {"Default/Bookmarks", R"({"checksum":"x","roots":{"bookmark_bar":{"children":[{"type":"folder","name":"Trips","children":[
          {"type":"url","name":"Hotel","url":"https://h.example","guid":"g1","date_added":"13344473600000000"}]}],"name":"Bookmarks bar","type":"folder"}},"version":1})"},
       {"Takeout/Chrome/History.json",
        R"({"Browser History":[{"page_transition":"LINK","title":"T","url":"https://t.example/","client_id":"c","time_usec":1700000000000000}]})"},
       {"bookmarks.html",
        "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><H3 ADD_DATE=\"1\">Work &amp; more</H3>\n<DL><p><DT><A "
        "HREF=\"https://w.example/?a=1&amp;b=2\" "
        "ADD_DATE=\"1600000000\">W</A></DL></DL>"}});
  EXPECT_EQ(sink.losses.size(), 0U);
  const auto visits = sink.of("visits");
  ASSERT_EQ(visits.size(), 2U);
  EXPECT_EQ(member(visits[0], "visited_at"), "2023-11-14T22:13:20.000Z");
  EXPECT_EQ(member(visits[0], "duration_seconds"), "2.5");
  EXPECT_EQ(member(visits[0], "transition"), "typed");
  EXPECT_EQ(member(visits[1], "url"), "https://t.example/");
  EXPECT_EQ(member(only(sink, "searches"), "text"), "hotel valencia");
  const auto bookmarks = sink.of("bookmarks");
  ASSERT_EQ(bookmarks.size(), 2U);
  EXPECT_EQ(member(bookmarks[0], "folder"), "Bookmarks bar/Trips");
  EXPECT_EQ(member(bookmarks[1], "folder"), "Work & more");
  EXPECT_EQ(member(bookmarks[1], "url"), "https://w.example/?a=1&b=2");
  EXPECT_EQ(sink.skips.at("visits: a redirect or a part of another page"), 1);
}

TEST(Browser, ResumesFromEveryCheckpoint) {
  std::string list;
  for (int i = 0; i < 1100; ++i) {
    list += std::string(i == 0 ? "" : ",") + R"({"title":"T","url":"https://t.example/)" + std::to_string(i) +
            R"(","time_usec":1700000000000000})";
  }
  expect_resumable(browser_format(), {{"History.json", R"({"Browser History":[)" + list + "]}"}});
}

}  // namespace
}  // namespace ladder::imports
