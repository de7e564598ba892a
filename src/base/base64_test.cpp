// base64 both ways, and what is refused.
#include "base/base64.h"

#include <gtest/gtest.h>

namespace ladder {
namespace {

TEST(Base64, KnowsTheVectorsOfTheRfc) {
  const std::pair<std::string_view, std::string_view> vectors[] = {{"", ""},
                                                                   {"f", "Zg=="},
                                                                   {"fo", "Zm8="},
                                                                   {"foo", "Zm9v"},
                                                                   {"foob", "Zm9vYg=="},
                                                                   {"fooba", "Zm9vYmE="},
                                                                   {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(base64::encode(bytes), text);
    EXPECT_EQ(base64::decode(text), bytes);
  }
}

TEST(Base64, EveryByteComesBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
    EXPECT_EQ(base64::decode(base64::encode(bytes)), bytes);
  }
}

TEST(Base64, RefusesWhatIsNotWhole) {
  for (const char* text : {"Zg", "Zg=", "Zg===", "=Zg=", "Z=g=", "Zh==", "Zm9=", "Zm 9", "Zm9-", "Zm9_", "===="}) {
    EXPECT_FALSE(base64::decode(text)) << text;
  }
}

}  // namespace
}  // namespace ladder
