#include "rest/blobs.h"

#include <gtest/gtest.h>

namespace ladder::rest {
namespace {

using Kind = ByteRange::Kind;

TEST(ByteRange, AcceptsOneRange) {
  EXPECT_EQ(byte_range("bytes=0-9", 100), (ByteRange{Kind::kPart, 0, 10}));
  EXPECT_EQ(byte_range("Bytes=90-", 100), (ByteRange{Kind::kPart, 90, 10}));
  EXPECT_EQ(byte_range("bytes=90-1000", 100), (ByteRange{Kind::kPart, 90, 10}));
  EXPECT_EQ(byte_range("bytes=-30", 100), (ByteRange{Kind::kPart, 70, 30}));
  EXPECT_EQ(byte_range("bytes=-300", 100), (ByteRange{Kind::kPart, 0, 100}));
  EXPECT_EQ(byte_range("bytes=99-99999999999999999999999", 100), (ByteRange{Kind::kPart, 99, 1}));
}

TEST(ByteRange, ReportsARangeOutside) {
  for (const char* header : {"bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999999-"}) {
    EXPECT_EQ(byte_range(header, 100).kind, Kind::kUnsatisfiable) << header;
  }
  EXPECT_EQ(byte_range("bytes=0-", 0).kind, Kind::kUnsatisfiable);
  EXPECT_EQ(byte_range("bytes=-5", 0).kind, Kind::kUnsatisfiable);
}

TEST(ByteRange, AnInvalidRangeMeansEverything) {
  for (const char* header : {"", "bytes=", "bytes=-", "bytes=5", "bytes=9-5", "bytes=a-b", "bytes=1-2,4-5", "lines=1-2",
                             "bytes=+1-2", "bytes=1--2", "bytes= "}) {
    EXPECT_EQ(byte_range(header, 100), (ByteRange{Kind::kWhole, 0, 100})) << header;
  }
  EXPECT_EQ(byte_range(std::nullopt, 100), (ByteRange{Kind::kWhole, 0, 100}));
}

TEST(ByteRange, FindsTagsInAList) {
  const char* tag = "\"sha256:ab\"";
  for (const char* header : {"*", " * ", "\"sha256:ab\"", "W/\"sha256:ab\"", "\"x,y\", \"sha256:ab\"", "\"\",\"sha256:ab\""}) {
    EXPECT_TRUE(names_etag(header, tag)) << header;
  }
  for (const char* header : {"", "\"", "\"sha256:abc\"", "sha256:ab", "\"*\"", "\"sha256:ab"})
    EXPECT_FALSE(names_etag(header, tag)) << header;
}

}  // namespace
}  // namespace ladder::rest
