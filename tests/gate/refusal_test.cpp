// The gate (PDPP "field windows", "P0 substrate gate"; R102–R104): a window of a granted field is served, and
// everything outside the grant is refused with its typed error and without a byte of the value. The program is built a
// second time with the field check disabled (seeded_fault.cpp); gate_fault_test.cpp requires that build to fail here.
#include "support/server_fixture.h"

namespace ladder {
namespace {

using test_support::at_offset;
using test_support::must;
using test_support::text_member;

constexpr std::string_view kOpen = "the open text";
constexpr std::string_view kSecret = "XYZZY-the-secret-text";

class Gate : public test_support::ServerFixture {
 protected:
  Gate() {
    const std::string dated = "\"updated_at\":\"2026-06-15T00:00:00Z\",";
    put("n1", dated + text_member("body", kOpen) + "," + text_member("secret", kSecret));
    put("n2", dated + text_member("body", kSecret));
    put("old", "\"updated_at\":\"2020-01-01T00:00:00Z\"," + text_member("body", kSecret));
    put("undated", text_member("body", kSecret));
    must(server().sources().add_connection(owner(), "notes", "", "home"));
    put("n3", dated + text_member("body", kSecret), "home");
    ingest(test_support::record_line("d1", text_member("body", kSecret)), "work", "diary");
  }

  static server::GrantSelection bodies() { return {"work", "notes", {"id", "body", "updated_at"}, {}, {}, {}}; }

  // Requires the code, and that no part of the value is anywhere in the error.
  static void expect_refused(const Result<api::FieldWindow>& result, Code code) {
    ASSERT_FALSE(result.has_value()) << "served: " << result->text;
    const Error& error = result.error();
    EXPECT_EQ(error.wire(), info(code).wire) << error.message;
    std::string everything = error.message + error.param + error.log_detail;
    if (error.more) everything += error.more->record + error.more->field_path + error.more->digest + error.more->rule;
    EXPECT_EQ(everything.find("XYZZY"), std::string::npos) << everything;
    EXPECT_TRUE(!error.more || error.more->size_chars == -1);
  }
};

TEST_P(Gate, ServesAGrantedField) {
  const auto window = must(read(client(bodies()), "n1", "body"));
  EXPECT_EQ(window.text, kOpen);
  EXPECT_TRUE(window.complete());
  EXPECT_EQ(window.record, (model::RecordRef{"work", "notes", "n1"}));
}

TEST_P(Gate, RefusesAnUngrantedField) {
  expect_refused(read(client(bodies()), "n1", "secret"), Code::kFieldNotGranted);
  expect_refused(read(client(bodies()), "n1", "/secret"), Code::kFieldNotGranted);
  expect_refused(read(client(bodies()), "n1", "secret", test_support::for_query("XYZZY")), Code::kFieldNotGranted);
  expect_refused(read(client(bodies()), "n1", "secret", at_offset(3, 5)), Code::kFieldNotGranted);
}

TEST_P(Gate, AnUndeclaredFieldIsUnknown) { expect_refused(read(client(bodies()), "n1", "nonsense"), Code::kUnknownField); }

TEST_P(Gate, UngrantedAndMissingStreamsLookAlike) {
  const server::Access access = client(bodies());
  const auto ungranted = server().windows().read(access, window_request("d1", "body", {}, "work", "diary"));
  const auto missing = server().windows().read(access, window_request("d1", "body", {}, "work", "nosuch"));
  expect_refused(ungranted, Code::kStreamNotAllowed);
  expect_refused(missing, Code::kStreamNotAllowed);
}

TEST_P(Gate, UngrantedAndMissingConnectionsLookAlike) {
  const server::Access access = client(bodies());
  expect_refused(server().windows().read(access, window_request("n3", "body", {}, "home")), Code::kConnectionNotFound);
  expect_refused(server().windows().read(access, window_request("n3", "body", {}, "nosuch")), Code::kConnectionNotFound);
}

TEST_P(Gate, ARecordOutsideTheListLooksMissing) {
  server::GrantSelection one = bodies();
  one.records = {"n1"};
  const server::Access access = client(one);
  EXPECT_EQ(must(read(access, "n1", "body")).text, kOpen);
  expect_refused(read(access, "n2", "body"), Code::kNotFound);
  expect_refused(read(access, "nosuch", "body"), Code::kNotFound);
}

TEST_P(Gate, ARecordOutsideTheTimeRangeLooksMissing) {
  server::GrantSelection recent = bodies();
  recent.since = parse_time("2026-01-01T00:00:00Z");
  recent.until = parse_time("2026-06-15T00:00:01Z");
  const server::Access access = client(recent);
  EXPECT_EQ(must(read(access, "n1", "body")).text, kOpen);
  expect_refused(read(access, "old", "body"), Code::kNotFound);
  expect_refused(read(access, "undated", "body"), Code::kNotFound);
  recent.until = parse_time("2026-06-15T00:00:00Z");  // exclusive
  expect_refused(read(client(recent), "n1", "body"), Code::kNotFound);
}

TEST_P(Gate, HidesOtherOwnersData) {
  ASSERT_TRUE(store().add_owner("other", clock().now()));
  must(server().sources().add(owner("other"), test_support::notes_declaration(), "notes"));
  must(server().sources().add_connection(owner("other"), "notes", "", "theirs"));
  const auto report = ingest(test_support::record_line("n9", text_member("body", kSecret)), "theirs", "notes", "other");
  ASSERT_EQ(report.accepted, 1);
  expect_refused(server().windows().read(client(bodies()), window_request("n9", "body", {}, "theirs")),
                 Code::kConnectionNotFound);
  expect_refused(server().windows().read(owner(), window_request("n9", "body", {}, "theirs")), Code::kConnectionNotFound);
  EXPECT_EQ(must(server().windows().read(owner("other"), window_request("n9", "body", {}, "theirs"))).text, kSecret);
}

TEST_P(Gate, ARevokedGrantStopsAtOnce) {
  const server::IssuedGrants issued = issue({bodies()});
  const server::Access access = must(server().accesses().authenticate(issued.token));
  EXPECT_EQ(must(read(access, "n1", "body")).text, kOpen);
  must(server().grants().revoke(owner(), issued.grant_ids.at(0)));
  expect_refused(read(access, "n1", "body"), Code::kGrantRevoked);  // the Access was created before the revocation
  const auto again = server().accesses().authenticate(issued.token);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::kGrantRevoked);
}

TEST_P(Gate, AnExpiredGrantStopsAtItsEnd) {
  server::GrantRequest request;
  request.client_id = "agent";
  request.streams = {bodies()};
  request.expires_at = clock().now() + 10 * kSecond;
  const server::Access access = must(server().accesses().authenticate(must(server().grants().create(owner(), request)).token));
  EXPECT_EQ(must(read(access, "n1", "body")).text, kOpen);
  clock().move(10 * kSecond);
  const auto late = read(access, "n1", "body");
  ASSERT_FALSE(late);
  EXPECT_TRUE(late.error().code == Code::kGrantExpired || late.error().code == Code::kAuthentication) << late.error().wire();
}

TEST_P(Gate, RefusesACursorOfAnotherGrant) {
  put("long", text_member("body", std::string(9000, 'x')));
  const auto first = must(read(client(bodies()), "long", "body"));
  const auto replay = read(client(bodies()), "long", "body", test_support::at_cursor(first.next_cursor));
  ASSERT_FALSE(replay);
  EXPECT_EQ(replay.error().code, Code::kCursorMismatch);
}

TEST_P(Gate, RefusesAnUnknownToken) {
  for (std::string token : {"", "x", "ldr_c_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}) {
    const auto access = server().accesses().authenticate(token);
    ASSERT_FALSE(access);
    EXPECT_EQ(access.error().code, Code::kAuthentication);
  }
}

LADDER_FOR_EVERY_ENGINE(Gate);

}  // namespace
}  // namespace ladder
