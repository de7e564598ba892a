#include "console/clients/client_summary.h"

#include <gtest/gtest.h>

namespace ladder::console {
namespace {

server::GrantSummary grant(std::string id, Instant issued, std::optional<Instant> revoked = {}) {
  server::GrantSummary made;
  made.grant.grant_id = std::move(id);
  made.grant.client_id = "client";
  made.grant.source_id = "source";
  made.grant.issued_at = issued;
  made.row.revoked_at = revoked;
  made.status = revoked ? "revoked" : "active";
  return made;
}

TEST(ClientSummary, ARevokedGrantWithASuccessorWasReplaced) {
  const auto ended = grant("old", 0, kDay);
  EXPECT_TRUE(was_replaced(ended, {ended, grant("new", kDay - kSecond)}));
  EXPECT_FALSE(was_replaced(ended, {ended}));
  EXPECT_FALSE(was_replaced(ended, {ended, grant("later", kDay + kSecond)})) << "it was granted again afterwards";
  EXPECT_FALSE(was_replaced(ended, {ended, grant("long before", kDay - 3'600 * kSecond)}));
  EXPECT_FALSE(was_replaced(grant("active", 0), {grant("new", kSecond)}));
  auto other = grant("other", kDay - kSecond);
  other.grant.source_id = "another";
  EXPECT_FALSE(was_replaced(ended, {ended, other}));
}

TEST(StreamShare, SaysSinceWhenAndHowMuch) {
  StreamShare share;
  share.what = "headers and text";
  share.may_see = 4'106;
  share.seen = 612;
  EXPECT_EQ(share.description(), "headers and text");
  EXPECT_EQ(share.figure(), "612 of 4,106 records");
  share.since = *parse_time("2025-11-16");
  share.until = *parse_time("2026-01-01");
  EXPECT_EQ(share.description(), "since 16 November 2025 before 1 January 2026; headers and text");
  share.may_see = 3;
  EXPECT_EQ(share.figure(), "612 records seen, can see 3 now") << "access was reduced after it had read more";
}

}  // namespace
}  // namespace ladder::console
