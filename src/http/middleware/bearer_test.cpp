#include "http/middleware/bearer.h"

#include "base/limits.h"

#include <gtest/gtest.h>

namespace ladder::http {
namespace {

Result<std::string> token(const std::string& header) {
  Request request;
  request.headers.add("Authorization", header);
  return bearer_token(request);
}

TEST(Bearer, TheSchemeHasNoCaseAndOneSpace) {
  EXPECT_EQ(token("Bearer abc").value(), "abc");
  EXPECT_EQ(token("bEARER a-._~+/=").value(), "a-._~+/=");
  EXPECT_EQ(token("Bearer " + std::string(limits::kMaxTokenBytes, 'x')).value().size(), limits::kMaxTokenBytes);
}

TEST(Bearer, AnythingElseIsNoToken) {
  for (const std::string& header :
       {std::string("Bearer"), std::string("Bearer "), std::string("Bearer  abc"), std::string("Bearer a b"),
        std::string("Basic abc"), std::string(), std::string("abc"), std::string("Bearer\tabc"),
        "Bearer " + std::string(limits::kMaxTokenBytes + 1, 'x'), std::string("Bearer a\xc3\xa9")}) {
    const auto found = token(header);
    ASSERT_FALSE(found.has_value()) << header;
    EXPECT_EQ(found.error().code, Code::kAuthentication);
    EXPECT_EQ(found.error().message.find("abc"), std::string::npos) << "a token is never repeated";
  }
  EXPECT_FALSE(bearer_token(Request{}).has_value());
  Request twice;
  twice.headers.add("Authorization", "Bearer a");
  twice.headers.add("authorization", "Bearer b");
  EXPECT_FALSE(bearer_token(twice).has_value());
}

}  // namespace
}  // namespace ladder::http
