// Field paths: literal names, pointers, and invalid ones.
#include "model/field_path.h"

#include "base/limits.h"

#include <gtest/gtest.h>

#include <string>

namespace ladder::model {
namespace {

TEST(FieldPath, NamesAreLiteral) {
  for (const std::string_view name : {"body", "a.b", "a b", "\"quoted\"", "~", "~0", "..", "a\\b", "😀", "$ref"}) {
    const auto path = parse_field_path(name);
    ASSERT_TRUE(path.has_value()) << name;
    EXPECT_EQ(path->text, name);
    EXPECT_EQ(path->field, name);
    EXPECT_TRUE(path->nested.empty());
  }
}

TEST(FieldPath, PointersSplitIntoFieldAndTokens) {
  const auto path = parse_field_path("/blocks/3/text");
  ASSERT_TRUE(path.has_value());
  EXPECT_EQ(path->text, "/blocks/3/text");
  EXPECT_EQ(path->field, "blocks");
  EXPECT_EQ(path->nested, (std::vector<std::string>{"3", "text"}));
  EXPECT_EQ(parse_field_path("/body")->field, "body");
  EXPECT_TRUE(parse_field_path("/body")->nested.empty());
  EXPECT_EQ(parse_field_path("/a~1b~0")->field, "a/b~");
  EXPECT_EQ(parse_field_path("/a/")->nested, std::vector<std::string>{""});
}

TEST(FieldPath, RejectsInvalidPaths) {
  std::string deep;
  for (std::size_t i = 0; i <= limits::kMaxPointerDepth; ++i) deep += "/x";
  for (const std::string& text : {std::string(), std::string("/"), std::string("//x"), std::string("a/b"), std::string("/a~2"),
                                  std::string("/a~"), std::string("a\0b", 3), std::string("/a\0b", 4), std::string("\xFF"), deep,
                                  std::string(limits::kMaxFieldPathBytes + 1, 'x')}) {
    const auto path = parse_field_path(text);
    ASSERT_FALSE(path.has_value()) << text;
    EXPECT_EQ(path.error().code, Code::kInvalidFieldPath) << text;
    EXPECT_EQ(path.error().param, "field_path") << text;
  }
  EXPECT_NE(parse_field_path("a/b").error().message.find("/a~1b"), std::string::npos);
}

TEST(FieldPath, FormattedPathsRoundTrip) {
  EXPECT_EQ(format_field_path("body"), "body");
  EXPECT_EQ(format_field_path("a/b"), "/a~1b");
  EXPECT_EQ(format_field_path("/lead"), "/~1lead");
  EXPECT_EQ(format_field_path("blocks", {"3", "a/b"}), "/blocks/3/a~1b");
  for (const std::string field : {"body", "a/b", "/lead", "~", "a~1b", "a.b"}) {
    const auto path = parse_field_path(format_field_path(field));
    ASSERT_TRUE(path.has_value()) << field;
    EXPECT_EQ(path->field, field);
    EXPECT_TRUE(path->nested.empty());
  }
}

}  // namespace
}  // namespace ladder::model
