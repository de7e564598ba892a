#include "http/message/query.h"

#include "base/text/percent.h"
#include "base/text/utf8.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ladder::http {
namespace {

Query parsed(std::string_view raw) {
  auto query = Query::parse(raw);
  EXPECT_TRUE(query.has_value()) << raw;
  return query ? *std::move(query) : Query();
}

TEST(Query, PlainRepeatedAndBracketedParameters) {
  const Query query = parsed("limit=5&streams=a&streams=b%20c&expand[]=x&filter[when][gte]=2026&fields=a,%20b,,c&empty=&flag");
  EXPECT_EQ(query.one("limit").value(), "5");
  EXPECT_EQ(query.one("absent").value(), std::nullopt);
  EXPECT_EQ(query.one("empty").value(), std::nullopt);
  EXPECT_EQ(query.one("flag").value(), std::nullopt);
  EXPECT_TRUE(query.has("flag"));
  EXPECT_FALSE(query.has("absent"));
  EXPECT_EQ(query.many("streams").value(), (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(query.many("expand").value(), (std::vector<std::string>{"x"}));
  EXPECT_EQ(query.many("fields", true).value(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(query.many("fields").value(), (std::vector<std::string>{"a, b,,c"}));
  ASSERT_EQ(query.nested("filter").size(), 1U);
  EXPECT_EQ(query.nested("filter")[0]->path, (std::vector<std::string>{"when", "gte"}));
  EXPECT_EQ(query.nested("filter")[0]->value, "2026");
  EXPECT_EQ(query.nested("filter")[0]->spelled(), "filter[when][gte]");
}

TEST(Query, EncodedBracketsAreBrackets) {
  const Query query = parsed("filter%5Bname%5D=a%2Bb+c&x=a%3Db=c");
  ASSERT_EQ(query.nested("filter").size(), 1U);
  EXPECT_EQ(query.nested("filter")[0]->path, std::vector<std::string>{"name"});
  EXPECT_EQ(query.nested("filter")[0]->value, "a+b c");
  EXPECT_EQ(query.one("x").value(), "a=b=c");
}

TEST(Query, RejectsRepeatedParameters) {
  const Query query = parsed("limit=5&limit=6&one[]=1&two[x]=1");
  for (const auto name : {"limit", "one", "two"}) {
    const auto value = query.one(name);
    ASSERT_FALSE(value.has_value()) << name;
    EXPECT_EQ(value.error().code, Code::kInvalidRequest);
    EXPECT_TRUE(value.error().param.starts_with(name));
  }
  EXPECT_FALSE(query.many("two").has_value());
}

TEST(Query, RejectsMalformedNamesAndValues) {
  for (const auto raw : {"a[b=1", "a]=1", "a[b]c=1", "a[[b]]=1", "=1", "[a]=1", "a=%", "a=%2", "a=%zz", "%=1", "a=%ff", "%c3=1",
                         "a=%00", "a[][b]=1", "a[1][2][3][4][5][6][7][8][9]=1"}) {
    const auto query = Query::parse(raw);
    ASSERT_FALSE(query.has_value()) << raw;
    EXPECT_EQ(query.error().code, Code::kInvalidRequest) << raw;
  }
  EXPECT_EQ(parsed("a[1][2][3][4][5][6][7][8]=1").all()[0].path.size(), kMaxQueryDepth);
}

TEST(Query, TheNumberOfParametersIsBounded) {
  std::string raw;
  for (std::size_t at = 0; at < kMaxQueryParameters; ++at) raw += "a=1&";
  EXPECT_EQ(parsed(raw).all().size(), kMaxQueryParameters);
  EXPECT_FALSE(Query::parse(raw + "a=1").has_value());
}

TEST(Query, UnknownParametersAreNamed) {
  const Query query = parsed("limit=5&lmit=6");
  EXPECT_TRUE(query.only({"limit", "lmit"}).has_value());
  const auto refused = query.only({"limit", "cursor"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().param, "lmit");
  EXPECT_EQ(refused.error().message, "parameter \"lmit\" is unknown; this route takes limit, cursor");
  EXPECT_FALSE(query.only({}).has_value());
  EXPECT_TRUE(parsed("").only({}).has_value());
}

TEST(Query, TruncatesALongNameInTheMessage) {
  const std::string name(5000, 'x');
  const auto refused = parsed(name).only({});
  ASSERT_FALSE(refused.has_value());
  EXPECT_LT(refused.error().message.size(), 200U);
}

RC_GTEST_PROP(Query, RoundTripsEncodedText, (const std::vector<std::string>& values)) {
  std::string raw;
  std::vector<std::string> expected;
  for (const std::string& value : values) {
    if (value.empty() || !utf8::is_valid(value) || value.find('\0') != std::string::npos) continue;
    expected.push_back(value);
    raw += "v=" + percent_encode(value) + "&";
  }
  RC_PRE(expected.size() <= kMaxQueryParameters);
  RC_ASSERT(Query::parse(raw).value().many("v").value() == expected);
}

RC_GTEST_PROP(Query, AnyBytesEndInAValueOrATypedError, (const std::string& raw)) {
  const auto query = Query::parse(raw);
  if (query) {
    for (const Parameter& parameter : query->all()) {
      RC_ASSERT(!parameter.name.empty());
      RC_ASSERT(utf8::is_valid(parameter.name) && utf8::is_valid(parameter.value));
    }
  } else {
    RC_ASSERT(query.error().code == Code::kInvalidRequest);
    RC_ASSERT(utf8::is_valid(query.error().message));
  }
}

}  // namespace
}  // namespace ladder::http
