// Keys, names and values in every script are returned byte for byte, including NUL and 4-byte characters (design D2).
#include "store_suite.h"

#include "base/text/utf8.h"
#include "json/writer.h"
#include "store/testing/random_json.h"

#include <algorithm>

namespace ladder::store {
namespace {

const std::vector<std::string>& odd_texts() {
  static const std::vector<std::string> texts = {
      std::string("\0", 1),
      std::string("a\0b", 3),
      std::string("a\0", 2),
      "a",
      "😀",
      "👨‍👩‍👧‍👦",
      "e\u0301",
      "é",
      "שלום",
      "中文",
      "\U0010FFFF",
      "\uFFFF",
      "\uFEFF",
      "\x01\x1f\x7f",
      "'; DROP TABLE records; --",
      "\\x41",
      "%_",
      "\"",
      "\\",
      "/..",
      "\r\n\t",
      " ",
      "ß",
      "İ",
  };
  return texts;
}

std::string json_text(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

class UnicodeSuite : public StoreSuite {};
LADDER_FOR_EVERY_ENGINE(UnicodeSuite);

TEST_P(UnicodeSuite, StoresKeys) {
  std::vector<RecordWrite> batch;
  for (const std::string& key : odd_texts()) batch.push_back(world().record(key, "{\"title\":" + json_text(key) + "}"));
  world().write(world().notes(), std::move(batch));
  for (const std::string& key : odd_texts()) {
    const auto row = world().find(key);
    ASSERT_TRUE(row) << json_text(key);
    EXPECT_EQ(row->key, key);
    EXPECT_EQ(row->body, "{\"title\":" + json_text(key) + "}");
  }
  std::vector<std::string> sorted = odd_texts();
  std::ranges::sort(sorted);
  EXPECT_EQ(world().keys("notes", false, 5), sorted) << "keys are bytes and sort as bytes";
  EXPECT_EQ(world().changes({}, 0), odd_texts());
  for (const std::string& key : odd_texts()) EXPECT_EQ(world().remove(key), Outcome::kDeleted) << json_text(key);
}

TEST_P(UnicodeSuite, StoresALongKey) {
  const std::string key(1024, 'k'), other = std::string(1023, 'k') + "l";
  EXPECT_EQ(world().put(key, R"({"at":")" + std::string(300, 'a') + "\"}"), Outcome::kAdded);
  EXPECT_EQ(world().put(other, "{}"), Outcome::kAdded);
  EXPECT_TRUE(world().find(key));
  EXPECT_FALSE(world().find(key + "k"));
}

TEST_P(UnicodeSuite, StoresLongTexts) {
  int i = 0;
  for (const std::string& unit : odd_texts()) {
    const std::string text = long_text(unit, 10'000);
    const std::string data = "{\"body\":" + json_text(text) + "}";
    world().put(std::to_string(++i), data);
    const auto row = world().find(std::to_string(i));
    ASSERT_TRUE(row);
    EXPECT_EQ(world().whole(*row), data) << json_text(unit);
  }
}

TEST_P(UnicodeSuite, StoresEmittedAtAndNames) {
  RecordWrite write = world().record("a", "{\"n\\u0000ame\":1,\"\":2}");
  write.emitted_at = "2026-04-01T00:00:00.000000000001Z";
  world().write(world().notes(), World::one(std::move(write)));
  EXPECT_EQ(world().find("a")->body, "{\"n\\u0000ame\":1,\"\":2}");
  EXPECT_EQ(world().find("a")->emitted_at, "2026-04-01T00:00:00.000000000001Z");
  EXPECT_EQ(world().put("a", "{\"n\\u0000ame\":2,\"\":2}"), Outcome::kChanged);
}

TEST_P(UnicodeSuite, StoresRandomRecords) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    testing::RandomJson random(seed);
    const std::string data = random.record();
    const std::string key = random.text(1 + random.below(30));
    ASSERT_EQ(world().put(key, data), Outcome::kAdded) << seed;
    const auto row = world().find(key);
    ASSERT_TRUE(row);
    json::Members original(json::value_of(data).text);
    const std::string whole = world().whole(*row);
    for (json::Members walk(whole); walk.next();) {
      ASSERT_TRUE(original.next());
      ASSERT_EQ(walk.raw_name(), original.raw_name());
      if (walk.value().kind == json::Kind::kString) {  // long ones are escaped again
        ASSERT_EQ(json::decode_string(json::raw_content(walk.value())), json::decode_string(json::raw_content(original.value())));
      } else {
        ASSERT_EQ(walk.value().text, original.value().text);
      }
    }
    ASSERT_FALSE(original.next());
  }
}

}  // namespace
}  // namespace ladder::store
