#include "mcp/protocol/message.h"

#include "mcp/protocol/options.h"
#include "mcp/protocol/routing.h"

#include <gtest/gtest.h>

namespace ladder::mcp {
namespace {

TEST(Message, ParsesInPlace) {
  const std::string text =
      R"( {"params":{"a":1,"_meta":{"k":"v"}},"method":"m\u0065","id":"\u00e4","jsonrpc":"2.0","more":{"method":"x"}} )";
  const Incoming incoming = read_incoming(text, 1000);
  ASSERT_EQ(incoming.messages.size(), 1U);
  const Message& message = incoming.messages.front();
  EXPECT_EQ(message.kind, MessageKind::kRequest);
  EXPECT_EQ(message.id, R"("\u00e4")");
  EXPECT_EQ(message.method, "me");
  EXPECT_EQ(message.params, R"({"a":1,"_meta":{"k":"v"}})");
  EXPECT_EQ(message.meta, R"({"k":"v"})");
}

TEST(Message, Limits) {
  const std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  EXPECT_EQ(read_incoming(ping, ping.size()).fault, "");
  EXPECT_NE(read_incoming(ping, ping.size() - 1).fault, "");
  std::string array = "[" + ping;
  for (int more = 0; more < 100; ++more) array += "," + ping;
  const Incoming many = read_incoming(array + "]", 100'000);
  EXPECT_TRUE(many.is_array);
  EXPECT_EQ(many.count, 101U);
  EXPECT_EQ(many.messages.size(), kMaxBatch) << "a rejected batch is not parsed";
  const std::string deep = std::string(kMaxMessageDepth, '[') + std::string(kMaxMessageDepth, ']');
  EXPECT_EQ(read_incoming(deep, 1000).fault, "");
  EXPECT_NE(read_incoming("[" + deep + "]", 1000).fault, "");
}

TEST(Message, FindsMembersByDecodedNameAndReportsDuplicates) {
  const auto picked = pick<2>(R"({"b":2,"\u0061":1,"c":{"a":3}})", {"a", "b"});
  EXPECT_EQ(picked.values[0]->text, "1");
  EXPECT_EQ(picked.values[1]->text, "2");
  EXPECT_FALSE(picked.twice);
  EXPECT_TRUE((pick<1>(R"({"a":1,"\u0061":1})", {"a"}).twice));
  EXPECT_FALSE((pick<1>(R"({"b":1,"b":1})", {"a"}).twice)) << "unsolicited";
  EXPECT_FALSE((pick<1>("", {"a"}).values[0].has_value()));
}

TEST(Message, ComparesIdsByValue) {
  EXPECT_EQ(comparable_id(R"("\u0061\/")"), comparable_id(R"("a/")"));
  EXPECT_NE(comparable_id(R"("1")"), comparable_id("1"));
  EXPECT_EQ(comparable_id("1"), "1");
  EXPECT_EQ(comparable_id(R"("")"), R"("")");
}

TEST(HeaderValue, PlainOrStrictBase64) {
  EXPECT_EQ(header_text("\t a b "), "a b");
  EXPECT_EQ(header_text(""), "");
  EXPECT_EQ(header_text("  "), "");
  EXPECT_EQ(header_text("=?base64?"
                        "?="),
            "");
  EXPECT_EQ(header_text("=?base64?YQ==?="), "a");
  EXPECT_EQ(header_text("=?base64?4oKs?="), "€");
  EXPECT_EQ(header_text("=?base64?+/+/?="), std::nullopt) << "invalid UTF-8";
  EXPECT_EQ(header_text("=?base64?YWI/?="), "ab?");
  for (const char* bad : {"=?base64?YQ?=", "=?base64?YQ=?=", "=?base64?YR==?=", "=?base64?Y===?=", "=?base64?YQ==YQ==?=",
                          "=?base64?YW_j?=", "=?base64? YQ==?="}) {
    EXPECT_EQ(header_text(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(header_text("=?base64?="), "=?base64?=") << "begin and end may not overlap";
  EXPECT_EQ(header_text("=?base64?YQ=="), "=?base64?YQ==");
}

TEST(Version, DistinguishesErasByDate) {
  for (const std::string_view legacy : kLegacyVersions) {
    EXPECT_TRUE(is_legacy_version(legacy));
    EXPECT_FALSE(is_of_modern_era(legacy));
    EXPECT_EQ(negotiate(legacy), legacy);
  }
  EXPECT_TRUE(is_of_modern_era(kModernVersion));
  EXPECT_TRUE(is_of_modern_era("2026-07-29"));
  EXPECT_FALSE(is_of_modern_era("2026-07-27"));
  EXPECT_FALSE(is_of_modern_era("9999"));
  EXPECT_FALSE(is_of_modern_era("2026-07-2x"));
  EXPECT_FALSE(is_legacy_version("2024-11-05"));
  EXPECT_EQ(negotiate(kModernVersion), "2025-11-25");
}

}  // namespace
}  // namespace ladder::mcp
