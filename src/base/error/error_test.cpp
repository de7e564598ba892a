// The closed list of codes; copies of an error do not share details.
#include "base/error/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace ladder {
namespace {

TEST(ErrorCodes, TableIsIndexedByCodeAndComplete) {
  std::size_t index = 0;
  for (const CodeInfo& entry : all_codes()) {
    EXPECT_EQ(static_cast<std::size_t>(entry.code), index++);
    EXPECT_EQ(&info(entry.code), &entry);
  }
  EXPECT_EQ(all_codes().back().code, Code::kInternal);
}

TEST(ErrorCodes, WireNamesAreUniqueSnakeCaseAndStatusesAreErrors) {
  std::set<std::string_view> wires;
  for (const CodeInfo& entry : all_codes()) {
    EXPECT_TRUE(wires.insert(entry.wire).second) << entry.wire;
    EXPECT_EQ(entry.wire.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string_view::npos) << entry.wire;
    EXPECT_GE(entry.http_status, 400) << entry.wire;
    EXPECT_LE(entry.http_status, 504) << entry.wire;
    EXPECT_FALSE(entry.meaning.empty()) << entry.wire;
  }
}

TEST(ErrorCodes, SomeWellKnownOnes) {
  EXPECT_EQ(info(Code::kStaleCursor).wire, "stale_cursor");
  EXPECT_EQ(info(Code::kStaleCursor).http_status, 409);
  EXPECT_EQ(info(Code::kInternal).wire, "api_error");
  EXPECT_EQ(info(static_cast<Code>(255)).code, Code::kInternal) << "a value outside the list is a fault of the program";
}

TEST(ErrorValue, HasTheWireNameOfItsCode) {
  const Error error{Code::kUnknownField, "no field `bdy`", "field"};
  EXPECT_EQ(error.wire(), "unknown_field");
  EXPECT_EQ(error.http_status(), 400);
  EXPECT_EQ(error.more, nullptr) << "details are made on demand";
}

TEST(ErrorValue, DetailsAreKeptBetweenUses) {
  Error error{Code::kStaleCursor, "changed"};
  error.details().digest = "sha256:0";
  error.details().size_chars = 7;
  EXPECT_EQ(error.details().digest, "sha256:0");
  EXPECT_EQ(error.details().size_chars, 7);
  EXPECT_EQ(error.details().resume_offset_chars, -1);
}

TEST(ErrorValue, DetailsAreNeverSharedWithACopy) {
  Error original{Code::kNotFound, "no such record"};
  original.details().record = "r1";
  Error copy = original;
  copy.details().record = "r2";
  EXPECT_EQ(original.details().record, "r1");
  EXPECT_EQ(copy.details().record, "r2");
  original.details().field_path = "body";
  EXPECT_EQ(copy.details().field_path, "");
}

Result<int> half(int n) {
  if (n % 2 != 0) return fail(Code::kInvalidArgument, "odd", "n");
  return n / 2;
}
Status check_quarter(int n) {
  LADDER_TRY(const int once, half(n));
  LADDER_TRY(const int twice, half(once));
  return twice >= 0 ? Status{} : fail(Code::kInvalidArgument, "negative");
}
Result<std::string> describe(int n) {
  LADDER_CHECK(check_quarter(n));
  return "fine";
}

TEST(ResultMacros, PassValuesAndReturnErrors) {
  EXPECT_EQ(describe(8).value(), "fine");
  ASSERT_FALSE(describe(6).has_value());
  EXPECT_EQ(describe(6).error().message, "odd");
  EXPECT_EQ(describe(6).error().param, "n");
  EXPECT_EQ(describe(-8).error().message, "negative");
}

}  // namespace
}  // namespace ladder
