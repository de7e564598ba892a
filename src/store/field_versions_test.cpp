#include "store/field_versions.h"

#include <gtest/gtest.h>

#include <set>

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

TEST(FieldVersions, KeepWhenEachVersionWasEmittedAndSinceWhenTheKeyIsKnown) {
  FieldVersions versions;
  versions.created = 10;
  versions.known_since = 4;
  const auto emitted = [&](std::set<FieldNo> fields) {
    return FieldVersions::decode(versions.encode())->emitted_at([&](FieldNo field) { return fields.contains(field); });
  };
  EXPECT_EQ(emitted({20}), std::nullopt);
  versions.changed[20] = 11;
  versions.note_emission("first", 11, "second");
  versions.changed[21] = 12;
  versions.note_emission("second", 12, "third");
  EXPECT_EQ(emitted({}), "first");
  EXPECT_EQ(emitted({20}), "second");
  EXPECT_EQ(emitted({20, 21}), "third");
  versions.changed[20] = 13;
  versions.note_emission("third", 13, "fourth");
  EXPECT_EQ(emitted({20}), "fourth");
  EXPECT_EQ(versions.emitted.size(), 3u) << "what no field has any more is forgotten";
  versions.note_emission("fourth", std::nullopt, "again, nothing new");
  EXPECT_EQ(emitted({20, 21}), "fourth");
  EXPECT_EQ(FieldVersions::decode(versions.encode())->first_version(), 4);
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

// Each holds a varint of 2^63, one more than a version or a number can be, in one of its places.
TEST(FieldVersions, RefusesNumbersBeyondTheirRange) {
  const std::string huge = std::string(9, '\x80') + '\x01';
  const std::string one = "\x01";
  const std::string none = std::string(1, '\0');
  for (const std::string& bytes :
       {huge, one + huge, one + none + huge, one + none + one + huge + one, one + none + one + one + huge,
        one + none + none + huge + none, one + none + none + one + huge}) {
    EXPECT_FALSE(FieldVersions::decode(bytes));
  }
}

}  // namespace
}  // namespace ladder::store
