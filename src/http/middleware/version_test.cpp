#include "http/middleware/version.h"

#include <gtest/gtest.h>

namespace ladder::http {
namespace {

TEST(Version, AbsentOrCurrentGoesOn) {
  Request request;
  EXPECT_TRUE(check_version(request).has_value());
  request.headers.add("pdpp-version", "2026-04-06");
  EXPECT_TRUE(check_version(request).has_value());
}

TEST(Version, AnyOtherIsRefused) {
  for (const auto sent : {"2025-01-01", "", "2026-04-06 ", "1"}) {
    Request request;
    request.headers.add("PDPP-Version", sent);
    const auto checked = check_version(request);
    ASSERT_FALSE(checked.has_value()) << sent;
    EXPECT_EQ(checked.error().code, Code::kUnsupportedVersion);
    EXPECT_EQ(checked.error().param, "PDPP-Version");
  }
  Request twice;
  twice.headers.add("PDPP-Version", "2026-04-06");
  twice.headers.add("PDPP-Version", "2030-01-01");
  EXPECT_FALSE(check_version(twice).has_value());
}

TEST(Version, IsEchoed) {
  Response response;
  send_version(response);
  EXPECT_EQ(response.headers.get("PDPP-Version"), "2026-04-06");
}

}  // namespace
}  // namespace ladder::http
