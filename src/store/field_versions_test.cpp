#include "store/field_versions.h"

#include <gtest/gtest.h>

namespace ladder::store {
namespace {

TEST(FieldVersions, ComeBackAsTheyWere) {
  FieldVersions versions;
  for (const std::int64_t created : {std::int64_t{0}, std::int64_t{1}, std::int64_t{300}, std::int64_t{1} << 62}) {
    versions.created = created;
    versions.changed.clear();
    EXPECT_EQ(FieldVersions::decode(versions.encode())->created, created);
    versions.changed = {{kUndeclaredField, created + 1}, {kFirstFieldNo, created + 500}, {1'000'000'007, created + 2}};
    const auto decoded = FieldVersions::decode(versions.encode());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->created, created);
    EXPECT_EQ(decoded->changed, versions.changed);
  }
}

TEST(FieldVersions, OfAnUnchangedRecordIsTiny) {
  FieldVersions versions;
  versions.created = 100;
  EXPECT_EQ(versions.encode().size(), 1u);
}

TEST(FieldVersions, RefusesCutBytes) {
  FieldVersions versions;
  versions.created = 1'000'000;
  versions.changed = {{20, 2'000'000}};
  const std::string bytes = versions.encode();
  EXPECT_FALSE(FieldVersions::decode(""));
  EXPECT_FALSE(FieldVersions::decode(std::string_view(bytes).substr(0, bytes.size() - 1)));
  EXPECT_FALSE(FieldVersions::decode(std::string_view(bytes).substr(0, 1)));
}

// Each is a varint of 2^63, one more than a version or a number can be: as the first version, or added to a field or a version
// of 1.
TEST(FieldVersions, RefusesNumbersBeyondTheirRange) {
  const std::string huge = std::string(9, '\x80') + '\x01';
  const std::string one = "\x01";
  for (const std::string& bytes : {huge, one + huge + one, one + one + huge, one + one + one + huge + one}) {
    EXPECT_FALSE(FieldVersions::decode(bytes));
  }
}

}  // namespace
}  // namespace ladder::store
