// The writer's commas, escapes and numbers; random trees survive writing, checking and walking.
#include "json/writer.h"

#include "base/text/utf8.h"
#include "json/scan/scan.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace ladder::json {
namespace {

using std::string_literals::operator""s;

TEST(Writer, PutsCommasAndQuotes) {
  Writer out;
  out.begin_object().member("a", "x").member("b", 1).member("c", true).member("d", std::string("y")).optional_member("e", "");
  out.optional_member("f", "z").key("g").begin_array().end_array().key("h").begin_array().null().boolean(false).number(-5);
  out.begin_object().end_object().begin_array().number(2).end_array().raw("{\"r\": 1}").string("s").end_array();
  out.key("i").begin_object().member("j", 0.5).end_object().end_object();
  EXPECT_EQ(out.text(),
            R"({"a":"x","b":1,"c":true,"d":"y","f":"z","g":[],"h":[null,false,-5,{},[2],{"r": 1},"s"],"i":{"j":0.5}})");
  EXPECT_TRUE(check(out.text(), 8).has_value());
}

TEST(Writer, WritesRangesAsArrays) {
  Writer out;
  const std::vector<std::string> names = {"a", "b\""}, none;
  out.begin_object().member("x", names).member("y", none).optional_member("z", none).optional_member("n", std::vector{1, 2});
  out.member("w", {"p", "q"}).member(std::string("v"), std::vector{true}).end_object();
  EXPECT_EQ(out.text(), R"({"x":["a","b\""],"y":[],"n":[1,2],"w":["p","q"],"v":[true]})");
}

TEST(Writer, RestartsAfterTake) {
  Writer out;
  EXPECT_EQ(out.begin_array().number(1).end_array().take(), "[1]");
  EXPECT_EQ(out.begin_array().end_array().take(), "[]");
}

TEST(Writer, EscapesOnlyRequiredCharacters) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", R"("")"},
      {"a/b", R"("a/b")"},
      {"\"\\", R"("\"\\")"},
      {"\b\f\n\r\t", R"("\b\f\n\r\t")"},
      {"\0\x01\x1F\x7F"s, "\"\\u0000\\u0001\\u001f\x7F\""},
      {"é日本😀\xE2\x80\xA8", "\"é日本😀\xE2\x80\xA8\""},
      {"long enough to be read as words\nand \"more\" of it", R"("long enough to be read as words\nand \"more\" of it")"},
  };
  for (const auto& [text, written] : table) {
    std::string out;
    append_string(out, text);
    EXPECT_EQ(out, written);
    std::string bare;
    append_escaped(bare, text);
    EXPECT_EQ("\"" + bare + "\"", written);
  }
}

// Texts are copied by blocks and words with overlapping ends.
TEST(Writer, EscapesAtEveryPositionOfTextsOfEveryLength) {
  for (std::size_t size = 0; size < 70; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      text[at] = at % 2 == 0 ? '"' : '\n';
      const std::string written = std::string(at, 'a') + (at % 2 == 0 ? "\\\"" : "\\n") + std::string(size - at - 1, 'a');
      EXPECT_EQ(Writer().begin_array().string("x").string(text).end_array().take(), "[\"x\",\"" + written + "\"]");
      EXPECT_EQ(Writer().begin_object().member(text, 1).end_object().take(), "{\"" + written + "\":1}");
    }
  }
}

TEST(Writer, GrowsWithItsOutput) {
  Writer out;
  std::string expected = "[";
  out.begin_array();
  for (std::size_t size = 1; size < 5000; size = size * 3 + 1) {
    const std::string plain(size, 'b'), controls(size, '\x01');
    out.begin_object()
        .member("plain", plain)
        .member("controls", controls)
        .member("size", size)
        .key("raw")
        .raw(plain)
        .end_object();
    if (expected.size() > 1) expected += ',';
    expected += "{\"plain\":\"" + plain + "\",\"controls\":\"";
    for (std::size_t i = 0; i < size; ++i) expected += "\\u0001";
    expected += "\",\"size\":" + std::to_string(size) + ",\"raw\":" + plain + "}";
  }
  EXPECT_EQ(out.end_array().text(), expected + "]");
  EXPECT_EQ(out.take(), expected + "]");
}

TEST(Writer, NumbersReadBack) {
  const auto written = [](auto value) { return Writer().number(value).take(); };
  EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(written(std::uint32_t{7}), "7");
  EXPECT_EQ(written(-7), "-7");
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(-0.5), "-0.5");
  EXPECT_EQ(written(std::nan("")), "null");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(-std::numeric_limits<double>::infinity()), "null");
  for (const double value : {1.0, 1e15, 1e16, 1e21, 1e-7, 123456.789, 5e-324, 1.7976931348623157e308, 1.0 / 3, -2.5e-10}) {
    const std::string text = written(value);
    EXPECT_TRUE(check(text, 0).has_value()) << text;
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    EXPECT_EQ(back, value) << text;
  }
}

// A separate tree type, so that the expected values do not come from the code under test.
struct Branch;
struct Tree {
  Kind kind = Kind::kNull;
  std::string scalar;  // the decoded string, or the text of the literal or number
  std::vector<Branch> below;
};
struct Branch {
  std::string name;
  Tree tree;
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Tree tree(int depth) {
    switch (pick(depth > 0 ? 6 : 4)) {
      case 0:
        return {Kind::kNull, "null", {}};
      case 1:
        return {Kind::kBool, pick(2) == 0 ? "true" : "false", {}};
      case 2:
        return {Kind::kNumber, std::to_string(static_cast<std::int64_t>(random_()) - 2'000'000'000), {}};
      case 3:
        return {Kind::kString, string(), {}};
      case 4:
        return container(Kind::kObject, depth);
      default:
        return container(Kind::kArray, depth);
    }
  }

 private:
  Tree container(Kind kind, int depth) {
    Tree made{kind, "", {}};
    for (unsigned left = pick(5); left > 0; --left)
      made.below.push_back({kind == Kind::kObject ? string() : "", tree(depth - 1)});
    return made;
  }

  std::string string() {
    static const std::vector<char32_t> interesting = {0,     1,     0x1F,   U' ',   U'"',    U'\\',   U'/', U'\n',
                                                      U'{',  U'}',  U'[',   U']',   U',',    U':',    0x7F, 0x80,
                                                      0x7FF, 0x800, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF};
    std::string text;
    for (unsigned left = pick(20); left > 0; --left) {
      utf8::append(text, pick(3) == 0 ? interesting[pick(static_cast<unsigned>(interesting.size()))] : U'a' + pick(26));
    }
    return text;
  }

  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

  std::mt19937 random_;
};

void write(Writer& out, const Tree& tree) {
  switch (tree.kind) {
    case Kind::kString:
      out.string(tree.scalar);
      return;
    case Kind::kObject:
      out.begin_object();
      for (const auto& [name, value] : tree.below) write(out.key(name), value);
      out.end_object();
      return;
    case Kind::kArray:
      out.begin_array();
      for (const auto& [name, value] : tree.below) write(out, value);
      out.end_array();
      return;
    default:
      out.raw(tree.scalar);
      return;
  }
}

void expect_same(const Value& value, const Tree& tree) {
  ASSERT_EQ(value.kind, tree.kind);
  std::size_t count = 0;
  if (tree.kind == Kind::kObject) {
    for (Members m(value.text); m.next(); ++count) {
      ASSERT_LT(count, tree.below.size());
      EXPECT_EQ(decode_string(m.raw_name()), tree.below[count].name);
      EXPECT_EQ(value.text[m.member_offset()], '"');
      expect_same(m.value(), tree.below[count].tree);
    }
    EXPECT_EQ(count, tree.below.size());
  } else if (tree.kind == Kind::kArray) {
    for (Elements e(value.text); e.next(); ++count) {
      ASSERT_LT(count, tree.below.size());
      expect_same(e.value(), tree.below[count].tree);
    }
    EXPECT_EQ(count, tree.below.size());
  } else {
    EXPECT_EQ(tree.kind == Kind::kString ? decode_string(raw_content(value)) : std::string(value.text), tree.scalar);
  }
}

TEST(Writer, RandomTreesSurviveWritingCheckingAndWalking) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const Tree tree = Generator(seed).tree(5);
    Writer out;
    write(out, tree);
    const auto facts = check(out.text(), 5);
    ASSERT_TRUE(facts.has_value()) << "seed " << seed << ": " << out.text();
    EXPECT_EQ(facts->lone_surrogates, 0);
    expect_same(value_of(out.text()), tree);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << ": " << out.text();
  }
}

}  // namespace
}  // namespace ladder::json
