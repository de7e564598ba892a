#include "import/json/json_stream.h"

#include "import/testing/collecting_sink.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using testing::CollectingSink;

// Reads in small pieces, so that values cross their borders.
class SmallPieces final : public Bytes {
 public:
  explicit SmallPieces(std::string_view bytes) : bytes_(bytes) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    return bytes_.read(buffer, std::min<std::size_t>(capacity, 3));
  }

 private:
  BytesInMemory bytes_;
};

struct Walked {
  std::vector<std::string> taken;
  CollectingSink sink;
};

Walked walk(std::string_view json, std::initializer_list<std::string_view> names) {
  Walked walked;
  SmallPieces bytes(json);
  JsonHandler handler;
  handler.decide = [&](const JsonPath& path) { return toward(path, names); };
  handler.take = [&](const JsonPath&, const json::Value& value, std::int64_t offset) -> Status {
    EXPECT_TRUE(json.substr(static_cast<std::size_t>(offset)).starts_with(value.text)) << value.text;
    walked.taken.emplace_back(value.text);
    return {};
  };
  EXPECT_TRUE(stream_json(bytes, "a.json", "value", handler, walked.sink));
  return walked;
}

using Texts = std::vector<std::string>;

TEST(JsonStream, TakesValuesAtAPathAndPassesOthers) {
  const std::string_view json =
      R"( {"a": [1, {"b": "x]}\""}], "list": [ {"m": [ 1 , "t\u0041" , {"k":[]} ]}, {"o": 2, "m": [3]} ], "z": -1.5e3} )";
  EXPECT_EQ(walk(json, {"list", "", "m", ""}).taken, (Texts{"1", R"("t\u0041")", R"({"k":[]})", "3"}));
  EXPECT_EQ(walk(json, {"z"}).taken, Texts{"-1.5e3"});
  EXPECT_EQ(walk(json, {"no", ""}).taken, Texts{});
  EXPECT_EQ(walk(" [1,2]", {""}).taken, (Texts{"1", "2"}));
}

TEST(JsonStream, DamageIsReportedOnceAndWhatCameBeforeIsKept) {
  Walked cut = walk(R"({"m": [{"a": 1}, {"a")", {"m", ""});
  EXPECT_EQ(cut.taken, Texts{R"({"a": 1})"});
  ASSERT_EQ(cut.sink.losses.size(), 1U);
  EXPECT_EQ(cut.sink.losses[0].reason, "the rest of the file cannot be read: the file ends too early");
  const Walked bad = walk(R"({"m": [{"a": 1}, {"a": nothing}, {"a": 2}]})", {"m", ""});
  EXPECT_EQ(bad.taken, (Texts{R"({"a": 1})", R"({"a": 2})"}));
  ASSERT_EQ(bad.sink.losses.size(), 1U);
  EXPECT_EQ(bad.sink.losses[0].place.byte, 17);
  for (const std::string_view json : {"", "{", "{\"m\"", "{\"m\":", "{\"m\":[1 2]}", "]", "{\"m\":[1,", "\"abc"}) {
    EXPECT_EQ(walk(json, {"m", ""}).sink.losses.size(), 1U) << json;
  }
}

}  // namespace
}  // namespace ladder::imports
