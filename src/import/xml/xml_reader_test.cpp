#include "import/xml/xml_reader.h"

#include "base/text/format.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using Step = XmlReader::Step;

// The steps as one text: <name|a=…> for a start, </name>, and the text itself.
std::string steps_of(std::string_view xml, std::string_view attribute = "a") {
  BytesInMemory bytes(xml);
  XmlReader reader(bytes);
  std::string out;
  for (;;) {
    const auto step = reader.next();
    if (!step) return out + "!" + step.error().message;
    if (*step == Step::kDone) return out;
    if (*step == Step::kDamaged) return out + "?" + reader.why();
    if (*step == Step::kText) {
      out += reader.text();
      continue;
    }
    const std::string_view value = *step == Step::kStart ? reader.attribute(attribute) : std::string_view();
    out += format("<{}{}{}{}>", *step == Step::kEnd ? "/" : "", reader.name(), value.empty() ? "" : "|", value);
  }
}

TEST(Xml, NamesHaveNoPrefixAndTextsAreJoined) {
  EXPECT_EQ(steps_of("<?xml version='1.0'?><w:p xmlns:w='x' w:a='1&lt;2'>a&amp;b<![CDATA[<c>]]> &#x20AC;<w:t/></w:p>"),
            "<p|1<2>a&b<c> \xE2\x82\xAC<t></t></p>");
}

TEST(Xml, NothingThatADocumentTypeDeclaresIsUsed) {
  EXPECT_EQ(steps_of("<!DOCTYPE x [<!ENTITY a \"AAAA\"><!ENTITY b \"&a;&a;\">]><x>&b;&nbsp;!</x>"), "<x>&b;\xC2\xA0!</x>");
  EXPECT_EQ(steps_of("<!DOCTYPE x SYSTEM \"file:///etc/passwd\"><x>&file;</x>"), "<x>&file;</x>");
  // Apple's declaration of 2022: an attribute list without its end.
  EXPECT_EQ(steps_of("<!DOCTYPE HealthData [\n<!ATTLIST Me a CDATA #REQUIRED\n<!ELEMENT b EMPTY>\n]>\n<x/>"), "<x></x>");
  EXPECT_EQ(steps_of("<x>&nbsp;</x>"), "<x>\xC2\xA0</x>") << "without a document type, too";
  std::string wide = "\xFF\xFE";
  for (const char c : std::string("<!DOCTYPE x [<!ENTITY a \"A\">]><x>&a;</x>")) wide += std::string{c, '\0'};
  EXPECT_NE(steps_of(wide).find("?it declares entities"), std::string::npos) << steps_of(wide);
}

TEST(Xml, ReadsCharactersThatAreNotAllowedAndOtherCharsets) {
  EXPECT_EQ(steps_of("<x>a\x0B\x01z</x>"), "<x>a  z</x>");
  EXPECT_EQ(steps_of("<?xml version='1.0' encoding='windows-1252'?><x>\x80\xE4</x>"), "<x>\xE2\x82\xAC\xC3\xA4</x>");
  EXPECT_EQ(steps_of("\xEF\xBB\xBF<x/>"), "<x></x>");
}

TEST(Xml, DamageEndsTheFileAndIsNamed) {
  EXPECT_EQ(steps_of("<x><y>1</y><z").substr(0, 14), "<x><y>1</y>?it");
  EXPECT_EQ(steps_of("<x></y>").substr(0, 6), "<x>?it");
  EXPECT_EQ(steps_of("").substr(0, 4), "?it ");
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "<x>";
  EXPECT_NE(steps_of(deep).find("nested too deeply"), std::string::npos);
}

TEST(Xml, AnElementIsTakenOrSkippedWhole) {
  BytesInMemory bytes("<a><b>1<c>2</c>3</b><d><e>x</e></d>4</a>");
  XmlReader reader(bytes);
  ASSERT_EQ(*reader.next(), Step::kStart);
  ASSERT_EQ(*reader.next(), Step::kStart);
  EXPECT_EQ(*reader.take_text(100), "123");
  ASSERT_EQ(*reader.next(), Step::kStart);
  ASSERT_TRUE(reader.skip_element());
  ASSERT_EQ(*reader.next(), Step::kText);
  EXPECT_EQ(reader.text(), "4");
  EXPECT_EQ(reader.depth(), 1U);
}

}  // namespace
}  // namespace ladder::imports
