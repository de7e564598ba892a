#include "sync/staging.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace ladder::sync {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class StagingTest : public ::testing::Test {
 protected:
  ~StagingTest() override { fs::remove_all(root_); }

  imap::Fetched message(imap::Uid uid, std::string_view body) {
    imap::Fetched fetched;
    fetched.uid = uid;
    fetched.flags = {"\\seen", "\\flagged"};
    fetched.body = body;
    return fetched;
  }

  const fs::path root_ = fs::temp_directory_path() / "ladder-staging-test" / "mail";
};

TEST_F(StagingTest, NamesTellFolderNumberAndFlags) {
  auto staging = Staging::open(root_).value();
  ASSERT_TRUE(staging.begin("Projects/2024 100%"));
  ASSERT_TRUE(staging.add(message(7, "A: b\r\n\r\ntext")));
  EXPECT_EQ(text_of(root_ / "Projects%2F2024 100%25" / "cur" / "7:2,FS"), "A: b\r\n\r\ntext");
  EXPECT_EQ(staging.messages(), 1U);
  EXPECT_EQ(staging.bytes(), 12U);
  EXPECT_EQ(fs::status(root_).permissions(), fs::perms::owner_all);
}

TEST_F(StagingTest, NoFolderLeadsElsewhere) {
  auto staging = Staging::open(root_).value();
  for (const char* name : {"..", "../../x", ".", "/etc", "a\nb", ""}) {
    ASSERT_TRUE(staging.begin(name)) << name;
    ASSERT_TRUE(staging.add(message(1, "x"))) << name;
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root_)) files += entry.is_regular_file() ? 1 : 0;
    EXPECT_EQ(files, 1U) << name;
  }
  ASSERT_TRUE(staging.begin(std::string(1000, 'a') + "é")) << "a long name is cut";
}

TEST_F(StagingTest, GmailsLabelsAreAsInItsExport) {
  auto staging = Staging::open(root_).value();
  ASSERT_TRUE(staging.begin("All"));
  imap::Fetched fetched = message(1, "A: b\r\n");
  fetched.thread = "1278455344230334865";
  fetched.labels = {"\\Inbox", "a, b", "x\r\nInjected: header"};
  ASSERT_TRUE(staging.add(fetched));
  EXPECT_EQ(text_of(root_ / "All" / "cur" / "1:2,FS"),
            "X-GM-THRID: 1278455344230334865\r\nX-Gmail-Labels: \"Inbox\", \"a, b\"\r\nA: b\r\n");
}

TEST_F(StagingTest, AnInterruptedRunLeavesNothing) {
  {
    auto staging = Staging::open(root_).value();
    ASSERT_TRUE(staging.begin("INBOX"));
    ASSERT_TRUE(staging.add(message(1, "x")));
  }
  EXPECT_FALSE(fs::exists(root_)) << "fetched mail does not stay in clear";
}

}  // namespace
}  // namespace ladder::sync
