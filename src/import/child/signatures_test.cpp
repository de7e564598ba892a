#include "import/child/signatures.h"

#include "base/text/format.h"
#include "import/child/child.h"
#include "import/testing/archive_maker.h"
#include "import/testing/memory_tree.h"
#include "import/tree/path_pattern.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

namespace ladder::imports {
namespace {

std::string recognized(const std::string& path, const std::string& head, bool is_claimed = false) {
  testing::MemoryTree tree(testing::Files{{path, head}});
  const Signature* const found = recognize(tree, 0, is_claimed);
  return found ? std::string(found->what) : std::string();
}

TEST(Signatures, NameTheirExports) {
  struct Sample {
    std::string path, head, what;
  };
  const Sample samples[] = {
      {"signal-export-1/main.jsonl", R"({"version":"1","backupTimeMs":"1"})", "a Signal export"},
      {"signal-2026-01-01-10-00-00.backup", "\x01\x02", "an encrypted Signal backup for Android"},
      {"Databases/msgstore.db.crypt15", "x", "an encrypted WhatsApp backup"},
      {"your_instagram_activity/likes/liked_posts.json", "{}", "an Instagram export"},
      {"messages.json", R"({"userId":"8:ada","exportDate":"2026-01-01","conversations":[]})", "a Skype export"},
      {"Takeout/Google Chat/Groups/DM 1/messages.json", R"({"messages":[{"creator":{}}]})", "a Google Chat export"},
      {"Takeout/Hangouts/Hangouts.json", R"({"conversations":[]})", "a Google Hangouts export"},
      {"json/chat_history.json", "{}", "a Snapchat export"},
      {"user_data_tiktok.json", R"({"Activity":{}})", "a TikTok export"},
      {"sms-2026.xml", "<?xml version='1.0'?><smses count=\"1\">", "a backup of text messages (SMS Backup & Restore)"},
      {"outbox.json", R"({"orderedItems":[]})", "a Mastodon export"},
      {"Location History/Timeline Edits.json", "{}", "the settings of a Google timeline that is stored only on your phone"},
      {"Google Photos/a.jpg.json", R"({"photoTakenTime":{}})", "details of a photo in Google Photos"},
      {"Export-0a1b-Part-1.zip", "PK", "the inner archive of a Notion export"},
      {"NoteStore.sqlite", "SQLite format 3", "the database of Apple Notes"},
      {"notes.jex", "x", "a Joplin export"},
      {"letter.doc", "x", "a Word document of an old version"},
      {"sums.xls", "x", "an Excel workbook of an old version"},
      {"archive.pst", "!BDN", "an Outlook mailbox"},
      {"activities.csv", "Activity ID,Activity Date\n", "your Strava activities"},
      {"all.kdbx", "x", "a password database (KeePass)"},
      {"Chrome Passwords.csv", "name,url,username,password\n", "saved passwords of a browser"},
  };
  std::set<std::string> whats;
  for (const Sample& sample : samples) {
    EXPECT_EQ(recognized(sample.path, sample.head), sample.what) << sample.path;
    whats.insert(sample.what);
  }
  EXPECT_GE(whats.size(), 15U);
  std::set<std::string_view> all;
  for (const Signature& signature : all_signatures()) all.insert(signature.what);
  EXPECT_GE(all.size(), 40U);
}

TEST(Signatures, SayNothingOfOtherFiles) {
  EXPECT_EQ(recognized("photo.jpg", "x"), "");
  EXPECT_EQ(recognized("result.json", R"({"score":1})"), "");
  EXPECT_EQ(recognized("messages.json", "[]"), "");
  EXPECT_EQ(recognized("export.xml", "<feed>"), "");
}

TEST(Signatures, ComparePagesThatAreReadAsNotes) {
  EXPECT_EQ(recognized("ChatExport_2026-01-02/messages2.html", "<html>", true), "a Telegram export in HTML");
  EXPECT_EQ(recognized("Takeout/My Activity/Search/MyActivity.html", "<html>", true), "your Google activity in HTML");
  EXPECT_EQ(recognized("letter.doc", "x", true), "");
  EXPECT_EQ(recognized("page.html", "<html>", true), "");
}

TEST(Signatures, SayWhatToDo) {
  for (const Signature& signature : all_signatures()) {
    EXPECT_FALSE(signature.remedy.empty()) << signature.what;
    EXPECT_TRUE(signature.path.starts_with('*')) << signature.path;
    EXPECT_TRUE(sentence(signature).ends_with('.')) << signature.what;
  }
}

TEST(Signatures, PatternsMatchWholePaths) {
  EXPECT_TRUE(matches("/a/b.json", "*/b.json"));
  EXPECT_TRUE(matches("/b.json", "*/b.json"));
  EXPECT_FALSE(matches("/ab.json", "*/b.json"));
  EXPECT_TRUE(matches("/x/messages/a/b/message_1.json", "*/messages/*/message_*.json"));
  EXPECT_FALSE(matches("/b.json.gz", "*/b.json"));
  EXPECT_TRUE(matches("/fit/x", "*/fit/*"));
  EXPECT_FALSE(matches("", "*/fit/*"));
}

TEST(Plans, NameExportsInsideArchivesAndEveryFileLeftAlone) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / format("ladder-signatures-{}", getpid());
  testing::ZipMaker zip;
  zip.add("chats/main.jsonl", R"({"backupTimeMs":"1"})").add("chats/photos/a.jpg", "x");
  zip.add("Export-1-Part-1.zip", "PK").add("notes/a.md", "# A");
  testing::save(folder / "backup.zip", zip.bytes());
  const std::string path = (folder / "backup.zip").string();
  const auto plan = make_plan(std::span(&path, 1), "", {}, [] {});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->known.size(), 2U);
  EXPECT_EQ(plan->known[0].reason,
            "This is the inner archive of a Notion export. Ladder does not read it yet; unpack the outer archive and import the "
            "archives in it.");
  EXPECT_EQ(plan->known[1].place.file, "chats/main.jsonl");
  ASSERT_EQ(plan->left.size(), 3U);
  EXPECT_EQ(plan->left[1].what, "a Signal export");
  EXPECT_EQ(plan->left[2].path, "chats/photos/a.jpg");
  EXPECT_EQ(plan->left[2].what, "");
  EXPECT_EQ(plan->parts.size(), 1U);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ladder::imports
