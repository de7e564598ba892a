#include "sync/folder_state.h"

#include "sync/folder_choice.h"
#include "sync/source.h"

#include <gtest/gtest.h>

namespace ladder::sync {
namespace {

TEST(FolderState, RoundTrips) {
  FolderState folder;
  folder.wire_name = "Entw&APw-rfe";
  folder.name = "Entwürfe";
  folder.uid_validity = 3857529045;
  folder.uid_next = 4294967295;
  folder.modseq = 9223372036854775807U;
  folder.messages = 2;
  folder.token = "http://radicale.org/ns/sync/7";
  const std::vector<RecordKey> records = {{"messages", "3f16"}, {"filings", "9abc"}, {"attachments", "3f16-1"}};
  folder.add({7, "FS", records, false, "a b:2,é", "\"7-1\""});
  folder.add({8, "", {}, true, "-", ""});
  const FolderState read = folder_of(to_body(folder));
  EXPECT_EQ(read.wire_name, folder.wire_name);
  EXPECT_EQ(read.uid_validity, folder.uid_validity);
  EXPECT_EQ(read.uid_next, folder.uid_next);
  EXPECT_EQ(read.modseq, folder.modseq);
  EXPECT_EQ(read.chunk_count, 1);
  EXPECT_EQ(read.gone, 1);
  const Chunk chunk = chunk_of(to_lines(folder.chunks[0]));
  ASSERT_EQ(chunk.entries.size(), 2U);
  EXPECT_EQ(chunk.entries[0].flags, "FS");
  EXPECT_EQ(chunk.entries[0].records, records);
  EXPECT_EQ(chunk.entries[0].name, "a b:2,é");
  EXPECT_EQ(chunk.entries[0].stamp, "\"7-1\"");
  EXPECT_EQ(chunk.entries[1].name, "-");
  EXPECT_TRUE(chunk.entries[1].records.empty());
  EXPECT_EQ(read.token, folder.token);
  EXPECT_TRUE(chunk.entries[1].gone);
}

TEST(FolderState, AFullChunkIsFollowedByANewOne) {
  FolderState folder;
  for (imap::Uid uid = 1; uid <= kChunkEntries + 1; ++uid) folder.add({uid, "", {{"messages", "m"}}});
  ASSERT_EQ(folder.chunks.size(), 2U);
  EXPECT_EQ(folder.chunks[1].entries.size(), 1U);
  folder.forget_all();
  EXPECT_EQ(folder.live(), 0U);
  EXPECT_EQ(folder.uid_next, 1U);
}

TEST(FolderState, FlagsBecomeMaildirLetters) {
  EXPECT_EQ(maildir_flags({"\\seen", "\\flagged", "$forwarded"}), "FS");
  EXPECT_EQ(maildir_flags({"\\draft", "\\deleted", "\\answered", "\\recent"}), "DRT");
}

imap::Mailbox mailbox(const char* name, std::set<std::string> attributes = {}) { return {name, name, std::move(attributes)}; }

std::vector<std::string> names(const Result<std::vector<imap::Mailbox>>& chosen) {
  std::vector<std::string> all;
  if (chosen)
    for (const imap::Mailbox& one : *chosen) all.push_back(one.name);
  return all;
}

TEST(FolderChoice, LeavesOutJunkTrashAndFoldersThatRepeatOthers) {
  const std::vector<imap::Mailbox> all = {mailbox("INBOX"),
                                          mailbox("Lists", {"\\noselect"}),
                                          mailbox("Lists/a"),
                                          mailbox("Papierkorb", {"\\trash"}),
                                          mailbox("Deleted Messages"),
                                          mailbox("All", {"\\all"}),
                                          mailbox("Sent", {"\\sent"})};
  EXPECT_EQ(names(choose_folders(all, {}, false)), (std::vector<std::string>{"INBOX", "Lists/a", "Sent"}));
  EXPECT_EQ(names(choose_folders(all, {"papierkorb", "inbox"}, false)), (std::vector<std::string>{"Papierkorb", "INBOX"}));
  EXPECT_EQ(names(choose_folders(all, {}, true)), (std::vector<std::string>{"All"})) << "Gmail's folders are labels";
  EXPECT_EQ(choose_folders(all, {"nothing"}, false).error().code, Code::kNotFound);
  EXPECT_EQ(choose_folders(all, {"Lists"}, false).error().code, Code::kNotFound) << "it holds no messages";
}

TEST(Source, WaitsLongerAfterEachFailure) {
  EXPECT_EQ(wait_seconds(900, 1, false), 60);
  EXPECT_EQ(wait_seconds(900, 3, false), 240);
  EXPECT_EQ(wait_seconds(900, 100, false), 3600);
  EXPECT_EQ(wait_seconds(900, 1, true), 900) << "a rejected password is not tried every minute";
  EXPECT_EQ(wait_seconds(900, 100, true), 86'400);
  EXPECT_EQ(wait_seconds(7 * 86'400, 100, true), 7 * 86'400);
}

}  // namespace
}  // namespace ladder::sync
