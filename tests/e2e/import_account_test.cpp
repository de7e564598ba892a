// The schema shows the owner what imports covered, and shows a client none of it.
#include "exports.h"
#include "pseudo_terminal.h"

namespace ladder::e2e {
namespace {

TEST(ImportAccount, TheSchemaShowsItToTheOwnerOnly) {
  Owner owner;
  owner.done({"init"});
  const auto made = demo::write_whatsapp_export({owner.file("Chats"), 7, 120});
  owner.done({"import", owner.file("Chats").string()});

  const auto schema = owner.json({"schema", "messages"});
  ASSERT_EQ(schema.at("imports").as_array().size(), 1U);
  EXPECT_EQ(text_at(schema, "/imports/0/connection_id"), "whatsapp");
  EXPECT_EQ(text_at(schema, "/imports/0/stream"), "messages");
  EXPECT_EQ(number_at(schema, "/imports/0/records_read"), made.at("messages"));
  EXPECT_EQ(number_at(schema, "/imports/0/not_imported"), 0);
  EXPECT_TRUE(schema.at("imports").at(0).at("complete").as_bool());
  EXPECT_EQ(text_at(schema, "/imports/0/from").substr(0, 10), "2025-01-01");
  EXPECT_GT(text_at(schema, "/imports/0/last_import"), text_at(schema, "/imports/0/to"));
  const std::string shown = on_terminal(owner, "ladder schema messages", "1");
  EXPECT_NE(shown.find("whatsapp: last on 20"), std::string::npos) << shown;
  EXPECT_NE(shown.find("read, 2025-01-01 to 2025-"), std::string::npos) << shown;

  owner.surroundings().environment["LADDER_TOKEN"] =
      text_at(owner.json({"grant", "create", "--client", "c", "--stream", "messages"}), "/token");
  const auto granted = owner.json({"schema", "messages", "--token", "env"});
  EXPECT_FALSE(granted.as_object().contains("imports"));
}

}  // namespace
}  // namespace ladder::e2e
