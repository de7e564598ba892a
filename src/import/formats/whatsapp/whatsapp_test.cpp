#include "import/formats/whatsapp/chat_line.h"
#include "import/testing/collecting_sink.h"
#include "import/testing/memory_tree.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace ladder::imports {
namespace {

using testing::CollectingSink;
using testing::MemoryTree;

struct Line {
  std::string author, text, sent_at, kind;
  friend bool operator==(const Line&, const Line&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Line& line) {
    return out << line.sent_at << " <" << line.author << "> " << line.text << " (" << line.kind << ")";
  }
};

std::vector<Line> lines_of(const CollectingSink& sink) {
  std::vector<Line> lines;
  for (const auto& record : sink.records) {
    const auto object = boost::json::parse(record.data).as_object();
    const auto text = [&](const char* name) {
      return object.at(name).is_null() ? std::string("-") : std::string(object.at(name).as_string());
    };
    lines.push_back({text("author"), text("text"), text("sent_at").substr(0, 19), text("kind")});
  }
  return lines;
}

CollectingSink read_chat(std::string text, const std::string& name = "WhatsApp Chat with Ada.txt",
                         std::map<std::string, std::string> more = {}) {
  more[name] = std::move(text);
  MemoryTree tree(std::move(more));
  CollectingSink sink = read_all(whatsapp_format(), tree);
  EXPECT_EQ(sink.faults, std::vector<std::string>{});
  return sink;
}

TEST(WhatsApp, FileNamesInManyLanguages) {
  for (const char* name :
       {"WhatsApp Chat with Ada.txt", "WhatsApp Chat mit Ada.txt", "WhatsApp-Chat mit Ada.txt", "Chat de WhatsApp con Ada.txt",
        "Discussion WhatsApp avec Ada.txt", "WhatsApp Chat - Ada.zip/_chat.txt", "all/Ada.zip/_chat.txt"}) {
    const CollectingSink sink = read_chat("28.03.25, 09:29 - Grace: hello\n", name);
    ASSERT_FALSE(sink.records.empty());
    EXPECT_NE(sink.records[0].data.find("\"Ada\""), std::string::npos) << name << sink.records[0].data;
  }
}

TEST(WhatsApp, AndroidWithContinuationsAndSystemLines) {
  const CollectingSink sink = read_chat(
      "28/3/2025, 9:29\u202Fp.\u00A0m. - Messages are end-to-end encrypted. Nobody else can read them\n"
      "28/3/2025, 9:30 p. m. - Ada: first line\nsecond: line\n\nfourth\n"
      "28/3/2025, 11:05 a. m. - Bob \xF0\x9F\x98\x80: <Media omitted>\n"
      "28/3/2025, 12:05 a. m. - Ada:\n");
  EXPECT_EQ(lines_of(sink), (std::vector<Line>{
                                {"-", "", "2025-03-28T21:29:00", "system"},
                                {"Ada", "first line\nsecond: line\n\nfourth", "2025-03-28T21:30:00", "text"},
                                {"Bob \xF0\x9F\x98\x80", "<Media omitted>", "2025-03-28T11:05:00", "media"},
                                {"Ada", "", "2025-03-28T00:05:00", "text"},
                            }));
}

std::string member(const CollectingSink& sink, std::size_t record, const char* name) {
  const auto object = boost::json::parse(sink.records.at(record).data).as_object();
  const auto* value = object.if_contains(name);
  return value == nullptr ? "" : value->is_string() ? std::string(value->as_string()) : boost::json::serialize(*value);
}

TEST(WhatsApp, LocalTimesHaveNoZone) {
  const CollectingSink sink = read_chat("28.03.25, 09:29 - Grace: hello\n");
  EXPECT_EQ(member(sink, 0, "sent_at"), "2025-03-28T09:29:00");
}

TEST(WhatsApp, MarksAndEditNotesAreRemoved) {
  const CollectingSink sink = read_chat(
      "[31/12/2022, 11:40:26] Ada: see you at eight \u200E<This message was edited>\r\n"
      "[31/12/2022, 11:41:00] Ada: \u200Fשלום @\u2068Bob\u2069\r\n"
      "[31/12/2022, 11:42:00] Ada: um acht \u200E<Diese Nachricht wurde bearbeitet.>\r\n"
      "[31/12/2022, 11:43:00] Ada: a <b> in HTML\r\n"
      "[31/12/2022, 11:44:00] Ada: nine then <This message was edited>\r\n",
      "_chat.txt");
  const auto lines = lines_of(sink);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0].text, "see you at eight");
  EXPECT_EQ(member(sink, 0, "edited"), "true");
  EXPECT_EQ(lines[1].text, "שלום @Bob");
  EXPECT_EQ(member(sink, 1, "direction"), "rtl");
  EXPECT_EQ(member(sink, 1, "edited"), "");
  EXPECT_EQ(lines[2].text, "um acht");
  EXPECT_EQ(member(sink, 2, "edited"), "true");
  EXPECT_EQ(lines[3].text, "a <b> in HTML");
  EXPECT_EQ(lines[4].text, "nine then");
}

TEST(WhatsApp, SystemLinesHaveNoAuthorAndAreNotSearchable) {
  const CollectingSink alone = read_chat(
      "[31/12/2022, 11:40:00] Ada: \u200EMessages and calls are end-to-end encrypted. Only people in this chat can read them.\r\n"
      "[31/12/2022, 11:40:26] Ada: hi\r\n[31/12/2022, 11:41:00] Ada: \u200EMissed voice call\r\n",
      "WhatsApp Chat - Ada/_chat.txt");
  const auto lines = lines_of(alone);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], (Line{"-", "", "2022-12-31T11:40:00", "system"}));
  EXPECT_TRUE(member(alone, 0, "system_text").starts_with("Messages and calls are end-to-end encrypted"));
  EXPECT_EQ(lines[1].author, "Ada");
  EXPECT_EQ(lines[2], (Line{"Ada", "Missed voice call", "2022-12-31T11:41:00", "text"}));
  // In a group, system messages have the group's name as their author.
  const CollectingSink group = read_chat(
      "[31/12/2022, 11:40:00] Family: \u200EBob created this group\r\n[31/12/2022, 11:40:26] Ada: hi\r\n"
      "[31/12/2022, 11:41:00] Family: \u200EAda added Cy\r\n",
      "WhatsApp Chat - Family/_chat.txt");
  ASSERT_EQ(group.records.size(), 3U);
  EXPECT_EQ(lines_of(group)[0], (Line{"-", "", "2022-12-31T11:40:00", "system"}));
  EXPECT_EQ(member(group, 2, "system_text"), "Ada added Cy");
  EXPECT_EQ(lines_of(group)[1].author, "Ada");
}

TEST(WhatsApp, AndroidEditNotesInManyLanguages) {
  for (const char* note :
       {"<This message was edited>", "<This message was edited.>", "<Se editó este mensaje.>", "<Mensagem editada>",
        "<Сообщение изменено>", "<Bu mesaj düzenlendi>", "<Pesan ini diedit>", "<ההודעה נערכה>"}) {
    const CollectingSink sink = read_chat(std::string("28.03.25, 09:29 - Ada: at nine ") + note + "\n");
    EXPECT_EQ(lines_of(sink).at(0).text, "at nine") << note;
    EXPECT_EQ(member(sink, 0, "edited"), "true") << note;
  }
}

TEST(WhatsApp, AColonInAQuotedNameDoesNotEndAnAuthor) {
  const CollectingSink sink = read_chat(
      "28.03.25, 09:29 - Ada changed the group name from \"Plan: A\" to \"Plan: B\"\n"
      "28.03.25, 09:30 - Ada hat den Betreff zu „Reise: Rom“ geändert\n"
      "28.03.25, 09:31 - מפק\"צ 2: hello\n28.03.25, 09:32 - Ada \"the Countess\" L: hi: there\n");
  const auto lines = lines_of(sink);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].kind, "system");
  EXPECT_EQ(member(sink, 0, "system_text"), "Ada changed the group name from \"Plan: A\" to \"Plan: B\"");
  EXPECT_EQ(lines[1].kind, "system");
  EXPECT_EQ(lines[2].author, "מפק\"צ 2");
  EXPECT_EQ(lines[3].author, "Ada \"the Countess\" L");
  EXPECT_EQ(lines[3].text, "hi: there");
}

TEST(WhatsApp, SystemLinesAboutAPersonAreNotTheirMessages) {
  const CollectingSink sink = read_chat(
      "[31/12/2022, 11:40:00] Bob: \u200EBob created this group\r\n[31/12/2022, 11:40:26] Ada: \u200EYou added Ada.\r\n"
      "[31/12/2022, 11:41:00] Bob: \u200EThis message was deleted.\r\n[31/12/2022, 11:42:00] Bob: Bob is here\r\n"
      "[31/12/2022, 11:43:00] Bob: \u200EPOLL:\r\nWho comes?\r\n\u200EOPTION: Bob (2 votes)\r\n",
      "WhatsApp Chat - Family/_chat.txt");
  const auto lines = lines_of(sink);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0], (Line{"-", "", "2022-12-31T11:40:00", "system"}));
  EXPECT_EQ(lines[1].kind, "system");
  EXPECT_EQ(member(sink, 1, "system_text"), "You added Ada.");
  EXPECT_EQ(lines[2].author, "Bob");
  EXPECT_EQ(lines[3], (Line{"Bob", "Bob is here", "2022-12-31T11:42:00", "text"}));
  EXPECT_EQ(lines[4].author, "Bob");
}

TEST(WhatsApp, IosWithMediaNextToTheChat) {
  const CollectingSink sink = read_chat(
      "\u200E[31/12/2022, 11:40:26] Ada: hi\r\n\u200E[31/12/2022, 11:41:00] Ada: \u200E<attached: 01-PHOTO.jpg>\r\n"
      "[31/12/2022, 11:42:00] Bob: \u200Eimage omitted\r\n",
      "_chat.txt", {{"01-PHOTO.jpg", "JPEG"}});
  const auto lines = lines_of(sink);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], (Line{"Ada", "hi", "2022-12-31T11:40:26", "text"}));
  EXPECT_EQ(lines[1].kind, "media");
  EXPECT_EQ(lines[2].kind, "media");
  ASSERT_EQ(sink.blobs.size(), 1U);
  EXPECT_NE(sink.records[1].data.find("blob_sha256_"), std::string::npos);
}

TEST(WhatsApp, OmittedMediaInManyLanguages) {
  for (const char* words : {"image omitted", "Bild weggelassen", "image absente", "görüntü dahil edilmedi",
                            "изображение отсутствует", "gambar tidak disertakan", "התמונה הושמטה"}) {
    const CollectingSink sink = read_chat(std::string("[31/12/2022, 11:42:00] Bob: \u200E") + words + "\r\n", "_chat.txt");
    EXPECT_EQ(lines_of(sink).at(0).kind, "media") << words;
  }
}

TEST(WhatsApp, TextNextToAnAttachmentIsKept) {
  const CollectingSink sink = read_chat(
      "[31/12/2022, 11:40:26] Ada: contract.pdf • \u200E3 pages \u200E<attached: 02-contract.pdf>\r\n"
      "[31/12/2022, 11:41:00] Ada: First line\r\nof two \u200E<attached: 03-PHOTO.jpg>\r\n"
      "[31/12/2022, 11:42:00] Ada: see <this: that>\r\nand\r\n<other: x.jpg>\r\n",
      "_chat.txt", {{"02-contract.pdf", "PDF"}, {"03-PHOTO.jpg", "JPEG"}, {"x.jpg", "no"}});
  const auto lines = lines_of(sink);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].kind, "media");
  EXPECT_NE(sink.records[0].data.find(R"("attachment":"02-contract.pdf","blob_ref")"), std::string::npos);
  EXPECT_NE(sink.records[1].data.find(R"("attachment":"03-PHOTO.jpg","blob_ref")"), std::string::npos);
  EXPECT_EQ(lines[2].kind, "text");
  EXPECT_EQ(sink.blobs.size(), 2U);
}

TEST(WhatsApp, ClaimsOnlyFilesItsMessagesName) {
  MemoryTree tree(
      {{"WhatsApp Chat with Ada.txt", "28.03.25, 09:29 - Ada: plan.docx (file attached)\n28.03.25, 09:30 - Ada: a.jpg\n"},
       {"a.jpg", "x"},
       {"holiday.jpg", "x"},
       {"plan.docx", "x"}});
  const auto units = whatsapp_format().detect(tree, {});
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].entries, (std::vector<EntryNo>{0, 3}));
}

TEST(WhatsApp, DateFormatsOfManyPhones) {
  const std::pair<const char*, const char*> heads[] = {{"\u200F١٣\u200F/٥\u200F/٢٠٢٤، ٩:٠٥ م - ", "2024-05-13T21:05:00"},
                                                       {"۱۳/۵/۲۰۲۴, ۹:۰۵ ب.ظ - ", "2024-05-13T21:05:00"},
                                                       {"13/5/24, 9:05 μ.μ. - ", "2024-05-13T21:05:00"},
                                                       {"[13.5.2024 klo 21.05.07] ", "2024-05-13T21:05:07"},
                                                       {"13.5.2024 klo 9.05 - ", "2024-05-13T09:05:00"},
                                                       {"13/05/2024, 9:05 PTG - ", "2024-05-13T21:05:00"},
                                                       {"13/05/2024, 9:05 PG - ", "2024-05-13T09:05:00"},
                                                       {"2024. 5. 13. 오후 9:05 - ", "2024-05-13T21:05:00"},
                                                       {"2024/5/13 下午9:05 - ", "2024-05-13T21:05:00"},
                                                       {"5/13/24, 9:05\u202FPM - ", "2024-05-13T21:05:00"}};
  for (const auto& [head, time] : heads) {
    const auto lines = lines_of(read_chat(std::string(head) + "Ada: hello\n"));
    ASSERT_EQ(lines.size(), 1U) << head;
    EXPECT_EQ(lines[0], (Line{"Ada", "hello", time, "text"})) << head;
  }
}

TEST(WhatsApp, DateOrderIsDecidedOverTheWholeFile) {
  // Only the last line decides.
  EXPECT_EQ(lines_of(read_chat("1/2/24, 10:00 - A: x\n1/13/24, 10:00 - A: y\n"))[0].sent_at, "2024-01-02T10:00:00");
  EXPECT_EQ(lines_of(read_chat("1/2/24, 10:00 - A: x\n13/2/24, 10:00 - A: y\n"))[0].sent_at, "2024-02-01T10:00:00");
  // Only increasing time decides: 3 March, 4 April… against days of one month.
  EXPECT_EQ(lines_of(read_chat("3/1/24, 10:00 - A: x\n4/1/24, 10:00 - A: y\n2/2/24, 1:00 - A: z\n"))[1].sent_at,
            "2024-01-04T10:00:00");
  EXPECT_EQ(lines_of(read_chat("2024/02/01 10:00 - A: x\n"))[0].sent_at, "2024-02-01T10:00:00");
  EXPECT_EQ(lines_of(read_chat("01.02.24, 10:00 - A: x\n"))[0].sent_at, "2024-02-01T10:00:00");
  const CollectingSink unclear = read_chat("1/2/24, 10:00 - A: x\n");
  EXPECT_NE(unclear.records[0].data.find("\"date_ambiguous\":true"), std::string::npos);
}

TEST(WhatsApp, OverlapsHaveTheSameKeysAndRepeatsDifferentOnes) {
  const std::string first = "1/2/2024, 10:00 - A: ok\n1/2/2024, 10:00 - A: ok\n13/2/2024, 10:01 - B: no\n",
                    more = first + "14/2/2024, 9:00 - A: later\n";
  const CollectingSink one = read_chat(first), two = read_chat(more);
  ASSERT_EQ(one.records.size(), 3U);
  EXPECT_NE(one.records[0].data, one.records[1].data);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(one.records[i].data, two.records[i].data);
}

TEST(WhatsApp, InvalidLinesAreReported) {
  const CollectingSink sink = read_chat("stray\n30/13/2024, 10:00 - A: x\n13/12/2024, 10:00 - A: fine\n");
  ASSERT_EQ(sink.losses.size(), 2U);
  EXPECT_EQ(sink.losses[0].place.byte, 0);
  EXPECT_EQ(sink.losses[1].place.byte, 6);
  EXPECT_EQ(sink.records.size(), 1U);
}

TEST(WhatsApp, ResumesFromAPosition) {
  std::string text;
  for (int i = 0; i < 1200; ++i) text += format("13/2/2024, 10:{:02} - A: {}\n", i / 20, i);
  MemoryTree tree(testing::Files{{"_chat.txt", text}});
  const auto units = whatsapp_format().detect(tree, {});
  ASSERT_EQ(units.size(), 1U);
  CollectingSink whole, rest;
  ASSERT_TRUE(whatsapp_format().read(tree, units[0], {}, "", whole));
  ASSERT_GE(whole.checkpoints.size(), 2U);
  const auto& [position, before] = whole.checkpoints[0];
  ASSERT_TRUE(whatsapp_format().read(tree, units[0], {}, position, rest));
  ASSERT_EQ(before + rest.records.size(), whole.records.size());
  for (std::size_t i = 0; i < rest.records.size(); ++i) EXPECT_EQ(rest.records[i].data, whole.records[before + i].data);
}

TEST(WhatsApp, IsRecognizedByNameOrByItsLines) {
  MemoryTree tree({{"a/_chat.txt", ""},
                   {"chat.txt", "1/2/24, 10:00 - A: x\n1/2/24, 10:00 - A: x\n1/2/24, 10:00 - A: x\n"},
                   {"Ayşe ile WhatsApp Sohbeti.txt", "13.05.2024 21:05 - Ayşe: merhaba\n"},
                   {"About WhatsApp.txt", "A program for telephones"},
                   {"notes.txt", "1. buy milk"}});
  EXPECT_EQ(whatsapp_format().detect(tree, {}).size(), 3U);
}

TEST(ChatLineHeader, IsNotDetectedInOrdinaryText) {
  for (const std::string_view line :
       {"12/24 is Christmas", "1.2.3 - version", "10:30 - meeting", "[1/2/24] done", "2024-01-01", "1/2/24, 25:00 - A: x", ""}) {
    EXPECT_FALSE(parse_chat_line_header(line)) << line;
  }
}

}  // namespace
}  // namespace ladder::imports
