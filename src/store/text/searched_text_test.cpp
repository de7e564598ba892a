#include "store/text/searched_text.h"

#include "store/long_values/split.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ladder::store {
namespace {

// The body that a store keeps for `data`.
std::string stored(const std::string& data) {
  BufferedValues values;
  const json::Value value = json::value_of(data);
  const auto plan = plan_split(value);
  EXPECT_TRUE(plan);
  const auto body = split_long_values(value, *plan, 1, values);
  EXPECT_TRUE(body);
  return *body;
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

const std::vector<WordColumn> kColumns = {{.column = 3, .field = "title"}, {.column = 0, .field = "bo\"dy"}};

TEST(SearchedText, ContainsStringMembersByColumn) {
  const auto texts = searched_texts(R"({"x":"no","title":"A \"b\" \u00e9","bo\"dy":"c"})", kColumns);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[0].column, 0);
  EXPECT_EQ(texts[0].text, "c");
  EXPECT_FALSE(texts[0].ref);
  EXPECT_EQ(texts[1].column, 3);
  EXPECT_EQ(texts[1].text, "A \"b\" é");
}

TEST(SearchedText, IgnoresOtherKinds) {
  for (const char* body : {R"({"title":""})", R"({"title":7})", R"({"title":null})", R"({"title":true})", R"({"title":["a"]})",
                           R"({"title":{"title":"a"}})", R"({"titles":"a"})", "{}"}) {
    EXPECT_TRUE(searched_texts(body, kColumns).empty()) << body;
  }
  EXPECT_TRUE(searched_texts(R"({"title":"a"})", {}).empty());
}

TEST(SearchedText, UsesTheFirstOfSeveralMembers) {
  const auto texts = searched_texts(R"({"title":"first","title":"second"})", kColumns);
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_EQ(texts[0].text, "first");
  EXPECT_TRUE(searched_texts(R"({"title":1,"title":"second"})", kColumns).empty());
}

TEST(SearchedText, ALongTextIsAReference) {
  const std::string text = repeated("many words ", 20'000);
  const auto texts = searched_texts(stored("{\"title\":\"" + text + "\"}"), kColumns);
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_EQ(texts[0].column, 3);
  EXPECT_TRUE(texts[0].text.empty());
  ASSERT_TRUE(texts[0].ref);
  EXPECT_EQ(texts[0].ref->size_chars, static_cast<std::int64_t>(text.size()));
}

TEST(SearchedText, SkipsBase64) {
  EXPECT_TRUE(searched_texts(stored("{\"title\":\"" + repeated("QUJD", 50'000) + "\"}"), kColumns).empty()) << "long";
  EXPECT_TRUE(searched_texts("{\"title\":\"" + repeated("QUJD", 64) + "\"}", kColumns).empty()) << "short";
  EXPECT_EQ(searched_texts("{\"title\":\"" + repeated("QUJD", 63) + "\"}", kColumns).size(), 1u) << "too short to detect";
}

TEST(SearchedText, SkipsLongObjectsAndArrays) {
  EXPECT_TRUE(searched_texts(stored("{\"title\":[\"" + repeated("many words ", 20'000) + "\"]}"), kColumns).empty());
}

}  // namespace
}  // namespace ladder::store
