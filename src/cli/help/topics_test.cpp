#include "cli/help/topics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ladder::cli {
namespace {

TEST(HelpTopics, EachHasATextATitleAndOwnNames) {
  EXPECT_GE(topics().size(), 15U);
  std::set<std::string_view> names;
  for (const Topic& topic : topics()) {
    EXPECT_GT(topic.text.size(), 200U) << topic.name();
    EXPECT_FALSE(topic.title.empty()) << topic.name();
    EXPECT_TRUE(topic.page.ends_with(".md")) << topic.page;
    for (const std::string_view name : topic.names) EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(HelpTopics, AreFoundByEachName) {
  ASSERT_NE(find_topic("import"), nullptr);
  EXPECT_EQ(find_topic("import")->page, "use/import.md");
  EXPECT_EQ(find_topic("IMAP"), find_topic("sync"));
  EXPECT_EQ(find_topic("nothing-like-it"), nullptr);
}

TEST(HelpTopics, UnknownNamesLeadToNearTopics) {
  EXPECT_EQ(topics_near("imprt").front(), "import");
  const auto mentioning = topics_near("takeout");
  EXPECT_NE(std::ranges::find(mentioning, "sources"), mentioning.end());
  EXPECT_TRUE(topics_near("zzzzzzzz").empty());
}

}  // namespace
}  // namespace ladder::cli
