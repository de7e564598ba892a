// Small items of the owner, names of connections, and searches in some connections only.
#include "support/mail_fixture.h"

namespace ladder::test_support {
namespace {

using server::ItemKind;

class OwnerItemsTest : public MailFixture {
 protected:
  server::OwnerItems& items() { return server().items(); }
};

TEST_P(OwnerItemsTest, AreKeptReplacedAndRemoved) {
  EXPECT_TRUE(must(items().list(owner(), ItemKind::kTask)).empty());
  ASSERT_TRUE(items().put(owner(), ItemKind::kTask, {"a", "one"}));
  ASSERT_TRUE(items().put(owner(), ItemKind::kTask, {"b\nc", "two"}));
  ASSERT_TRUE(items().put(owner(), ItemKind::kTask, {"a", "three"}));
  ASSERT_TRUE(items().put(owner(), ItemKind::kSavedSearch, {"a", "other kind"}));
  const auto all = must(items().list(owner(), ItemKind::kTask));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(must(items().find(owner(), ItemKind::kTask, "a"))->body, "three");
  EXPECT_EQ(must(items().find(owner(), ItemKind::kTask, "b\nc"))->body, "two");
  ASSERT_TRUE(items().remove(owner(), ItemKind::kTask, "a"));
  ASSERT_TRUE(items().remove(owner(), ItemKind::kTask, "a"));
  EXPECT_FALSE(must(items().find(owner(), ItemKind::kTask, "a")));
  EXPECT_EQ(must(items().find(owner(), ItemKind::kSavedSearch, "a"))->body, "other kind");
}

TEST_P(OwnerItemsTest, ExpireAndAreBounded) {
  ASSERT_TRUE(items().put(owner(), ItemKind::kTask, {"late", "x", 0, clock().now() + kDay}));
  EXPECT_TRUE(must(items().find(owner(), ItemKind::kTask, "late")));
  clock().move(kDay);
  EXPECT_FALSE(must(items().find(owner(), ItemKind::kTask, "late")));
  EXPECT_TRUE(must(items().list(owner(), ItemKind::kTask)).empty());
  EXPECT_EQ(items().put(owner(), ItemKind::kTask, {"", "x"}).error().code, Code::kInvalidRequest);
  EXPECT_EQ(items().put(owner(), ItemKind::kTask, {"x", std::string(9000, 'x')}).error().code, Code::kInvalidRequest);
  for (std::size_t i = 0; i < server::OwnerItems::kMaxPerKind; ++i)
    ASSERT_TRUE(items().put(owner(), ItemKind::kSavedSearch, {std::to_string(i), "x"}));
  EXPECT_EQ(items().put(owner(), ItemKind::kSavedSearch, {"one more", "x"}).error().code, Code::kResourceLimit);
  EXPECT_TRUE(items().put(owner(), ItemKind::kSavedSearch, {"7", "replaced"}));
}

TEST_P(OwnerItemsTest, BelongToTheirOwnerAlone) {
  ASSERT_TRUE(store().add_owner("guest", clock().now()));
  ASSERT_TRUE(items().put(owner(), ItemKind::kTask, {"a", "mine"}));
  EXPECT_FALSE(must(items().find(owner("guest"), ItemKind::kTask, "a")));
  EXPECT_TRUE(must(items().list(owner("guest"), ItemKind::kTask)).empty());
  server::GrantSelection notes;
  notes.stream = "notes";
  const server::Access agent = client(notes);
  EXPECT_EQ(items().list(agent, ItemKind::kTask).error().code, Code::kPermission);
  EXPECT_EQ(items().put(agent, ItemKind::kTask, {"a", "x"}).error().code, Code::kPermission);
  EXPECT_EQ(items().remove(agent, ItemKind::kTask, "a").error().code, Code::kPermission);
  EXPECT_EQ(items().secret(agent, ItemKind::kAsk, "a").error().code, Code::kPermission);
}

TEST_P(OwnerItemsTest, SecretsAreNotReadable) {
  ASSERT_TRUE(items().put_secret(owner(), ItemKind::kAsk, "token", "a very secret text"));
  EXPECT_EQ(must(items().secret(owner(), ItemKind::kAsk, "token")), "a very secret text");
  EXPECT_EQ(must(items().find(owner(), ItemKind::kAsk, "token"))->body.find("secret"), std::string::npos);
  EXPECT_FALSE(must(items().secret(owner(), ItemKind::kAsk, "other")));
  // A sealed text of another key is not accepted.
  const std::string sealed = must(items().find(owner(), ItemKind::kAsk, "token"))->body;
  ASSERT_TRUE(items().put(owner(), ItemKind::kAsk, {"moved", sealed}));
  EXPECT_EQ(items().secret(owner(), ItemKind::kAsk, "moved").error().code, Code::kNotSetUp);
}

TEST_P(OwnerItemsTest, ConnectionsAreRenamed) {
  ASSERT_TRUE(server().sources().rename_connection(owner(), "work", "My “notes” <b>"));
  EXPECT_EQ(must(server().sources().connection(owner(), "work")).display_name, "My “notes” <b>");
  ASSERT_TRUE(server().sources().rename_connection(owner(), "work", ""));
  EXPECT_EQ(must(server().sources().connection(owner(), "work")).display_name, "");
  EXPECT_EQ(server().sources().rename_connection(owner(), "none", "x").error().code, Code::kConnectionNotFound);
  EXPECT_EQ(server().sources().rename_connection(owner(), "work", "two\nlines").error().code, Code::kInvalidRequest);
}

TEST_P(OwnerItemsTest, AResponseOfTwoGrantsCountsOnce) {
  put_mail("m1", {.subject = "the fourth clock"});
  put_chat("c1", "the fourth clock, too");
  server::GrantSelection mail, chat;
  mail.connection_id = "inbox", mail.stream = "messages";
  chat.connection_id = "team", chat.stream = "messages";
  const server::IssuedGrants issued = issue({mail, chat});
  ASSERT_EQ(issued.grant_ids.size(), 2U);
  const server::Access agent = must(server().accesses().authenticate(issued.token));
  api::SearchRequest request;
  request.q = "clock";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(must(server().search().find(agent, request)).hits.size(), 2U);
  const std::int64_t today = clock().now() / kDay;
  std::int64_t answers = 0;
  for (const server::LedgerUse& use : must(server().ledger().uses(owner(), today, today))) answers += use.answers;
  EXPECT_EQ(answers, 3);
}

TEST_P(OwnerItemsTest, SearchesInSomeConnections) {
  put_mail("m1", {.subject = "the fourth clock"});
  put_mail("m2", {.subject = "the fourth clock again"}, "archive");
  put_chat("c1", "the fourth clock, too");
  const auto found = [&](const server::Access& access, std::vector<std::string> connections) {
    api::SearchRequest request;
    request.q = "clock";
    request.connections = std::move(connections);
    std::vector<std::string> ids;
    for (const api::SearchHit& hit : must(server().search().find(access, request)).hits) ids.push_back(hit.ref.record_id);
    std::ranges::sort(ids);
    return ids;
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(found(owner(), {}), (Ids{"c1", "m1", "m2"}));
  EXPECT_EQ(found(owner(), {"inbox", "team"}), (Ids{"c1", "m1"}));
  EXPECT_EQ(found(owner(), {"archive"}), (Ids{"m2"}));
  EXPECT_EQ(found(owner(), {"none"}), Ids{});
  // A client reads the connections of its grant alone.
  server::GrantSelection inbox;
  inbox.connection_id = "inbox", inbox.stream = "messages";
  const server::Access agent = client(inbox);
  EXPECT_EQ(found(agent, {"inbox", "team", "archive"}), Ids{"m1"});
  EXPECT_EQ(found(agent, {"archive"}), Ids{});
}

LADDER_FOR_EVERY_ENGINE(OwnerItemsTest);

}  // namespace
}  // namespace ladder::test_support
