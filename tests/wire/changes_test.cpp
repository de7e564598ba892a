// Change sessions over HTTP (PDPP "changes").
#include "rest_fixture.h"

#include <map>

namespace ladder::wire {
namespace {

const std::string kNotes = "/v1/streams/notes/records";

class Changes : public Rest {
 protected:
  void note(const std::string& id, std::string_view body, std::string_view secret = "s") {
    put(id, text_member("body", body) + "," + text_member("secret", secret) + R"(,"updated_at":"2026-02-01T00:00:00Z")");
  }
  struct Session {
    std::map<std::string, std::string> bodies;  // id → body, or "†" if deleted
    std::string since;
    int pages = 0;
  };
  Session follow(const std::string& since, const std::string& token, const std::string& more = "") {
    Session session;
    std::string target = kNotes + "?changes_since=" + since + more;
    while (!target.empty() && session.pages < 100) {
      const Answer page = get(target, token);
      EXPECT_EQ(page.status, 200) << page.text;
      if (page.status != 200) return session;
      ++session.pages;
      for (const auto& entry : page.at("/data").as_array()) {
        const bool gone = entry.as_object().contains("deleted");
        EXPECT_EQ(entry.as_object().contains("data"), !gone);
        const auto [at, fresh] =
            session.bodies.emplace(entry.at("id").as_string(), gone ? "†" : std::string(entry.at("data").at("body").as_string()));
        EXPECT_TRUE(fresh) << at->first << " comes once";
      }
      if (page.has("/next_changes_since")) session.since = page.string("/next_changes_since");
      const auto& next = page.at("/links/next");
      target = next.is_string() ? std::string(next.as_string()) : "";
      EXPECT_EQ(target.find("changes_since"), std::string::npos) << "a session is followed by its cursor";
    }
    return session;
  }
};

TEST_P(Changes, ASessionReturnsEverythingOnceAndThenTheChanges) {
  for (int i = 0; i < 7; ++i) note(format("n{}", i), format("body {}", i));
  const std::string token = token_for({"work", "notes", {"id", "body"}, {}, {}, {}});
  Session all = follow("beginning", token, "&limit=3");
  EXPECT_EQ(all.bodies.size(), 7U);
  EXPECT_GE(all.pages, 3);
  ASSERT_FALSE(all.since.empty());

  EXPECT_TRUE(follow(all.since, token).bodies.empty());
  note("n1", "new body");
  note("n2", "body 2", "only the secret changed");
  note("n9", "added");
  ingest("{\"key\":\"n3\",\"op\":\"delete\"}\n");
  const Session changed = follow(all.since, token);
  EXPECT_EQ(changed.bodies, (std::map<std::string, std::string>{{"n1", "new body"}, {"n9", "added"}, {"n3", "†"}}));
  EXPECT_TRUE(follow(changed.since, token).bodies.empty());

  // A token is bound to the fields of its request: with others it would miss changes.
  expect_error(get(kNotes + "?changes_since=" + all.since + "&limit=1&fields=id", token), 400, "cursor_mismatch");
}

TEST_P(Changes, ATombstoneHasItsShape) {
  note("n1", "x");
  const std::string token = token_for({"work", "notes", {}, {}, {}, {}});
  const std::string since = follow("beginning", token).since;
  EXPECT_EQ(send("DELETE", kNotes + "/n1?connection_id=work", owner_token()).status, 204);
  const Answer page = get(kNotes + "?changes_since=" + since, token);
  ASSERT_EQ(page.ids(), (std::vector<std::string>{"n1"}));
  EXPECT_EQ(page.string("/data/0/object"), "record");
  EXPECT_EQ(page.string("/data/0/stream"), "notes");
  EXPECT_TRUE(page.at("/data/0/deleted").as_bool());
  EXPECT_TRUE(parse_time(page.string("/data/0/deleted_at")));
  EXPECT_TRUE(page.has("/data/0/emitted_at"));
  EXPECT_EQ(page.string("/data/0/connection_id"), "work");
  EXPECT_FALSE(page.has("/data/0/data"));
}

TEST_P(Changes, RefuseConflictingParameters) {
  note("n1", "x");
  const std::string token = token_for({"work", "notes", {}, {}, {}, {}});
  for (const char* other :
       {"order=asc", "order=desc", "sort=updated_at", "count=exact", "count=none", "window=exact", "cursor=x"}) {
    const std::string name = std::string(other).substr(0, std::string(other).find('='));
    expect_error(get(kNotes + "?changes_since=beginning&" + other, token), 400, "invalid_request", name);
  }
  expect_error(get(kNotes + "?changes_since=beginning&expand=x", token), 400, "invalid_expand");
  expect_error(get(kNotes + "?changes_since=2026-01-01T00:00:00Z", token), 400, "invalid_cursor");
  note("n2", "y");
  const std::string cursor = get(kNotes + "?changes_since=beginning&limit=1", token).string("/next_cursor");
  expect_error(get(kNotes + "?changes_since=" + cursor, token), 400, "invalid_cursor");
  EXPECT_EQ(get(kNotes + "?cursor=" + cursor, token).ids().size(), 1U) << "only the cursor continues";
  const std::string other = token_for({"work", "notes", {"id"}, {}, {}, {}});
  EXPECT_EQ(get(kNotes + "?cursor=" + cursor, other).status, 400);
  EXPECT_EQ(get(kNotes + "?changes_since=" + follow("beginning", token).since, other).status, 400);
}

TEST_P(Changes, SeveralConnectionsShareASession) {
  must(server().add_connection(owner(), "notes", "", "home"));
  note("n1", "at work");
  put("h1", text_member("body", "at home"), "home");
  const std::string token = token_for({"", "notes", {"id", "body"}, {}, {}, {}});
  const Session all = follow("beginning", token, "&limit=1");
  EXPECT_EQ(all.bodies, (std::map<std::string, std::string>{{"n1", "at work"}, {"h1", "at home"}}));
  put("h1", text_member("body", "moved"), "home");
  EXPECT_EQ(follow(all.since, token).bodies, (std::map<std::string, std::string>{{"h1", "moved"}}));
}

LADDER_FOR_EVERY_ENGINE(Changes);

}  // namespace
}  // namespace ladder::wire
