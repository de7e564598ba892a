// Iterating over checked text: kinds, members, elements, offsets, references in stored rows.
#include "json/scan/scan.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ladder::json {
namespace {

TEST(ValueOf, DetectsTheKindAndTrims) {
  const std::vector<std::tuple<std::string_view, Kind, std::string_view>> table = {
      {"null", Kind::kNull, "null"},      {" true\n", Kind::kBool, "true"},
      {"false", Kind::kBool, "false"},    {"\t-1.5e3 ", Kind::kNumber, "-1.5e3"},
      {"0", Kind::kNumber, "0"},          {R"( " x " )", Kind::kString, R"(" x ")"},
      {" { } ", Kind::kObject, "{ }"},    {"\r\n[1, 2]\n", Kind::kArray, "[1, 2]"},
      {" @42 ", Kind::kReference, "@42"},
  };
  for (const auto& [text, kind, trimmed] : table) {
    EXPECT_EQ(value_of(text).kind, kind) << text;
    EXPECT_EQ(value_of(text).text, trimmed) << text;
  }
}

struct Seen {
  std::string name;
  Kind kind;
  std::string text;
  std::size_t offset;
  bool operator==(const Seen&) const = default;
};
void PrintTo(const Seen& seen, std::ostream* out) {
  *out << seen.name << " " << static_cast<int>(seen.kind) << " " << seen.text << " @" << seen.offset;
}

std::vector<Seen> members_of(std::string_view text) {
  std::vector<Seen> all;
  for (Members m(text); m.next();) {
    all.push_back({std::string(m.raw_name()), m.value().kind, std::string(m.value().text), m.member_offset()});
  }
  return all;
}

std::vector<Seen> elements_of(std::string_view text) {
  std::vector<Seen> all;
  for (Elements e(text); e.next();) all.push_back({"", e.value().kind, std::string(e.value().text), e.element_offset()});
  return all;
}

TEST(Members, IterateInOrderWithOffsets) {
  EXPECT_EQ(members_of("{}"), std::vector<Seen>{});
  EXPECT_EQ(members_of("{ \n }"), std::vector<Seen>{});
  EXPECT_EQ(members_of(R"({"a":1})"), (std::vector<Seen>{{"a", Kind::kNumber, "1", 1}}));
  EXPECT_EQ(members_of(R"({"a":1,"a":2})"), (std::vector<Seen>{{"a", Kind::kNumber, "1", 1}, {"a", Kind::kNumber, "2", 7}}));
  EXPECT_EQ(members_of("{ \"a\" : true ,\n\"\" :\tnull}"),
            (std::vector<Seen>{{"a", Kind::kBool, "true", 2}, {"", Kind::kNull, "null", 15}}));
  EXPECT_EQ(members_of(R"({"q\"\\":"}{][,:\"\\","o":{"x":[1,{"y":"}"}]} , "l" : [ "]" , [] ] })"),
            (std::vector<Seen>{{R"(q\"\\)", Kind::kString, R"("}{][,:\"\\")", 1},
                               {"o", Kind::kObject, R"({"x":[1,{"y":"}"}]})", 22},
                               {"l", Kind::kArray, R"([ "]" , [] ])", 48}}));
}

TEST(Members, SupportReferences) {
  EXPECT_EQ(members_of(R"({"a":@42,"b": @7 ,"c":{"d":@1}})"),
            (std::vector<Seen>{
                {"a", Kind::kReference, "@42", 1}, {"b", Kind::kReference, "@7", 9}, {"c", Kind::kObject, R"({"d":@1})", 18}}));
}

TEST(Members, FindNothingOutsideAnObject) {
  for (const std::string_view text : {"", "@42", "[1]", "null", R"("a")"})
    EXPECT_EQ(members_of(text), std::vector<Seen>{}) << text;
}

TEST(Elements, IterateInOrderWithOffsets) {
  EXPECT_EQ(elements_of("[]"), std::vector<Seen>{});
  EXPECT_EQ(elements_of("[ ]"), std::vector<Seen>{});
  EXPECT_EQ(elements_of("[1]"), (std::vector<Seen>{{"", Kind::kNumber, "1", 1}}));
  EXPECT_EQ(elements_of(R"([ null ,"],[" , [[1],[2]],{"a":[]} , @9 , -2.5E-7 ])"),
            (std::vector<Seen>{{"", Kind::kNull, "null", 2},
                               {"", Kind::kString, R"("],[")", 8},
                               {"", Kind::kArray, "[[1],[2]]", 16},
                               {"", Kind::kObject, R"({"a":[]})", 26},
                               {"", Kind::kReference, "@9", 37},
                               {"", Kind::kNumber, "-2.5E-7", 42}}));
  for (const std::string_view text : {"", "@42", "{}", "null"}) EXPECT_EQ(elements_of(text), std::vector<Seen>{}) << text;
}

TEST(Walk, SkipsStringsWithEscapesAtEveryPosition) {
  for (std::size_t length = 0; length < 24; ++length) {
    for (std::size_t at = 0; at <= length; ++at) {
      for (const std::string_view escape : {"\\\"", "\\\\", "\\u0022", "\\\\\\\""}) {
        const std::string inside = std::string(at, 'x') + std::string(escape) + std::string(length - at, 'y');
        const std::string text = "[\"" + inside + "\",7]";
        Elements elements(text);
        ASSERT_TRUE(elements.next());
        EXPECT_EQ(raw_content(elements.value()), inside);
        ASSERT_TRUE(elements.next());
        EXPECT_EQ(elements.value().text, "7");
        EXPECT_FALSE(elements.next());
      }
    }
  }
}

// Rows come from our own store, but a damaged row must not cause reads out of bounds or an endless loop.
TEST(Walk, StaysInsideUncheckedText) {
  const std::string whole = R"({"a":[1,{"b":"c\"d"},@3],"e":{"f":null},"g":"h"})";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    for (std::size_t from = 0; from <= length; ++from) {
      const std::vector<char> copy(whole.begin() + static_cast<std::ptrdiff_t>(from),
                                   whole.begin() + static_cast<std::ptrdiff_t>(length));
      const std::string_view cut(copy.data(), copy.size());
      std::size_t bytes = 0;
      std::size_t steps = 0;
      for (Members m(cut); m.next() && steps <= cut.size(); ++steps) bytes += m.value().text.size() + m.raw_name().size();
      for (Elements e(cut); e.next() && steps <= cut.size(); ++steps) bytes += e.value().text.size();
      EXPECT_LE(steps, cut.size());
      EXPECT_LE(bytes, cut.size());
      EXPECT_LE(value_of(cut).text.size(), cut.size());
    }
  }
}

TEST(Member, FindsTheFirstWithTheDecodedName) {
  const std::string_view text = R"({"a":1,"b\u0063":2,"a":3,"":4,"x/y":5})";
  EXPECT_EQ(member(text, "a")->text, "1");
  EXPECT_EQ(member(text, "bc")->text, "2");
  EXPECT_EQ(member(text, "")->text, "4");
  EXPECT_EQ(member(text, "x/y")->text, "5");
  EXPECT_FALSE(member(text, "b").has_value());
  EXPECT_FALSE(member(text, "b\\u0063").has_value());
  EXPECT_FALSE(member("{}", "a").has_value());
}

}  // namespace
}  // namespace ladder::json
