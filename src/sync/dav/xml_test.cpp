#include "sync/dav/xml.h"

#include "sync/dav/client.h"

#include <gtest/gtest.h>

namespace ladder::sync::dav {
namespace {

TEST(DavXml, ReadsNamespacesTextAndReferences) {
  const auto root = parse_xml(
      "\xEF\xBB\xBF<?xml version=\"1.0\"?><!-- x --><D:multistatus xmlns:D='DAV:' xmlns=\"urn:x\"><D:href "
      "a='1'>/a&amp;b&#x41;&#228;</D:href>"
      "<p><![CDATA[<raw> & ]]>more</p><D:empty/></D:multistatus>\n");
  ASSERT_TRUE(root) << root.error().message;
  EXPECT_TRUE(root->is("DAV:", "multistatus"));
  ASSERT_EQ(root->children.size(), 3U);
  EXPECT_EQ(root->find("DAV:", "href")->text, "/a&bAä");
  EXPECT_EQ(root->find("urn:x", "p")->text, "<raw> & more");
  EXPECT_EQ(root->find("urn:x", "href"), nullptr);
}

TEST(DavXml, RefusesWhatIsNotWellFormedOrTooMuch) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "<a>";
  for (const std::string& bad :
       {std::string(), std::string("text"), std::string("<a>"), std::string("<a></b>"), std::string("<a/><b/>"),
        std::string("<a b=c/>"), std::string("<x:a/>"), std::string("<a>&nbsp;</a>"), std::string("<a>&#0;</a>"),
        std::string("<a>&#xD800;</a>"), std::string("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>"),
        std::string("<a><!ELEMENT b></a>"), std::string("<a>\xFF</a>"), std::string("<a><![CDATA[x</a>"), std::string("<a b='"),
        deep, "<a xmlns='" + std::string(600, 'x') + "'/>"})
    EXPECT_EQ(parse_xml(bad).error().code, Code::kRsProtocol) << bad;
}

// A long namespace must not be kept once per element.
TEST(DavXml, ElementsShareTheirNamespace) {
  const auto root = parse_xml("<a xmlns='urn:x'><b/><c/></a>");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->children[0].space.get(), root->space.get());
  EXPECT_EQ(root->children[1].space.get(), root->space.get());
  std::string many = "<a>";
  for (int i = 0; i < 500'000; ++i) many += "<b/>";
  EXPECT_FALSE(parse_xml(many + "</a>")) << "too many elements";
}

TEST(DavXml, EscapesWhatItSends) { EXPECT_EQ(xml_escaped("a<b>&\"c"), "a&lt;b&gt;&amp;&quot;c"); }

TEST(DavClient, CredentialsStayInTheDomain) {
  EXPECT_EQ(resolve("https://dav.mail.example/x/y", "/z"), "https://dav.mail.example/z");
  EXPECT_EQ(resolve("https://dav.mail.example/x/y", "z"), "https://dav.mail.example/x/z");
  EXPECT_EQ(resolve("https://caldav.mail.example/", "https://p42-caldav.mail.example:443/1/"),
            "https://p42-caldav.mail.example/1/");
  EXPECT_EQ(resolve("https://dav.mail.example/", "https://elsewhere.example/"), std::nullopt);
  EXPECT_EQ(resolve("https://dav.mail.example/", "//evil.example/"), std::nullopt);
  EXPECT_EQ(resolve("https://dav.mail.example/", "http://dav.mail.example/"), std::nullopt) << "the encryption stays";
  EXPECT_EQ(resolve("https://10.0.0.1/", "https://10.9.0.1/"), std::nullopt);
  EXPECT_EQ(resolve("http://127.0.0.1:5232/", "/ann/"), "http://127.0.0.1:5232/ann/");
  EXPECT_FALSE(Client::open({"http://mail.example", "ann", "x"}, Service::kCalendars, {})) << "no password in clear text";
}

}  // namespace
}  // namespace ladder::sync::dav
