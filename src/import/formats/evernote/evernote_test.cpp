#include "import/testing/reading.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr std::string_view kHead =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE en-export SYSTEM "
    "\"http://xml.evernote.com/pub/evernote-export3.dtd\">\n"
    "<en-export export-date=\"20250101T000000Z\">\n";

std::string note(std::string_view title, std::string_view more) {
  return "<note><title>" + std::string(title) + "</title>" + std::string(more) +
         "<created>20240102T030405Z</created><updated>20240203T040506Z</updated><tag>trip</tag><tag>spain</tag>"
         "<note-attributes><author>Ada</author><source-url>https://a.example</source-url><latitude>39.5</latitude>"
         "<longitude>-0.4</longitude></note-attributes></note>\n";
}

const std::string kContent =
    "<content><![CDATA[<?xml version=\"1.0\"?><!DOCTYPE en-note SYSTEM \"x\"><en-note><div>Caf&eacute;&nbsp;at nine</div>"
    "<div><en-todo checked=\"true\"/>pack</div><en-media hash=\"x\" type=\"image/png\"/></en-note>]]></content>";

TEST(Evernote, NotesHaveTextTagsTasksAndFiles) {
  const std::string resource =
      "<resource><data "
      "encoding=\"base64\">\nUE5H\nIQ==\n</data><mime>image/png</mime><resource-attributes><file-name>sea.png</file-name>"
      "</resource-attributes></resource><task><title>Call</title><taskStatus>open</taskStatus></task>";
  const CollectingSink sink =
      read_files(evernote_format(), {{"Travel.enex", std::string(kHead) + note("Plan", kContent + resource) + "</en-export>"}});
  EXPECT_EQ(sink.losses.size(), 0U);
  const Collected one = only(sink, "notes");
  EXPECT_EQ(member(one, "title"), "Plan");
  EXPECT_EQ(member(one, "notebook"), "Travel");
  EXPECT_EQ(member(one, "text"), "Café\u00A0at nine\n[x] pack\n[ ] Call") << one.data;
  EXPECT_EQ(member(one, "tags"), R"(["trip","spain"])");
  EXPECT_EQ(member(one, "created_at"), "2024-01-02T03:04:05.000Z");
  EXPECT_EQ(member(one, "author"), "Ada");
  EXPECT_EQ(member(one, "latitude"), "39.5");
  EXPECT_EQ(member(one, "file_names"), "sea.png");
  EXPECT_EQ(member(only(sink, "files"), "note"), member(one, "id"));
  EXPECT_EQ(sink.blobs.front().second, "PNG!");
}

TEST(Evernote, OneBadNoteDoesNotEndTheRest) {
  const Files files{{"a.enex", std::string(kHead) + note("one", kContent) +
                                   "<note><title>bad</title><content>a & b</x></content></note>" + note("two", kContent) +
                                   "<note><title>cut"}};
  const CollectingSink sink = read_files(evernote_format(), files);
  const auto notes = sink.of("notes");
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_EQ(member(notes[1], "title"), "bad");
  EXPECT_NE(member(notes[1], "problems"), "");
  ASSERT_EQ(sink.losses.size(), 2U);
  EXPECT_EQ(sink.losses[1].reason, "a note without an end: the export was cut short");
  expect_resumable(evernote_format(), files);
}

TEST(Evernote, NotesOfTheSameTitleAndSecondStayApart) {
  const std::string one = note("Untitled", "<content>one</content>"), two = note("Untitled", "<content>two</content>"),
                    three = note("Untitled", "<content>three</content>");
  const Files files{{"a.enex", std::string(kHead) + one + two}, {"b.enex", std::string(kHead) + three + one}};
  const CollectingSink sink = read_files(evernote_format(), files);
  const auto notes = sink.of("notes");
  ASSERT_EQ(notes.size(), 4U);
  const std::string first = member(notes[0], "id");
  EXPECT_EQ(member(notes[1], "id"), first + "-2");
  EXPECT_EQ(member(notes[2], "id"), first + "-3");
  EXPECT_EQ(member(notes[3], "id"), first) << "the same note in two files";
  expect_resumable(evernote_format(), files);
}

}  // namespace
}  // namespace ladder::imports
