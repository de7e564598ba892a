// Watching granted data: every visible change is reported once, and nothing else.
#include "support/library_fixture.h"

#include <algorithm>

namespace ladder {
namespace {

using test_support::Book;
using test_support::must;

class Watching : public test_support::LibraryFixture {
 protected:
  using Names = std::vector<std::string>;

  // Moves the clock, since counters are cached for half a second.
  api::WatchReport report(api::Watch& watch) {
    clock().move(kSecond);
    return must(watch.look());
  }
  Names changed(api::Watch& watch) {
    const api::WatchReport seen = report(watch);
    EXPECT_FALSE(seen.ended);
    EXPECT_FALSE(seen.scope_changed);
    return seen.changed;
  }

  Book book(const std::string& id, const std::string& title, const std::string& connection = "home") {
    Book made;
    made.connection = connection;
    made.id = id;
    made.title = title;
    made.bought_at = *parse_time("2025-01-01T00:00:00Z");
    return made;
  }
};

TEST_P(Watching, AStreamReportsChangesOfAllItsConnections) {
  put_book(book("b1", "One"));
  const auto watch = server().watch(client({"", "books", {}, {}, {}, {}}));
  ASSERT_TRUE(watch->add("books", {"books"}));
  EXPECT_EQ(changed(*watch), Names{});
  put_book(book("b2", "Two"));
  EXPECT_EQ(changed(*watch), Names{"books"});
  EXPECT_EQ(changed(*watch), Names{}) << "once";
  put_book(book("b3", "Three", "cabin"));
  EXPECT_EQ(changed(*watch), Names{"books"});
  put_book(book("b1", "Uno"));
  EXPECT_EQ(changed(*watch), Names{"books"});
  put_book(book("b1", "Uno"));
  EXPECT_EQ(changed(*watch), Names{}) << "nothing is different";
  delete_book("cabin", "b3");
  EXPECT_EQ(changed(*watch), Names{"books"});
  must(server().erase_stream(owner(), "home", "books"));
  EXPECT_EQ(changed(*watch), Names{"books"});
  watch->remove("books");
  put_book(book("b4", "Four"));
  EXPECT_EQ(changed(*watch), Names{});
}

TEST_P(Watching, ARecordReportsOnlyItsOwnChanges) {
  put_book(book("b1", "One"));
  put_book(book("b2", "Two"));
  const auto watch = server().watch(client({"home", "books", {}, {}, {}, {}}));
  ASSERT_TRUE(watch->add("b1", {"books", "home", "b1"}));
  put_book(book("b2", "Dos"));
  put_book(book("b3", "Three"));
  EXPECT_EQ(changed(*watch), Names{});
  put_book(book("b1", "Uno"));
  EXPECT_EQ(changed(*watch), Names{"b1"});
  delete_book("home", "b1");
  EXPECT_EQ(changed(*watch), Names{"b1"});
  put_book(book("b1", "Uno"));
  EXPECT_EQ(changed(*watch), Names{"b1"}) << "it is there again";
}

TEST_P(Watching, HiddenDataIsNeverReported) {
  Book shown = book("b1", "One");
  put_book(shown);
  put_book(book("b2", "Two"));
  const Instant end = *parse_time("2026-01-01T00:00:00Z");
  const auto by_field = server().watch(client({"home", "books", {"id", "title"}, {}, {}, {}}));
  const auto by_record = server().watch(client({"home", "books", {}, {}, {}, {"b1"}}));
  const auto by_time = server().watch(client({"home", "books", {}, {}, end, {}}));
  for (api::Watch* watch : {by_field.get(), by_record.get(), by_time.get()}) {
    ASSERT_TRUE(watch->add("books", {"books"}));
    ASSERT_TRUE(watch->add("b1", {"books", "home", "b1"}));
  }

  shown.secret = "another";
  put_book(shown);
  EXPECT_EQ(changed(*by_field), Names{}) << "of fields that are not granted";
  EXPECT_EQ(changed(*by_record), (Names{"b1", "books"}));
  EXPECT_EQ(changed(*by_time), (Names{"b1", "books"}));

  put_book(book("b2", "Dos"));
  delete_book("home", "b2");
  EXPECT_EQ(changed(*by_field), Names{"books"});
  EXPECT_EQ(changed(*by_record), Names{}) << "of records that are not granted";
  EXPECT_EQ(changed(*by_time), Names{"books"});

  Book later = book("b9", "Nine");
  later.bought_at = end + kDay;
  put_book(later);
  EXPECT_EQ(changed(*by_time), Names{}) << "of a time that is not granted";
  delete_book("home", "b9");
  EXPECT_EQ(changed(*by_time), Names{});

  put_book(book("c1", "Elsewhere", "cabin"));
  put_line("l1", R"("book":"b1")", "home", "loans");
  for (api::Watch* watch : {by_field.get(), by_record.get(), by_time.get()}) {
    watch->remove("books");
    EXPECT_EQ(changed(*watch), Names{}) << "of connections and streams that are not granted";
  }
}

// Watching must not tell a client whether something exists that it may not see.
TEST_P(Watching, UnreadableDataCannotBeWatched) {
  put_book(book("b1", "One"));
  put_book(book("b2", "Two"));
  const auto watch = server().watch(client({"home", "books", {}, {}, {}, {"b1"}}));
  const auto refused = [&](const api::WatchTarget& target) {
    const Status status = watch->add("x", target);
    return status ? std::string("watched") : std::string(status.error().wire());
  };
  EXPECT_EQ(refused({"books", "home", "b2"}), refused({"books", "home", "none"}));
  EXPECT_EQ(refused({"books", "home", "b2"}), "not_found");
  EXPECT_EQ(refused({"loans"}), refused({"none"}));
  EXPECT_EQ(refused({"loans"}), "grant_stream_not_allowed");
  EXPECT_EQ(refused({"books", "cabin"}), refused({"books", "none"}));
  EXPECT_EQ(refused({"books", "cabin"}), "connection_not_found");
  EXPECT_EQ(report(*watch).changed, Names{});
}

TEST_P(Watching, ManyHiddenChangesAreSkippedInSteps) {
  put_book(book("b1", "One"));
  const auto watch = server().watch(client({"home", "books", {}, {}, {}, {"b1"}}));
  ASSERT_TRUE(watch->add("books", {"books"}));
  std::vector<Book> many;
  for (int i = 0; i < 1'200; ++i) many.push_back(book(format("h{}", i), "hidden"));
  put_books(many);
  put_book(book("b1", "Uno"));
  int looks = 0;
  while (looks < 10 && changed(*watch).empty()) ++looks;
  EXPECT_EQ(looks, 2) << "it is reported after 1,200 others, 500 per call";
  EXPECT_EQ(changed(*watch), Names{});
}

TEST_P(Watching, TheEndOfAGrantIsReported) {
  put_book(book("b1", "One"));
  put("n1", test_support::text_member("body", "a note"));
  const server::IssuedGrants issued = issue({{"work", "notes", {}, {}, {}, {}}, {"home", "books", {}, {}, {}, {}}});
  ASSERT_EQ(issued.grant_ids.size(), 2U);
  const auto watch = server().watch(must(server().authenticate(issued.token)));
  ASSERT_TRUE(watch->add("books", {"books"}));
  ASSERT_TRUE(watch->add("notes", {"notes"}));
  EXPECT_EQ(changed(*watch), Names{});

  must(server().revoke_grant(owner(), issued.grant_ids[0]));
  api::WatchReport seen = report(*watch);
  EXPECT_TRUE(seen.scope_changed);
  EXPECT_FALSE(seen.ended);
  EXPECT_EQ(seen.changed, Names{"notes"}) << "which can no longer be read";
  put("n1", test_support::text_member("body", "after the end"));
  EXPECT_EQ(changed(*watch), Names{});
  put_book(book("b1", "Uno"));
  EXPECT_EQ(changed(*watch), Names{"books"});

  must(server().revoke_grant(owner(), issued.grant_ids[1]));
  seen = report(*watch);
  EXPECT_TRUE(seen.scope_changed);
  EXPECT_TRUE(seen.ended);
  EXPECT_EQ(seen.changed, (Names{"books", "notes"}));
  EXPECT_EQ(watch->add("books", {"books"}).error().code, Code::kGrantRevoked);
}

TEST_P(Watching, AnExpiringGrantIsReported) {
  put_book(book("b1", "One"));
  server::GrantRequest request;
  request.client_id = "agent";
  request.streams = {{"home", "books", {}, {}, {}, {}}};
  request.expires_at = clock().now() + 10 * kSecond;
  const auto watch = server().watch(must(server().authenticate(must(server().create_grants(owner(), request)).token)));
  ASSERT_TRUE(watch->add("books", {"books"}));
  EXPECT_EQ(changed(*watch), Names{});
  clock().move(20 * kSecond);
  EXPECT_TRUE(report(*watch).ended);
}

TEST_P(Watching, AnErasedConnectionIsReportedAndOthersAreNot) {
  put_book(book("b1", "One"));
  put_book(book("c1", "Elsewhere", "cabin"));
  const auto both = server().watch(client({"", "books", {}, {}, {}, {}}));
  const auto work = server().watch(client({"work", "notes", {}, {}, {}, {}}));
  ASSERT_TRUE(both->add("books", {"books"}));
  EXPECT_EQ(changed(*both), Names{});
  EXPECT_EQ(changed(*work), Names{});
  must(server().add_connection(owner(), "library", "", "attic"));
  EXPECT_EQ(changed(*both), Names{}) << "which no grant names";

  // A grant that names a connection prevents its erasure, so only the records are erased.
  must(server().erase_stream(owner(), "cabin", "books"));
  EXPECT_EQ(changed(*both), Names{"books"});
  EXPECT_EQ(changed(*work), Names{});
}

LADDER_FOR_EVERY_ENGINE(Watching);

}  // namespace
}  // namespace ladder
