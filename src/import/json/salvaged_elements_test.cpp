#include "import/json/salvaged_elements.h"

#include "base/text/format.h"
#include "import/json/json_members.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ladder::imports {
namespace {

struct Taken {
  std::vector<std::string> elements;
  std::vector<std::pair<std::int64_t, std::int64_t>> losses;
  std::vector<std::string> reasons;
};

// Returns its text in small pieces.
class ChunkedBytes final : public Bytes {
 public:
  ChunkedBytes(std::string_view text, std::size_t piece) : text_(text), piece_(piece) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    const std::size_t count = std::min({capacity, piece_, text_.size()});
    text_.copy(buffer, count);
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
  std::size_t piece_;
};

bool has_id(const json::Value& object) { return member_of(object, "id").kind == json::Kind::kNumber; }

Taken take(std::string_view text, std::size_t piece = 1 << 20) {
  ChunkedBytes bytes(text, piece);
  SalvagedElements elements(bytes, has_id);
  Taken taken;
  for (;;) {
    const auto step = elements.next();
    EXPECT_TRUE(step.has_value());
    if (!step || *step == SalvagedElements::Step::kEnd) return taken;
    if (*step == SalvagedElements::Step::kElement) {
      taken.elements.emplace_back(elements.element());
      continue;
    }
    taken.losses.emplace_back(elements.offset(), elements.end_offset());
    taken.reasons.push_back(elements.why());
  }
}

using Texts = std::vector<std::string>;
using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(SalvagedElements, ReadsAValidArrayInPiecesOfAnySize) {
  const std::string text = "\xEF\xBB\xBF [ {\"id\":1,\"a\":\"]},{\\\"\"} ,\r\n{\"id\":2,\"b\":[{\"id\":9}]}, 7,\"x\\\\\" ]\n";
  for (const std::size_t piece : {1, 2, 3, 7, 1000}) {
    const Taken taken = take(text, piece);
    EXPECT_EQ(taken.elements, (Texts{"{\"id\":1,\"a\":\"]},{\\\"\"}", "{\"id\":2,\"b\":[{\"id\":9}]}", "7", "\"x\\\\\""}))
        << piece;
    EXPECT_EQ(taken.losses, Ranges());
  }
  EXPECT_EQ(take("[]").elements, Texts());
  EXPECT_EQ(take("[]").losses, Ranges());
}

TEST(SalvagedElements, AMissingQuoteCostsOneElement) {
  const std::string text = R"([{"id":1},{"id":2,"a":"open,"b":"x"},{"id":3,"c":"y"},{"id":4}])";
  for (const std::size_t piece : {1, 5, 1000}) {
    const Taken taken = take(text, piece);
    EXPECT_EQ(taken.elements, (Texts{R"({"id":1})", R"({"id":3,"c":"y"})", R"({"id":4})"})) << piece;
    EXPECT_EQ(taken.losses, (Ranges{{10, 37}}));
  }
}

TEST(SalvagedElements, MissingAndExtraBrackets) {
  const std::string missing = R"([{"id":1},{"id":2,"a":{"b":1},{"id":3},{"id":4}])";
  EXPECT_EQ(take(missing).elements, (Texts{R"({"id":1})", R"({"id":3})", R"({"id":4})"}));
  EXPECT_EQ(take(missing).losses.size(), 1U);
  const std::string more = R"([{"id":1}},{"id":2}]],{"id":3}])";
  EXPECT_EQ(take(more).elements, (Texts{R"({"id":1})", R"({"id":2})", R"({"id":3})"}));
  const std::string comma = R"([{"id":1} {"id":2}])";
  EXPECT_EQ(take(comma).elements, (Texts{R"({"id":1})", R"({"id":2})"}));
  EXPECT_EQ(take(comma).losses, Ranges());
}

TEST(SalvagedElements, NestedObjectsOfADamagedElementAreNotElements) {
  const std::string text = R"([{"id":1,"in":[{"no":1},{"no":2}],"bad":tru},{"id":2}])";
  EXPECT_EQ(take(text).elements, (Texts{R"({"id":2})"}));
  EXPECT_EQ(take(text).losses, (Ranges{{1, 45}}));
}

TEST(SalvagedElements, TruncatedFile) {
  for (const std::string_view text : {R"([{"id":1},{"id":2,"a":"b)", R"([{"id":1},{"id":2)", R"([{"id":1},)", R"([{"id":1})"}) {
    const Taken taken = take(text);
    EXPECT_EQ(taken.elements, (Texts{R"({"id":1})"})) << text;
    EXPECT_EQ(taken.losses.size(), 1U) << text;
  }
  EXPECT_EQ(take("").reasons, (Texts{"the file is empty"}));
  EXPECT_EQ(take("no").reasons, (Texts{"the file does not start with a JSON array"}));
}

TEST(SalvagedElements, InvalidUtf8IsRepaired) {
  const std::string text = "[{\"id\":1,\"a\":\"caf\xE9\"},{\"id\":2}]";
  ChunkedBytes bytes(text, 1000);
  SalvagedElements elements(bytes, has_id);
  ASSERT_EQ(elements.next().value(), SalvagedElements::Step::kElement);
  EXPECT_TRUE(elements.repaired());
  EXPECT_EQ(elements.element(), R"({"id":1,"a":"café"})");
  ASSERT_EQ(elements.next().value(), SalvagedElements::Step::kElement);
  EXPECT_FALSE(elements.repaired());
  EXPECT_EQ(elements.offset(), 21);
}

TEST(SalvagedElements, DamageInALongFileLosesNothingElse) {
  std::string text = "[";
  std::vector<std::int64_t> starts;
  for (int i = 0; i < 4000; ++i) {
    if (i > 0) text += ",\n";
    starts.push_back(static_cast<std::int64_t>(text.size()));
    text += format(R"({{"id":{},"text":"{}","more":{{"deep":[1,2,{{"x":"{{}}"}}]}}}})", i, std::string(500, 'a'));
  }
  text += "]";
  constexpr std::string_view kDamage = "\"{[\x01]}";
  Ranges expected;
  for (std::size_t i = 50; i < starts.size(); i += 100) {
    const auto at = static_cast<std::size_t>(starts[i]) + 20;
    text[at] = kDamage[i / 100 % kDamage.size()];
    // Brackets inside a string are harmless; a quote or a control character is not.
    if (text[at] == '"' || text[at] == '\x01') expected.emplace_back(starts[i], starts[i + 1]);
  }
  const Taken taken = take(text);
  EXPECT_EQ(taken.losses, expected);
  EXPECT_EQ(taken.elements.size(), 4000 - expected.size());
}

TEST(SalvagedElements, HopelessFilesAreAbandonedInTime) {
  std::string text = "[";
  while (text.size() < 2'000'000) text += "{\"a\":\"";
  const Taken taken = take(text);
  EXPECT_EQ(taken.elements, Texts());
  EXPECT_EQ(taken.losses.size(), 1U);
}

}  // namespace
}  // namespace ladder::imports
