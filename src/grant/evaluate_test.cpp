// Tests evaluation: tables over access status, streams, fields, time and records.
#include "base/limits.h"
#include "grant/grant.h"
#include "grant/grant_fixture.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace ladder::grant {
namespace {

using testing::at;

StreamGrant notes_grant() {
  StreamGrant out;
  out.name = "notes";
  out.instance_ids = {"cin_a", "cin_b"};
  out.fields = {"id", "title", "gone"};
  return out;
}

TEST(Evaluate, ChecksTheAccessStatus) {
  const Instant now = at("2026-04-06T15:00:00Z");
  Grant expiring;
  expiring.grant_id = "grt_1";
  expiring.expires_at = now;
  Grant lasting;
  lasting.grant_id = "grt_2";
  const AccessStatus good{.token_known = true, .token_expires_at = now + 1, .grant_known = true, .grant_revoked = false};
  struct Case {
    std::string what;
    const Grant& grant;
    AccessStatus access_status;
    Instant now;
    std::optional<Code> refusal;
  };
  // Built one by one: g++ 12 with the address sanitizer fails on lambdas inside the table.
  AccessStatus lasting_token = good, dead_token = good, grant_gone = good, revoked = good;
  lasting_token.token_expires_at.reset();
  dead_token.token_known = false;
  grant_gone.grant_known = false;
  revoked.grant_revoked = true;
  AccessStatus revoked_with_tokens = revoked;
  revoked_with_tokens.token_known = false;
  const std::vector<Case> cases = {{"good", lasting, good, now, std::nullopt},
                                   {"no token expiry", lasting, lasting_token, now, std::nullopt},
                                   {"dead token", lasting, dead_token, now, Code::kAuthentication},
                                   {"expired token", lasting, good, now + 1, Code::kAuthentication},
                                   {"token in its last moment", lasting, good, now, std::nullopt},
                                   {"grant gone", lasting, grant_gone, now, Code::kAuthentication},
                                   {"nothing known", lasting, AccessStatus{}, now, Code::kAuthentication},
                                   {"revoked", lasting, revoked, now, Code::kGrantRevoked},
                                   {"revoked with its tokens", lasting, revoked_with_tokens, now, Code::kGrantRevoked},
                                   {"revoked and expired", expiring, revoked, now, Code::kGrantRevoked},
                                   {"last moment", expiring, good, now - 1, std::nullopt},
                                   {"expired", expiring, good, now, Code::kGrantExpired},
                                   {"long expired, the token with it", expiring, good, now + kDay, Code::kGrantExpired},
                                   {"expired, dead token", expiring, dead_token, now, Code::kAuthentication}};
  for (const Case& each : cases) {
    const Status status = check_access_status(each.grant, each.access_status, each.now);
    EXPECT_EQ(status.has_value(), !each.refusal) << each.what;
    if (!status && each.refusal) {
      EXPECT_EQ(status.error().code, *each.refusal) << each.what;
    }
  }
}

TEST(Evaluate, ChecksStreamsAndConnections) {
  Grant grant;
  grant.streams = {notes_grant()};
  const auto notes = check_stream(grant, "notes");
  ASSERT_TRUE(notes.has_value());
  EXPECT_EQ((*notes)->name, "notes");
  EXPECT_TRUE((*notes)->allows_instance("cin_b"));
  EXPECT_FALSE((*notes)->allows_instance("cin_c"));
  EXPECT_FALSE((*notes)->allows_instance(""));
  const auto other = check_stream(grant, "attachments");
  const auto missing = check_stream(grant, "notthere");
  ASSERT_FALSE(other.has_value() || missing.has_value());
  EXPECT_EQ(other.error().code, Code::kStreamNotAllowed);
  EXPECT_EQ(missing.error().code, Code::kStreamNotAllowed);
  EXPECT_FALSE(check_stream(grant, "").has_value());
  EXPECT_FALSE(check_stream(grant, "*").has_value());
  EXPECT_FALSE(check_stream(grant, "NOTES").has_value());
}

TEST(Evaluate, ChecksFields) {
  const auto declaration = model::parse_declaration(testing::kDeclaration);
  ASSERT_TRUE(declaration.has_value());
  const model::Stream& declared = *declaration->stream("notes");
  const StreamGrant granted = notes_grant();
  const std::vector<std::pair<std::string, std::optional<Code>>> cases = {{"id", std::nullopt},
                                                                          {"title", std::nullopt},
                                                                          {"body", Code::kFieldNotGranted},
                                                                          {"updated_at", Code::kFieldNotGranted},
                                                                          {"nix", Code::kUnknownField},
                                                                          {"", Code::kUnknownField},
                                                                          {"gone", Code::kUnknownField},
                                                                          {"Title", Code::kUnknownField}};
  for (const auto& [field, refusal] : cases) {
    const Status status = check_field(granted, declared, field);
    EXPECT_EQ(status.has_value(), !refusal) << field;
    if (!status && refusal) {
      EXPECT_EQ(status.error().code, *refusal) << field;
    }
  }
}

TEST(Evaluate, ChecksTimeConstraints) {
  struct Case {
    std::string data;
    bool visible;
  };
  StreamGrant stream = notes_grant();
  stream.time = TimeConstraint{"t", at("2026-01-01T00:00:00Z"), at("2026-02-01T00:00:00Z")};
  const std::vector<Case> cases = {{R"({"t":"2026-01-15T12:00:00Z"})", true},
                                   {R"({"t":"2026-01-01T00:00:00Z"})", true},  // since is inclusive
                                   {R"({"t":"2025-12-31T23:59:59.999999Z"})", false},
                                   {R"({"t":"2026-02-01T00:00:00Z"})", false},  // until is exclusive
                                   {R"({"t":"2026-01-31T23:59:59.999999Z"})", true},
                                   {R"({"t":"2026-01-01T00:30:00+01:00"})", false},  // compared as instants
                                   {R"({"t":"2025-12-31T23:30:00-01:00"})", true},
                                   {R"({"t":"2026-02-01T00:30:00+01:00"})", true},
                                   {R"({"t":"2026-01-01"})", true},  // a date is UTC midnight
                                   {R"({"t":"2026-02-01"})", false},
                                   {R"({"t":"2026-01-15"})", true},
                                   {R"({"t":"\u0032026-01-15"})", true},  // as it decodes
                                   {R"({"\u0074":"2026-01-15"})", true},
                                   {R"({"t":1768478400})", false},  // not a string
                                   {R"({"t":null})", false},
                                   {R"({"t":true})", false},
                                   {R"({"t":["2026-01-15"]})", false},
                                   {R"({"t":{"t":"2026-01-15"}})", false},
                                   {R"({"t":@42})", false},  // a long value that lives elsewhere
                                   {R"({"body":@7,"t":"2026-01-15"})", true},
                                   {R"({"t":""})", false},
                                   {R"({"t":"soon"})", false},
                                   {R"({"t":"2026-13-01"})", false},
                                   {R"({"other":"2026-01-15"})", false},  // absent
                                   {R"({})", false},
                                   {R"({"x":{"t":"2026-01-15"}})", false}};
  for (const Case& each : cases) EXPECT_EQ(is_visible(stream, "k", json::value_of(each.data)), each.visible) << each.data;
  const std::string padded = R"({"t":"2026-01-15)" + std::string(5000, ' ') + R"("})";
  EXPECT_FALSE(is_visible(stream, "k", json::value_of(padded)));
  EXPECT_FALSE(is_visible(stream, "k", json::Value{}));
}

// A longer text may be stored outside the row, depending on the rest of the record, so it must not count while inside
// it either.
TEST(Evaluate, AcceptsTimesOfAnyLengthThatStaysInARow) {
  StreamGrant stream = notes_grant();
  stream.time = TimeConstraint{"t", at("2026-01-01T00:00:00Z"), {}};
  const std::size_t zeros = limits::kMaxTimeTextBytes - std::string_view(R"("2026-01-15T00:00:00.Z")").size();
  const auto record = [](std::size_t digits) { return R"({"t":"2026-01-15T00:00:00.)" + std::string(digits, '0') + R"(Z"})"; };
  EXPECT_TRUE(is_visible(stream, "k", json::value_of(record(zeros))));
  EXPECT_FALSE(is_visible(stream, "k", json::value_of(record(zeros + 1))));
}

TEST(Evaluate, ChecksOpenTimeRanges) {
  const std::string early = R"({"t":"2020-01-01"})";
  const std::string late = R"({"t":"2030-01-01"})";
  StreamGrant stream = notes_grant();
  EXPECT_TRUE(is_visible(stream, "k", json::value_of(R"({})")));
  stream.time = TimeConstraint{"t", at("2026-01-01"), std::nullopt};
  EXPECT_FALSE(is_visible(stream, "k", json::value_of(early)));
  EXPECT_TRUE(is_visible(stream, "k", json::value_of(late)));
  stream.time = TimeConstraint{"t", std::nullopt, at("2026-01-01")};
  EXPECT_TRUE(is_visible(stream, "k", json::value_of(early)));
  EXPECT_FALSE(is_visible(stream, "k", json::value_of(late)));
  stream.time = TimeConstraint{"t", at("2026-01-01"), at("2026-01-01")};  // an empty range hides everything
  EXPECT_FALSE(is_visible(stream, "k", json::value_of(R"({"t":"2026-01-01"})")));
}

TEST(Evaluate, ChecksRecords) {
  StreamGrant stream = notes_grant();
  stream.resources = {"n1", R"(["u","2026-04-01"])"};
  const json::Value empty = json::value_of("{}");
  EXPECT_TRUE(is_visible(stream, "n1", empty));
  EXPECT_TRUE(is_visible(stream, R"(["u","2026-04-01"])", empty));
  for (const std::string_view key : {"n2", "", "N1", "n1 ", R"(["u"])", R"(["u", "2026-04-01"])", "u"}) {
    EXPECT_FALSE(is_visible(stream, key, empty)) << key;
  }
  // Both constraints apply.
  stream.time = TimeConstraint{"t", at("2026-01-01"), std::nullopt};
  EXPECT_FALSE(is_visible(stream, "n1", empty));
  EXPECT_TRUE(is_visible(stream, "n1", json::value_of(R"({"t":"2026-06-01"})")));
  EXPECT_FALSE(is_visible(stream, "n2", json::value_of(R"({"t":"2026-06-01"})")));
}

}  // namespace
}  // namespace ladder::grant
