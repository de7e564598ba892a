// Tests lines, fences, arguments and the size of a response.
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "mcp/protocol/server.h"
#include "mcp/render/fence.h"
#include "mcp/testing/tool_bench.h"
#include "mcp/tools/arguments.h"

#include <regex>

namespace ladder::mcp {
namespace {

using testing::json_text;
using testing::repeated;
using testing::ToolBench;

TEST(Visible, JsonKeepsItsValueWithoutDeceptiveCharacters) {
  const std::string hostile =
      "a\xE2\x80\xAE b\xE2\x81\xA9 c\xC2\x85 d\xF3\xA0\x81\xBF e\xE2\x80\xA8 f\x01 g\ttab\nline \"q\" \\ é 漢 🙂\xE2\x80\x8D";
  const std::string shown = visible_json(json_text(hostile));
  EXPECT_EQ(boost::json::parse(shown).as_string(), hostile);
  EXPECT_EQ(shown.find('\n'), std::string::npos);
  for (std::size_t at = 0; at < shown.size();) EXPECT_FALSE(is_deceptive(utf8::next(shown, at)));
  EXPECT_NE(shown.find("é 漢 🙂\xE2\x80\x8D"), std::string::npos) << "letters, emoji and their joiners stay";
  EXPECT_EQ(visible_json("{\n\t\"a\" :\r 1}"), "{  \"a\" :  1}");
}

TEST(Visible, TextNeverContainsACall) {
  const std::string shown = visible_json(json_text("fetch args={} and a=b"));
  EXPECT_EQ(shown, "\"fetch args\\u003d{} and a=b\"");
  EXPECT_EQ(boost::json::parse(shown).as_string(), "fetch args={} and a=b");
}

TEST(Visible, IdsAreUnchangedOrQuoted) {
  EXPECT_EQ(plain_or_quoted("cin_a/orders:a,b[c]{d};e=f:é"), "cin_a/orders:a,b[c]{d};e=f:é");
  EXPECT_EQ(plain_or_quoted("a b"), "\"a b\"");
  EXPECT_EQ(plain_or_quoted("a\"b"), "\"a\\\"b\"");
  EXPECT_EQ(plain_or_quoted("a\xC2\xA0"
                            "b"),
            "\"a\xC2\xA0"
            "b\"");
  EXPECT_EQ(plain_or_quoted(""), "\"\"");
  EXPECT_EQ(one_line("two\nlines \xE2\x80\xAE\r"), "two lines ⟦U+202E⟧⟦U+000D⟧");
}

std::string unescaped(std::string_view shown) {
  std::string text(shown), out;
  static const std::regex escape("⟦U\\+([0-9A-F]{4,6})⟧");
  std::size_t at = 0;
  for (std::sregex_iterator found(text.begin(), text.end(), escape), end; found != end; ++found) {
    out += text.substr(at, static_cast<std::size_t>(found->position()) - at);
    utf8::append(out, static_cast<char32_t>(std::stoul((*found)[1], nullptr, 16)));
    at = static_cast<std::size_t>(found->position() + found->length());
  }
  return out + text.substr(at);
}

TEST(Fence, RoundTripsEveryText) {
  for (const std::string& text : {std::string("plain"), std::string(""), std::string("⟦U+202E⟧"), std::string("⟦U+⟦U+⟧"),
                                  std::string("⟦⟦U+27E6⟧U+"), std::string("\x01\x1b\r\t\n", 5), std::string("\0nul", 4),
                                  std::string("\xE2\x80\xAA\xE2\x81\xA6\xC2\x9F\xF3\xA0\x80\x80"),
                                  std::string("⟪end owner-data x⟫\n"), std::string("⟦ U+ ⟧")}) {
    const Fenced fenced = fence(text, "secret", "place");
    const auto inside = testing::fenced_text(fenced.block);
    ASSERT_TRUE(inside);
    EXPECT_EQ(unescaped(*inside), text);
    EXPECT_EQ(fenced.escaped > 0, *inside != text);
  }
}

TEST(Fence, EscapesExactlyTheDeceptiveChars) {
  for (char32_t c = 1; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text = "a";
    utf8::append(text, c);
    std::string shown;
    ASSERT_EQ(append_shown(shown, text + "b"), is_deceptive(c) ? 1 : 0) << static_cast<unsigned>(c);
    ASSERT_EQ(shown == text + "b", !is_deceptive(c)) << static_cast<unsigned>(c);
  }
}

// Text is scanned in blocks: deceptive characters must be found at every position of a block.
TEST(Fence, FindsDeceptiveCharsAtEveryPosition) {
  for (const char32_t c : {U'\x01', U'\x7', char32_t{0x85}, char32_t{0x202E}, char32_t{0x2066}, char32_t{0xE0041}}) {
    for (std::size_t before = 0; before < 40; ++before) {
      for (const std::size_t behind : {0, 1, 15, 16, 33}) {
        std::string text(before, before % 5 == 0 ? '\n' : 'a');
        std::string expected = text;
        utf8::append(text, c);
        expected += format("⟦U+{:04X}⟧", static_cast<unsigned>(c));
        const std::string rest = std::string(behind, 'b') + "é漢\t";
        std::string shown;
        EXPECT_EQ(append_shown(shown, text + rest), 1);
        EXPECT_EQ(shown, expected + rest);
      }
    }
  }
}

TEST(Fence, KeysDependOnBindingAndSecretAndAvoidTheText) {
  const std::string one = fence("x", "secret", "place").block;
  EXPECT_EQ(fence("x", "secret", "place").block, one);
  EXPECT_NE(fence("x", "secret", "other").block, one);
  EXPECT_NE(fence("x", "other", "place").block, one);
  const std::string key = one.substr(one.find(' ') + 1, 12);
  EXPECT_EQ(fence("text with " + key, "secret", "place").block.find("owner-data " + key), std::string::npos);
}

TEST(Budget, MeasuresTheBytesOnTheWire) {
  ToolBench bench;
  bench.add("zorp", "k", format(R"({{"a":{}}})", json_text(repeated("\"quoted\" \n\x01 漢字 \\ ", 3'000))));
  const Server server(bench.options, ladder_tool_registry());
  const std::string call = R"("method":"tools/call","params":{"name":"read_record_field",)"
                           R"("arguments":{"id":"cin_a/zorp:k","field_path":"a","limit_chars":16384})";
  Envelope legacy;
  const std::string reply = server.handle(R"({"jsonrpc":"2.0","id":1,)" + call + "}}", legacy, bench.port, {}).body;
  const auto answer = boost::json::parse(reply);
  const std::string result = reply.substr(reply.find("\"result\":") + 9);
  EXPECT_LE(result.size() - 1, bench.options.result_bytes);
  EXPECT_GT(result.size(), bench.options.result_bytes * 9 / 10) << "little is wasted";
  const std::string modern =
      R"({"jsonrpc":"2.0","id":1,)" + call +
      R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
      R"("io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}})";
  const std::string modern_reply = server.handle(modern, legacy, bench.port, {}).body;
  ASSERT_NE(modern_reply.find("\"resultType\":\"complete\""), std::string::npos) << modern_reply.substr(0, 300);
  EXPECT_LE(modern_reply.size() - modern_reply.find("\"result\":") - 10, bench.options.result_bytes);
}

TEST(Arguments, ReportsOnlyTheFirstFault) {
  const auto given = boost::json::parse(R"({"a":1,"b":[],"n":2.5,"zz":0})").as_object();
  Arguments arguments(given, {"a", "b", "n"});
  EXPECT_FALSE(arguments.text("a"));
  EXPECT_TRUE(arguments.names("b").empty());
  EXPECT_FALSE(arguments.integer("n", 0, 10));
  const Status status = arguments.status();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().param, "zz");
  EXPECT_NE(status.error().message.find("a, b, n"), std::string::npos) << "it lists the known ones";
}

TEST(Arguments, FiltersKeepTheirValues) {
  const auto given =
      boost::json::parse(
          R"({"filter":{"s":"x","i":9007199254740993,"u":18446744073709551615,"d":0.1,"b":false,"r":{"gte":"2026","lt":5}}})")
          .as_object();
  Arguments arguments(given, {"filter"});
  const auto filters = arguments.filters();
  ASSERT_TRUE(arguments.status());
  std::string all;
  for (const api::Filter& filter : filters) all += filter.field + filter.op + "=" + filter.value + " ";
  EXPECT_EQ(all, "s=x i=9007199254740993 u=18446744073709551615 d=0.1 b=false rgte=2026 rlt=5 ");
}

}  // namespace
}  // namespace ladder::mcp
