#include "import/formats/content_lines.h"
#include "import/formats/format.h"
#include "import/testing/reading.h"
#include "json/scan/scan.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using testing::Collected;
using testing::CollectingSink;
using testing::Files;
using testing::member;
using testing::MemoryTree;

CollectingSink read_files(Files files) { return testing::read_files(contacts_format(), std::move(files)); }

std::string card(std::string_view lines, std::string_view version = "3.0") {
  return format("BEGIN:VCARD\r\nVERSION:{}\r\n{}END:VCARD\r\n", version, lines);
}

Collected only(const CollectingSink& sink) { return testing::only(sink, "contacts"); }

Collected only_card(std::string_view lines, std::string_view version = "3.0") {
  return only(read_files({{"a.vcf", card(lines, version)}}));
}

TEST(Contacts, Version3WithGroupsAndFolding) {
  const Collected record = only_card(
      "N:Lee;Ann;Marie;Dr.;PhD\r\nFN:Dr. Ann Lee\r\nORG:Example\\, Inc.;Research;Lab 1\r\nTITLE:Chief\r\n"
      "EMAIL;TYPE=INTERNET;TYPE=WORK;TYPE=pref:ann@example.org\r\nitem1.TEL:+1 555\r\n  "
      "0100\r\nitem1.X-ABLabel:_$!<Mobile>!$_\r\n"
      "item2.TEL;type=CELL:+1 555 0101\r\nitem2.X-ABLabel:Boat\r\nTEL;TYPE=HOME,VOICE:+1 555 0102\r\n"
      "ADR;TYPE=HOME:;;1 Main St\\nFloor 2;Town;TX;12345;USA\r\nBDAY:1985-04-12\r\nNOTE:met at\\na caf\xC3\xA9\r\n"
      "CATEGORIES:Friends,Work\r\nURL:https://example.org\r\nIMPP;X-SERVICE-TYPE=XMPP:xmpp:ann@example.org\r\n"
      "REV:2024-01-05T10:00:00Z\r\nUID:abc\r\n");
  EXPECT_EQ(member(record, "name"), "Dr. Ann Lee");
  EXPECT_EQ(member(record, "given_name") + "/" + member(record, "family_name") + "/" + member(record, "suffix"), "Ann/Lee/PhD");
  EXPECT_EQ(member(record, "organization"), "Example, Inc.");
  EXPECT_EQ(member(record, "department"), "Research, Lab 1");
  EXPECT_EQ(member(record, "emails"), R"([{"value":"ann@example.org","label":"work","preferred":true}])");
  EXPECT_EQ(member(record, "phones"), R"([{"value":"+1 555 0100","label":"Mobile"},{"value":"+1 555 0101","label":"Boat"},)"
                                      R"({"value":"+1 555 0102","label":"home"}])");
  EXPECT_EQ(member(record, "addresses"),
            R"([{"text":"1 Main St\nFloor 2, 12345, Town, TX, USA","label":"home",)"
            R"("street":"1 Main St\nFloor 2","city":"Town","region":"TX","postal_code":"12345","country":"USA"}])");
  EXPECT_EQ(member(record, "note"), "met at\na café");
  EXPECT_EQ(member(record, "categories"), R"(["Friends","Work"])");
  EXPECT_EQ(member(record, "updated_at"), "2024-01-05T10:00:00.000Z");
  EXPECT_NE(member(record, "reached_by").find("Mobile: +1 555 0100"), std::string::npos);
}

TEST(Contacts, Version21) {
  const Collected record = only_card(
      "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg\r\n"
      "FN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:J=F6rg =\r\nM=FCller\r\n"
      "TEL;CELL;VOICE:123\r\nEMAIL;PREF;INTERNET:j@example.org\r\nNOTE;QUOTED-PRINTABLE;CHARSET=UTF-8:one=0D=0Atwo\r\n"
      "PHOTO;JPEG;ENCODING=BASE64:\r\n /9j/4AAQ\r\n SkZJRg==\r\n\r\nTITLE:after\r\n",
      "2.1");
  EXPECT_EQ(member(record, "name"), "Jörg Müller");
  EXPECT_EQ(member(record, "family_name"), "Müller");
  EXPECT_EQ(member(record, "phones"), R"([{"value":"123","label":"cell"}])");
  EXPECT_EQ(member(record, "emails"), R"([{"value":"j@example.org","preferred":true}])");
  EXPECT_EQ(member(record, "note"), "one\ntwo");
  EXPECT_EQ(member(record, "job_title"), "after");
  EXPECT_NE(member(record, "blob_ref"), "");
}

TEST(Contacts, ABirthdayWithoutAYearHasNone) {
  const CollectingSink sink = read_files({{"a.vcf", card("FN:Ann\r\nBDAY;X-APPLE-OMIT-YEAR=1604:1604-05-09\r\n"
                                                         "X-SOCIALPROFILE;type=twitter:https://twitter.com/ann\r\n")}});
  EXPECT_EQ(member(only(sink), "birthday"), "--0509");
  EXPECT_EQ(member(only(sink), "urls"), R"([{"value":"https://twitter.com/ann","label":"twitter"}])");
}

TEST(Contacts, Version4) {
  const CollectingSink sink =
      read_files({{"a.vcf", card("FN:Ann\r\nKIND:individual\r\nTEL;VALUE=uri;TYPE=\"work,voice\";PREF=1:tel:+1-555\r\n"
                                 "PHOTO:data:image/png;base64,iVBORw0KGgo=\r\nBDAY:--0412\r\n"
                                 "UID:urn:uuid:4fbe8971-0bc3-424c-9c26-36c3e1eff6b1\r\n",
                                 "4.0")}});
  const Collected record = only(sink);
  EXPECT_EQ(member(record, "phones"), R"([{"value":"+1-555","label":"work","preferred":true}])");
  EXPECT_EQ(member(record, "uid"), "4fbe8971-0bc3-424c-9c26-36c3e1eff6b1");
  EXPECT_EQ(member(record, "birthday"), "--0412");
  ASSERT_EQ(sink.blobs.size(), 1U);
  EXPECT_EQ(sink.blobs[0].first, "image/png");
  EXPECT_EQ(sink.blobs[0].second, "\x89PNG\r\n\x1A\n");
}

TEST(Contacts, FallbackNames) {
  EXPECT_EQ(member(only_card("N:Lee;Ann;;;\r\n"), "name"), "Ann Lee");
  EXPECT_EQ(member(only_card("ORG:Example\r\n"), "name"), "Example");
  EXPECT_EQ(member(only_card("EMAIL:a@example.org\r\n"), "name"), "a@example.org");
  const CollectingSink sink = read_files({{"a.vcf", card("NOTE:nobody\r\n")}});
  EXPECT_TRUE(sink.records.empty());
  EXPECT_EQ(sink.losses.size(), 1U);
}

TEST(Contacts, Groups) {
  const Collected record = only_card("FN:Friends\r\nX-ADDRESSBOOKSERVER-KIND:group\r\nX-ADDRESSBOOKSERVER-MEMBER:urn:uuid:1\r\n");
  EXPECT_EQ(member(record, "kind"), "group");
  EXPECT_EQ(member(record, "members"), R"(["1"])");
}

TEST(Contacts, IdentityWithoutAUid) {
  const auto id = [](std::string_view lines) { return member(only_card(lines), "id"); };
  const std::string first = id("FN:Ann\r\nTEL:1\r\nEMAIL:a@x\r\n");
  EXPECT_EQ(first, id("EMAIL:A@x\r\nNOTE:new\r\nFN:Ann\r\nTEL:1\r\n"));
  EXPECT_NE(first, id("FN:Ann\r\nTEL:2\r\n"));
  EXPECT_EQ(id("UID:1\r\nFN:Ann\r\n"), id("UID:1\r\nFN:Ann Lee\r\nTEL:5\r\n"));
}

TEST(Contacts, TheNewestCardOfAnUidIsKept) {
  const std::string old_one = card("UID:1\r\nFN:Old\r\nREV:20230101T000000Z\r\n"),
                    new_one = card("UID:1\r\nFN:New\r\nREV:20240101T000000Z\r\n");
  for (const std::string& text : {old_one + new_one, new_one + old_one}) {
    const CollectingSink sink = read_files({{"a.vcf", text}});
    EXPECT_EQ(member(only(sink), "name"), "New");
    EXPECT_EQ(sink.skips.size(), 1U);
  }
}

TEST(Contacts, LossesHaveALocation) {
  const std::string text = "rubbish\r\n" + card("FN:One\r\n") + "BEGIN:VCARD\r\nFN:torn\r\n" +
                           card("FN:Two\r\nPHOTO;ENCODING=b:***\r\n") + "BEGIN:VCARD\r\nFN:cut";
  const CollectingSink sink = read_files({{"a.vcf", text}});
  ASSERT_EQ(sink.records.size(), 2U);
  EXPECT_EQ(member(sink.records[1], "problems"), R"(["the picture cannot be read"])");
  std::vector<std::int64_t> places;
  for (const Refusal& each : sink.losses) places.push_back(each.place.byte);
  EXPECT_EQ(places, (std::vector<std::int64_t>{0, static_cast<std::int64_t>(text.find("BEGIN:VCARD\r\nFN:torn")),
                                               static_cast<std::int64_t>(text.find("BEGIN:VCARD\r\nFN:cut"))}));
}

TEST(Contacts, TruncatedAtAnyByte) {
  const std::string text = card("N;ENCODING=QUOTED-PRINTABLE:M=C3=\r\n=BCller\r\nFN:One\r\n", "2.1") + card("FN:Two\r\n");
  const CollectingSink whole = read_files({{"a.vcf", text}});
  ASSERT_EQ(whole.records.size(), 2U);
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    MemoryTree tree({{"a.vcf", text.substr(0, cut)}});
    CollectingSink part;
    ASSERT_TRUE(contacts_format().read(tree, contacts_format().detect(tree, {}).at(0), {}, "", part));
    if (cut < text.find("END:VCARD") + 9) continue;
    ASSERT_GE(part.records.size(), 1U) << cut;
    EXPECT_EQ(part.records[0].data, whole.records[0].data);
  }
}

TEST(ContentLines, EscapesAndLists) {
  EXPECT_EQ(unescaped("a\\nb\\,c\\;d\\\\e\\xf\\"), "a\nb,c;d\\e\\xf\\");
  EXPECT_EQ(split_escaped("a\\,b, c,,d\\", ','), (std::vector<std::string>{"a,b", "c", "", "d\\"}));
  EXPECT_EQ(lenient_base64(" aGV s\r\n bG8"), "hello");
  EXPECT_EQ(lenient_base64("a*"), std::nullopt);
}

TEST(ContentLines, Parameters) {
  constexpr std::string_view kText = "\xEF\xBB\xBFitem1.x-Name;A=\"1;2:3\",b;C=^n^^^';HOME:va:lue\n  folded\nbad line\n;:\n";
  BytesInMemory bytes(kText);
  ContentLines lines(bytes);
  ASSERT_TRUE(lines.next().value_or(false));
  EXPECT_EQ(lines.line().group + "." + lines.line().name, "item1.X-NAME");
  EXPECT_EQ(lines.line().value, "va:lue folded");
  EXPECT_EQ(lines.line().parameter("A"), "1;2:3");
  EXPECT_TRUE(lines.line().has("A", "b"));
  EXPECT_EQ(lines.line().parameter("C"), "\n^\"");
  EXPECT_TRUE(lines.line().has("TYPE", "home"));
  ASSERT_TRUE(lines.next().value_or(false));
  EXPECT_EQ(lines.line().name, "");
  EXPECT_EQ(lines.line().offset, static_cast<std::int64_t>(kText.find("bad")));
  ASSERT_TRUE(lines.next().value_or(false));
  EXPECT_EQ(lines.line().name, "");
  EXPECT_FALSE(lines.next().value_or(true));
}

}  // namespace
}  // namespace ladder::imports
