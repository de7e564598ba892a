// The changes feed: at the end of every session a mirror holds exactly what its grant shows; hidden changes cost and
// tell it nothing.
#include "support/library_fixture.h"

#include <algorithm>

namespace ladder {
namespace {

using test_support::Book;
using test_support::must;

class Changes : public test_support::LibraryFixture {
 protected:
  static api::RecordsRequest since(std::string token, std::int64_t limit = 25) {
    api::RecordsRequest request;
    request.stream = "books";
    request.changes_since = std::move(token);
    request.limit = limit;
    return request;
  }

  // A reader that keeps a copy: follows a session to its end and applies the changes.
  struct Mirror {
    std::map<std::string, std::string> held;  // connection:id → data
    std::string token = "beginning";
    int told = 0;
  };
  void follow(const server::Access& access, Mirror& mirror, std::int64_t limit) {
    api::RecordsRequest request = since(mirror.token, limit);
    mirror.told = 0;
    for (int pages = 0; pages < 1'000; ++pages) {
      const api::RecordsPage page = must(server().reads().records(access, request));
      for (const api::Record& record : page.records) {
        const std::string name = record.ref.connection_id + ":" + record.ref.record_id;
        ++mirror.told;
        if (record.deleted) {
          EXPECT_TRUE(record.data.empty());
          EXPECT_FALSE(record.deleted_at.empty());
          mirror.held.erase(name);
        } else {
          mirror.held[name] = record.data;
        }
      }
      EXPECT_EQ(page.has_more, !page.next_cursor.empty());
      EXPECT_EQ(page.has_more, page.next_changes_since.empty());
      if (!page.has_more) {
        mirror.token = page.next_changes_since;
        return;
      }
      request.changes_since.reset();
      request.cursor = page.next_cursor;
    }
    ADD_FAILURE() << "the session does not end";
  }

  std::map<std::string, std::string> visible(const server::Access& access) {
    std::map<std::string, std::string> all;
    api::RecordsRequest request;
    request.stream = "books";
    request.limit = 100;
    for (;;) {
      const api::RecordsPage page = must(server().reads().records(access, request));
      for (const api::Record& record : page.records) {
        all[record.ref.connection_id + ":" + record.ref.record_id] = record.data;
      }
      if (!page.has_more) return all;
      request.cursor = page.next_cursor;
    }
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

TEST_P(Changes, AMirrorEqualsTheGrantedDataAfterEverySession) {
  const server::Access everything = owner();
  const server::Access narrow = client({"", "books", {"id", "title"}, {}, {}, {}});
  const server::Access one = client({"cabin", "books", {"id", "pages"}, {}, {}, {}});
  Mirror of_owner, of_narrow, of_one;
  std::mt19937 random(11);
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 25; ++i) {
      const int number = static_cast<int>(random() % 60);
      if (random() % 5 == 0) {
        const std::string id = format("b{:04}", number);
        for (const std::string connection : {"home", "cabin"}) {
          if (books().contains({connection, id})) delete_book(connection, id);
        }
      } else {
        put_book(random_book(random, number));
      }
    }
    const std::int64_t limit = 1 + static_cast<std::int64_t>(random() % 30);
    follow(everything, of_owner, limit);
    follow(narrow, of_narrow, limit);
    follow(one, of_one, limit);
    ASSERT_EQ(of_owner.held, visible(everything)) << round;
    ASSERT_EQ(of_narrow.held, visible(narrow)) << round;
    ASSERT_EQ(of_one.held, visible(one)) << round;
  }
  follow(narrow, of_narrow, 25);
  EXPECT_EQ(of_narrow.told, 0) << "nothing has changed since";
}

TEST_P(Changes, OfHiddenFieldsAndRecordsAreNotReported) {
  put_book(book("a", "one"));
  put_book(book("b", "two"));
  const server::Access agent =
      client({"home", "books", {"id", "title", "bought_at"}, *parse_time("2025-01-01T00:00:00Z"), {}, {}});
  Mirror mirror;
  follow(agent, mirror, 25);
  EXPECT_EQ(mirror.told, 2);
  for (int i = 0; i < 300; ++i) {
    Book changed = book("a", "one");
    changed.secret = std::to_string(i);
    changed.pages = i;
    put_book(changed);
  }
  Book old = book("old", "hidden");
  old.bought_at = *parse_time("2020-01-01T00:00:00Z");
  put_book(old);
  delete_book("home", "old");
  Book brief = book("brief", "came and went");
  put_book(brief);
  delete_book("home", "brief");
  follow(agent, mirror, 25);
  EXPECT_EQ(mirror.told, 0);
  put_book(book("b", "renamed"));
  delete_book("home", "a");
  follow(agent, mirror, 1);
  EXPECT_EQ(mirror.told, 2);
  EXPECT_EQ(mirror.held.size(), 1u);
}

TEST_P(Changes, ASessionEndsAtTheHorizonItsFirstPageSaw) {
  for (int i = 0; i < 10; ++i) put_book(book(format("k{}", i), "first"));
  const server::Access access = owner();
  api::RecordsPage page = must(server().reads().records(access, since("beginning", 4)));
  put_book(book("k9", "changed meanwhile"));
  put_book(book("new", "came meanwhile"));
  Mirror mirror;
  api::RecordsRequest request = since("", 4);
  request.changes_since.reset();
  int told = static_cast<int>(page.records.size());
  while (page.has_more) {
    request.cursor = page.next_cursor;
    page = must(server().reads().records(access, request));
    told += static_cast<int>(page.records.size());
    for (const api::Record& record : page.records) EXPECT_NE(record.ref.record_id, "new");
  }
  EXPECT_EQ(told, 9) << "the one that changed meanwhile comes with the next session";
  mirror.token = page.next_changes_since;
  follow(access, mirror, 25);
  EXPECT_EQ(mirror.told, 2);
}

TEST_P(Changes, TokensExpireByAgeOnlyAndBelongToTheirList) {
  put_book(book("a", "one"));
  const server::Access access = owner(), agent = client({"home", "books", {"id", "title"}, {}, {}, {}});
  const std::string token = must(server().reads().records(access, since("beginning"))).next_changes_since;
  clock().move(89 * kDay);
  EXPECT_TRUE(server().reads().records(access, since(token)));
  clock().move(2 * kDay);
  EXPECT_EQ(server().reads().records(access, since(token)).error().code, Code::kCursorExpired);
  const std::string fresh = must(server().reads().records(access, since("beginning"))).next_changes_since;
  EXPECT_EQ(server().reads().records(agent, since(fresh)).error().code, Code::kCursorMismatch);
  EXPECT_EQ(server().reads().records(access, since("2026-01-01T00:00:00Z")).error().code, Code::kInvalidCursor);
  EXPECT_EQ(server().reads().records(access, since(fresh + "x")).error().code, Code::kInvalidCursor);
  api::RecordsRequest as_cursor = since("");
  as_cursor.changes_since.reset();
  as_cursor.cursor = fresh;
  EXPECT_EQ(server().reads().records(access, as_cursor).error().code, Code::kInvalidCursor) << "a token is no cursor";
}

TEST_P(Changes, OfOtherFieldsNeedAnotherToken) {
  put_book(book("a", "one"));
  put_book(book("b", "two"));
  const auto of = [&](std::vector<std::string> fields) {
    api::RecordsRequest request = since("beginning");
    request.fields = std::move(fields);
    return request;
  };
  const auto with = [](api::RecordsRequest request, const std::string& token) {
    request.changes_since = token;
    return request;
  };
  const std::string titles = must(server().reads().records(owner(), of({"title"}))).next_changes_since;
  const std::string all = must(server().reads().records(owner(), of({}))).next_changes_since;
  EXPECT_TRUE(server().reads().records(owner(), with(of({"title"}), titles)));
  EXPECT_TRUE(server().reads().records(owner(), with(of({"title", "title"}), titles))) << "the same fields";
  EXPECT_TRUE(server().reads().records(owner(), with(of({}), all)));
  // A session for titles does not know what changed in other fields on earlier pages.
  for (const auto& refused : {with(of({"title", "pages"}), titles), with(of({}), titles), with(of({"title"}), all)}) {
    const auto answer = server().reads().records(owner(), refused);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::kCursorMismatch);
    EXPECT_EQ(answer.error().param, "changes_since");
  }
  api::RecordsRequest page = of({"title"});
  page.limit = 1;
  const std::string cursor = must(server().reads().records(owner(), page)).next_cursor;
  ASSERT_FALSE(cursor.empty());
  api::RecordsRequest next = of({});
  next.changes_since.reset();
  next.cursor = cursor;
  EXPECT_EQ(server().reads().records(owner(), next).error().code, Code::kCursorMismatch);
  next.fields = {"title"};
  EXPECT_TRUE(server().reads().records(owner(), next));
}

TEST_P(Changes, RefuseOrdersCountsAndExpansions) {
  const auto refused = [&](auto change) {
    api::RecordsRequest request = since("beginning");
    change(request);
    const auto result = server().reads().records(owner(), request);
    return result ? std::string("fine") : std::string(result.error().wire()) + " " + result.error().param;
  };
  using Request = api::RecordsRequest;
  EXPECT_EQ(refused([](Request& r) { r.count = api::CountKind::kExact; }), "invalid_request count");
  EXPECT_EQ(refused([](Request& r) { r.window = true; }), "invalid_request window");
  EXPECT_EQ(refused([](Request& r) { r.sort_field = "read_at"; }), "invalid_request sort");
  EXPECT_EQ(refused([](Request& r) { r.filters = {{"shelf", "", "x"}}; }), "invalid_request filter");
  EXPECT_EQ(refused([](Request& r) { r.expand = {"loans"}; }), "invalid_expand expand");
  EXPECT_EQ(refused([](Request&) {}), "fine");
}

LADDER_FOR_EVERY_ENGINE(Changes);

}  // namespace
}  // namespace ladder
