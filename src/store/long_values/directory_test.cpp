#include "store/long_values/directory.h"

#include "base/limits.h"
#include "base/text/bytes.h"
#include "store/locate.h"
#include "store/long_values/split.h"
#include "store/testing/memory_reader.h"

#include <gtest/gtest.h>
#include <map>

namespace ladder::store {
namespace {

using Pages = std::map<std::int64_t, std::string>;

Pages packed(DirectoryBuilder& builder) {
  Pages pages;
  EXPECT_TRUE(builder.finish([&](std::int64_t first, std::string_view page) -> Status {
    EXPECT_TRUE(pages.emplace(first, page).second);
    return {};
  }));
  return pages;
}

// Finds the page with the greatest first key not greater than `key`, as stores do.
std::vector<DirectoryEntry> look_up(const Pages& pages, std::int64_t key) {
  auto behind = pages.upper_bound(key);
  if (behind == pages.begin()) return {};
  return find_entries(std::prev(behind)->second, key);
}

TEST(NameKey, IsTheStartOfTheHash) {
  // SHA-256("abc") = ba7816bf 8f01cfea …
  EXPECT_EQ(static_cast<std::uint64_t>(name_key("abc")), 0xba7816bf8f01cfeaULL);
}

TEST(Directory, FindsEveryMemberOfALargeObject) {
  DirectoryBuilder builder;
  std::vector<std::string> names;
  for (int i = 0; i < 5'000; ++i) names.push_back("name " + std::to_string(i));
  for (int i = 0; i < 5'000; ++i) {
    builder.add({name_key(names[static_cast<std::size_t>(i)]), 1, i * 10, 9, i % 7 == 0 ? "@" + std::to_string(i) : ""},
                names[static_cast<std::size_t>(i)]);
  }
  const Pages pages = packed(builder);
  EXPECT_GT(pages.size(), 10u);
  for (const auto& [first, page] : pages) EXPECT_LE(page.size(), limits::kChunkBytes);
  for (int i = 0; i < 5'000; ++i) {
    const auto found = look_up(pages, name_key(names[static_cast<std::size_t>(i)]));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].start_chars, i * 10);
    EXPECT_EQ(found[0].size_chars, 9);
    EXPECT_EQ(found[0].reference, i % 7 == 0 ? "@" + std::to_string(i) : "");
  }
  EXPECT_TRUE(look_up(pages, name_key("absent")).empty());
}

TEST(Directory, ArrayEntriesCoverARunOfElements) {
  DirectoryBuilder builder;
  std::int64_t index = 0;
  for (int run = 0; run < 3'000; ++run) {
    builder.add({index, 1 + run % 4, run * 100, 99, ""});
    index += 1 + run % 4;
  }
  const Pages pages = packed(builder);
  EXPECT_GT(pages.size(), 1u);
  std::int64_t at = 0;
  for (int run = 0; run < 3'000; ++run) {
    for (int i = 0; i < 1 + run % 4; ++i, ++at) {
      const auto found = look_up(pages, at);
      ASSERT_EQ(found.size(), 1u) << at;
      EXPECT_EQ(found[0].start_chars, run * 100);
      EXPECT_EQ(at - found[0].key, i);
    }
  }
  EXPECT_TRUE(look_up(pages, index).empty());
}

TEST(Directory, NamesWithTheSameHashShareAPage) {
  DirectoryBuilder builder;
  std::vector<std::string> names;
  for (int i = 0; i < 400; ++i) names.push_back(std::to_string(i) + std::string(20, 'x'));
  for (std::size_t i = 0; i < names.size(); ++i) {
    // Three hash values; the builder cannot know that real hashes never collide like this.
    builder.add({i < 150 ? -5 : i < 250 ? 5 : 6, 1, static_cast<std::int64_t>(i), 1, std::string(100, 'r')}, names[i]);
  }
  const Pages pages = packed(builder);
  EXPECT_EQ(look_up(pages, -5).size(), 150u);
  EXPECT_EQ(look_up(pages, 5).size(), 100u);
  EXPECT_EQ(look_up(pages, 6).size(), 150u);
  EXPECT_EQ(look_up(pages, 5)[1].start_chars, 151) << "in the order of the text";
}

TEST(Directory, UsesTheFirstOfARepeatedName) {
  DirectoryBuilder builder;
  builder.add({1, 1, 10, 1, ""}, "a");
  builder.add({1, 1, 20, 1, ""}, "\\u0061");  // the same name, escaped
  builder.add({1, 1, 30, 1, ""}, "b");        // another one with the same hash
  builder.add({1, 1, 40, 1, ""}, "b");
  const std::string text;
  builder.add({2, 1, 50, 1, ""}, std::string_view(text));  // the empty name is a name
  builder.add({2, 1, 60, 1, ""}, std::string_view(text));
  const Pages pages = packed(builder);
  const auto found = look_up(pages, 1);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].start_chars, 10);
  EXPECT_EQ(found[1].start_chars, 30);
  EXPECT_EQ(look_up(pages, 2).size(), 1u);
}

TEST(Directory, StopsWhenAPageCantBePut) {
  DirectoryBuilder builder;
  builder.add({1, 1, 0, 1, ""}, "a");
  const Status status =
      builder.finish([](std::int64_t, std::string_view) -> Status { return fail(Code::kStoreUnavailable, "full"); });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kStoreUnavailable);
}

TEST(Directory, InvalidPagesHaveNoEntries) {
  EXPECT_TRUE(find_entries("", 1).empty());
  EXPECT_TRUE(find_entries("short", 1).empty());
  std::string cut;
  put_u64_be(cut, 1);
  cut += std::string("\x00\x01\x05\x05\x7f", 5);  // a length of 127 bytes that do not follow
  EXPECT_TRUE(find_entries(cut, 1).empty());
}

using testing::MemoryReader;

model::FieldPath path(std::string field, std::vector<std::string> nested = {}) { return {field, field, std::move(nested)}; }

std::string in_quotes(std::string_view unit, std::int64_t times) {
  std::string text = "\"";
  for (std::int64_t i = 0; i < times; ++i) text += unit;
  return text + "\"";
}

class Locate : public ::testing::Test {
 protected:
  void keep(const std::string& text) {
    const json::Value data = json::value_of(text);
    row_.body = *split_long_values(data, *plan_split(data), 10, values_);
  }
  Result<Located> find(const model::FieldPath& where) {
    MemoryReader reader(values_);
    return locate(reader, row_, where);
  }
  std::string short_text(const model::FieldPath& where) {
    const auto located = find(where);
    EXPECT_TRUE(located) << located.error().message;
    return located && !located->ref ? located->text : "(long or absent)";
  }
  Code failure(const model::FieldPath& where) {
    const auto located = find(where);
    EXPECT_FALSE(located);
    return located ? Code::kInternal : located.error().code;
  }

  RecordRow row_;
  BufferedValues values_;
};

TEST_F(Locate, FindsShortValuesInTheRow) {
  keep(R"({"s":"a\nb","n":1.50,"t":true,"z":null,"o":{"k":[1,{"x~y/z":"deep"}]},"":"empty name"})");
  EXPECT_EQ(short_text(path("s")), "a\nb");
  EXPECT_EQ(short_text(path("n")), "1.50");
  EXPECT_EQ(short_text(path("t")), "true");
  EXPECT_EQ(find(path("z"))->kind, json::Kind::kNull);
  EXPECT_EQ(short_text(path("o")), R"({"k":[1,{"x~y/z":"deep"}]})");
  EXPECT_EQ(short_text(path("o", {"k", "1", "x~y/z"})), "deep");
  EXPECT_EQ(short_text(path("")), "empty name");
}

TEST_F(Locate, ReportsMissingValues) {
  keep("{\"s\":\"x\",\"n\":1,\"a\":[1,2],\"long\":" + in_quotes("x", 4'000) + ",\"big\":[" + in_quotes("x", 20'000) + ",1]}");
  for (const auto& where :
       {path("absent"), path("s", {"0"}), path("n", {"x"}), path("a", {"2"}), path("a", {"-"}), path("a", {"01"}),
        path("a", {"x"}), path("long", {"0"}), path("big", {"2"}), path("big", {"0", "0"}), path("big", {"1", "0"}),
        path("big", {"-"}), path("big", {"x"}), path("big", {"18446744073709551615"})}) {
    EXPECT_EQ(failure(where), Code::kFieldNotFound) << where.text;
  }
}

TEST_F(Locate, ReturnsReferencesToLongValues) {
  keep("{\"s\":" + in_quotes("é", 4'000) + ",\"o\":{\"inner\":{\"s\":" + in_quotes("y", 17'000) + ",\"n\":1}}}");
  EXPECT_EQ(find(path("s"))->ref->size_chars, 4'000);
  EXPECT_EQ(find(path("o"))->ref->kind, json::Kind::kObject);
  const auto inner = find(path("o", {"inner"}));
  ASSERT_TRUE(inner);
  ASSERT_TRUE(inner->ref);
  EXPECT_EQ(inner->ref->text_id, find(path("o"))->ref->id);
  EXPECT_EQ(inner->ref->text_start, 9);
  EXPECT_EQ(find(path("o", {"inner", "s"}))->ref->size_chars, 17'000);
  EXPECT_EQ(short_text(path("o", {"inner", "n"})), "1");
}

TEST_F(Locate, FindsEveryMemberAndElementOfLargeContainers) {
  std::string text = "{\"o\":{";
  for (int i = 0; i < 3'000; ++i) text += "\"k" + std::to_string(i) + "\" :\t" + std::to_string(i) + ",";
  text += "\"last\":0},\"a\":[";
  for (int i = 0; i < 9'000; ++i) text += std::to_string(i) + " , ";
  keep(text + "\"é\"]}");
  for (int i = 0; i < 3'000; ++i) ASSERT_EQ(short_text(path("o", {"k" + std::to_string(i)})), std::to_string(i));
  for (int i = 0; i < 9'000; i += 7) ASSERT_EQ(short_text(path("a", {std::to_string(i)})), std::to_string(i));
  EXPECT_EQ(short_text(path("a", {"9000"})), "é");
  EXPECT_EQ(failure(path("a", {"9001"})), Code::kFieldNotFound);
  EXPECT_EQ(failure(path("o", {"k3000"})), Code::kFieldNotFound);
}

TEST_F(Locate, ComparesDecodedNames) {
  keep(R"({"o":{"\u0061\ud83d\ude00\n":"found","\u0062":)" + in_quotes("x", 20'000) + "}}");
  EXPECT_EQ(short_text(path("o", {"a😀\n"})), "found");
  EXPECT_EQ(find(path("o", {"b"}))->ref->size_chars, 20'000);
}

TEST_F(Locate, UsesTheFirstOfARepeatedName) {
  keep("{\"o\":{\"a\":1,\"a\":" + in_quotes("x", 20'000) + ",\"b\":" + in_quotes("y", 20'000) + ",\"b\":2}}");
  EXPECT_EQ(short_text(path("o", {"a"})), "1");
  EXPECT_TRUE(find(path("o", {"b"}))->ref);
}

// Gives two names the same hash by rewriting the directory so that both have the same key.
TEST_F(Locate, DistinguishesNamesWithTheSameHash) {
  for (const bool long_values : {false, true}) {
    values_ = {};
    const std::string value = long_values ? in_quotes("x", 20'000) : "\"short\"";
    keep("{\"o\":{\"other\":" + value + ",\"wanted\":" + value + ",\"pad\":" + in_quotes("p", 20'000) + "}}");
    const std::string text = "{\"other\":" + value + ",\"wanted\":" + value;
    const auto start = static_cast<std::int64_t>(text.find("\"wanted\""));
    const auto size = static_cast<std::int64_t>(text.size()) - start;
    std::string other_reference, wanted_reference;
    if (long_values) {
      other_reference = format_reference(*find(path("o", {"other"}))->ref);
      wanted_reference = format_reference(*find(path("o", {"wanted"}))->ref);
    }
    DirectoryBuilder builder;
    builder.add({name_key("wanted"), 1, 1, start - 2, other_reference}, "other");
    builder.add({name_key("wanted"), 1, start, size, wanted_reference}, "wanted");
    values_.directory.clear();
    ASSERT_TRUE(
        builder.finish([&](std::int64_t first, std::string_view page) { return values_.put_directory_page(10, first, page); }));
    const auto located = find(path("o", {"wanted"}));
    ASSERT_TRUE(located) << located.error().message;
    if (long_values) {
      EXPECT_EQ(format_reference(*located->ref), wanted_reference);
    } else {
      EXPECT_EQ(located->text, "short");
    }
  }
}

TEST_F(Locate, ReportsMissingTextAsNotFound) {
  keep("{\"o\":{\"a\":1,\"b\":" + in_quotes("x", 20'000) + "},\"small\":[" + std::string(16'380, ' ') + "1]}");
  const BufferedValues all = values_;
  values_.chunks.clear();
  EXPECT_EQ(failure(path("o", {"a"})), Code::kNotFound);
  EXPECT_EQ(failure(path("small", {"0"})), Code::kNotFound);
  values_.directory.clear();
  EXPECT_EQ(failure(path("o", {"a"})), Code::kNotFound);
  values_ = all;
  EXPECT_EQ(short_text(path("o", {"a"})), "1");
  EXPECT_EQ(short_text(path("small", {"0"})), "1");
}

TEST_F(Locate, CostsDependOnDepthNotOnRecordSize) {
  // Ten levels, each with a megabyte next to the path.
  std::string text = "\"bottom\"";
  for (int level = 0; level < 10; ++level) {
    text = "{\"pad\":" + in_quotes("p", 50'000) + ",\"numbers\":[" + std::string(50'000, ' ') + "7],\"down\":" + text + "}";
  }
  keep("{\"top\":" + text + "}");
  MemoryReader reader(values_);
  const auto located = locate(reader, row_, path("top", std::vector<std::string>(10, "down")));
  ASSERT_TRUE(located) << located.error().message;
  EXPECT_EQ(located->text, "bottom");
  EXPECT_LE(reader.take_bytes_read(), 10 * 12'000);
}

}  // namespace
}  // namespace ladder::store
