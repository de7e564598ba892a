#include "store/locate.h"

#include "base/limits.h"
#include "store/directory.h"
#include "store/shred.h"
#include "store/testing/memory_reader.h"

#include <gtest/gtest.h>

namespace ladder::store {
namespace {

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
    row_.body = *shred(data, *plan_shred(data), 10, values_);
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

TEST_F(Locate, ShortValuesInTheRow) {
  keep(R"({"s":"a\nb","n":1.50,"t":true,"z":null,"o":{"k":[1,{"x~y/z":"deep"}]},"":"empty name"})");
  EXPECT_EQ(short_text(path("s")), "a\nb");
  EXPECT_EQ(short_text(path("n")), "1.50");
  EXPECT_EQ(short_text(path("t")), "true");
  EXPECT_EQ(find(path("z"))->kind, json::Kind::kNull);
  EXPECT_EQ(short_text(path("o")), R"({"k":[1,{"x~y/z":"deep"}]})");
  EXPECT_EQ(short_text(path("o", {"k", "1", "x~y/z"})), "deep");
  EXPECT_EQ(short_text(path("")), "empty name");
}

TEST_F(Locate, WhatIsNotThere) {
  keep("{\"s\":\"x\",\"n\":1,\"a\":[1,2],\"long\":" + in_quotes("x", 4'000) + ",\"big\":[" + in_quotes("x", 20'000) + ",1]}");
  for (const auto& where :
       {path("absent"), path("s", {"0"}), path("n", {"x"}), path("a", {"2"}), path("a", {"-"}), path("a", {"01"}),
        path("a", {"x"}), path("long", {"0"}), path("big", {"2"}), path("big", {"0", "0"}), path("big", {"1", "0"}),
        path("big", {"-"}), path("big", {"x"}), path("big", {"18446744073709551615"})}) {
    EXPECT_EQ(failure(where), Code::kFieldNotFound) << where.text;
  }
}

TEST_F(Locate, ReferencesToLongValues) {
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

TEST_F(Locate, EveryMemberOfALargeObjectAndEveryElement) {
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

TEST_F(Locate, NamesAreComparedDecoded) {
  keep(R"({"o":{"\u0061\ud83d\ude00\n":"found","\u0062":)" + in_quotes("x", 20'000) + "}}");
  EXPECT_EQ(short_text(path("o", {"a😀\n"})), "found");
  EXPECT_EQ(find(path("o", {"b"}))->ref->size_chars, 20'000);
}

TEST_F(Locate, OfARepeatedNameTheFirst) {
  keep("{\"o\":{\"a\":1,\"a\":" + in_quotes("x", 20'000) + ",\"b\":" + in_quotes("y", 20'000) + ",\"b\":2}}");
  EXPECT_EQ(short_text(path("o", {"a"})), "1");
  EXPECT_TRUE(find(path("o", {"b"}))->ref);
}

// Two names that would have the same hash: the directory is rewritten so that both stand under one key.
TEST_F(Locate, NamesOfOneHashAreToldApartByTheText) {
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

TEST_F(Locate, TextThatIsGoneMeansReadAgain) {
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

TEST_F(Locate, CostsItsDepthNotTheRecord) {
  // Ten levels, each with a megabyte beside the way down.
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
