#include "html/html.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <type_traits>

namespace ladder::html {
namespace {

template <class T>
concept Writable = requires(Writer& out, const T& value) { out << value; };

// Unescaped text does not compile.
static_assert(Writable<Text> && Writable<Attribute> && Writable<Markup> && Writable<Writer>);
static_assert(!Writable<std::string> && !Writable<std::string_view> && !Writable<const char*> && !Writable<char> &&
              !Writable<int>);
static_assert(!std::is_constructible_v<Markup, std::string> && !std::is_constructible_v<Markup, std::string_view> &&
              !std::is_constructible_v<Markup, const char*>);
static_assert(!std::is_constructible_v<Url, std::string> && !std::is_constructible_v<Url, std::string_view>);
static_assert(!std::is_convertible_v<std::string, Text>);

std::string escaped(std::string_view text) {
  Writer out;
  out << Text(text);
  return out.take();
}

TEST(Html, EscapesText) {
  EXPECT_EQ(escaped("<script>alert(\"1\" & '2')</script>"),
            "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;");
  EXPECT_EQ(escaped("Grüße 中文 🙂\n"), "Grüße 中文 🙂\n");
}

TEST(Html, ShowsHiddenAndBidiCharacters) {
  EXPECT_EQ(escaped("a\u202Eb"), "aU+202Eb");
  EXPECT_EQ(escaped("a\u200Bb\uFEFF"), "aU+200BbU+FEFF");
  const std::string family = "\U0001F469\u200D\U0001F469\u200D\U0001F467", sailing = "\U0001F3F3\uFE0F\u200D\U0001F308";
  EXPECT_EQ(escaped(family), family);
  EXPECT_EQ(escaped(sailing), sailing);
  EXPECT_EQ(escaped("\U0001F469\u200Da"), "\U0001F469U+200Da");
  EXPECT_EQ(escaped("a\u200D\U0001F469"), "aU+200D\U0001F469");
  EXPECT_EQ(escaped("\U0001F469\u200D"), "\U0001F469U+200D");
  EXPECT_EQ(escaped("\xF3\xA0\x81\x81"), "U+E0041");
  EXPECT_EQ(escaped(std::string_view("a\0b\x1B", 4)), "a\uFFFDb\uFFFD");
}

TEST(Html, ReplacesInvalidUtf8) {
  EXPECT_EQ(escaped("\xC0\xBCscript\xFF"), "\uFFFD\uFFFDscript\uFFFD");
  EXPECT_EQ(escaped("\xE2\x82"), "\uFFFD\uFFFD");
}

TEST(Html, QuotesAndEscapesAttributes) {
  Writer out;
  out << Markup("<input") << Attribute("value", R"("><script>)") << Markup(">");
  EXPECT_EQ(out.text(), "<input value=\"&quot;&gt;&lt;script&gt;\">");
}

TEST(Html, RejectsScriptAttributesAndPlainAddresses) {
  EXPECT_THROW(Attribute("onclick", "x"), std::logic_error);
  EXPECT_THROW(Attribute("style", "x"), std::logic_error);
  EXPECT_THROW(Attribute("href", "javascript:1"), std::logic_error);
  EXPECT_THROW(Attribute("a b", "x"), std::logic_error);
  EXPECT_NO_THROW(Attribute("href", Url::path("/clients")));
}

TEST(Html, RejectsUrlsThatRunScripts) {
  for (const char* bad : {"javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd",
                          "blob:x", "", "/path", "java\nscript:x", " javascript:x", "x\"y:z"}) {
    EXPECT_FALSE(Url::checked(bad)) << bad;
  }
  for (const char* good : {"https://claude.ai/api/mcp/auth_callback?code=1&state=2", "http://127.0.0.1:3118/callback",
                           "cursor://anysphere.cursor-mcp/oauth/callback"}) {
    EXPECT_TRUE(Url::checked(good)) << good;
  }
}

TEST(Html, EncodesQueryValues) {
  EXPECT_EQ(Url::path("/consent?request=", "a&b=c/ü").text(), "/consent?request=a%26b%3Dc%2F%C3%BC");
}

TEST(Html, FormatsNumbersWithCommas) {
  Writer out;
  for (const std::int64_t n : {0LL, 999LL, 1000LL, 1234567LL, -1234LL}) out << Text(n) << Markup(" ");
  EXPECT_EQ(out.text(), "0 999 1,000 1,234,567 -1,234 ");
}

TEST(Html, ProseKeepsJoinersAndShowsBidiOverrides) {
  Writer out;
  out << Prose("<b>\xE2\x80\x8D\xE2\x80\x8F\xE2\x81\xA8x\xE2\x81\xA9\xE2\x80\xAE\x01");
  EXPECT_EQ(out.text(), "&lt;b&gt;\xE2\x80\x8D\xE2\x80\x8F\xE2\x81\xA8x\xE2\x81\xA9U+202E\xEF\xBF\xBD");
}

TEST(Html, UrlsAppendQueryParameters) {
  const Url url = Url::path("/explore").with("q", "a b&c=\"").with("as", "").with("source", "mail").at("text");
  EXPECT_EQ(url.text(), "/explore?q=a%20b%26c%3D%22&source=mail#text");
}

}  // namespace
}  // namespace ladder::html
