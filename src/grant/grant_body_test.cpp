// Grant bodies: the contract's example, the round trip, and everything that a closed object rejects.
#include "grant/grant.h"
#include "grant/grant_fixture.h"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ladder::grant {
namespace {

constexpr std::string_view kGrant =
    R"json({"version":"0.1.0","grant_id":"grt_8f72a1b3c4d5e6f7","issued_at":"2026-04-06T15:00:00.000Z",
 "subject":{"id":"owner_local"},"client":{"client_id":"app1","client_display":{"name":"App","policy_uri":"https://app.example/p"}},
 "source":{"kind":"connector","id":"https://sources.example/notes"},
 "source_declaration":{"version":"2026-11-01"},
 "purpose_code":"https://pdpp.dev/purpose/agent_context","purpose_description":"to help",
 "access_mode":"continuous","selection_preset":"basic",
 "streams":[{"name":"notes","instance_ids":["cin_a"],"fields":["id","title","updated_at"],
   "time_constraint":{"field":"updated_at","since":"2026-01-01T00:00:00Z"},"resources":["n1"]}],
 "retention":{"max_duration":"P90D","on_expiry":"delete"},"expires_at":null})json";

std::string edited(std::string_view pointer, std::string_view json) {
  boost::json::value document = boost::json::parse({kGrant.data(), kGrant.size()});
  const std::size_t slash = pointer.rfind('/');
  const std::string name(pointer.substr(slash + 1));
  boost::json::object& parent = document.at_pointer({pointer.data(), slash}).as_object();
  if (json.empty()) {
    parent.erase(name);
  } else {
    parent[name] = boost::json::parse({json.data(), json.size()});
  }
  return boost::json::serialize(document);
}

void expect_fault(std::string_view pointer, std::string_view json, std::string_view rule) {
  const auto grant = parse_grant(edited(pointer, json));
  ASSERT_FALSE(grant.has_value()) << pointer << " = " << json;
  Error error = grant.error();
  EXPECT_EQ(error.code, Code::kGrantInvalid);
  EXPECT_EQ(error.details().rule, "source.grant." + std::string(rule)) << error.message;
}

TEST(GrantBody, ParsesTheCompleteExample) {
  const auto grant = parse_grant(kGrant);
  ASSERT_TRUE(grant.has_value()) << grant.error().message;
  EXPECT_EQ(grant->grant_id, "grt_8f72a1b3c4d5e6f7");
  EXPECT_EQ(grant->issued_at, testing::at("2026-04-06T15:00:00Z"));
  EXPECT_EQ(grant->subject_id, "owner_local");
  EXPECT_EQ(grant->client_id, "app1");
  EXPECT_EQ(grant->client_display->policy_uri, "https://app.example/p");
  EXPECT_EQ(grant->source_kind, "connector");
  EXPECT_EQ(grant->source_id, "https://sources.example/notes");
  EXPECT_EQ(grant->declaration_version, "2026-11-01");
  EXPECT_EQ(grant->purpose_description, "to help");
  EXPECT_EQ(grant->selection_preset, "basic");
  EXPECT_FALSE(grant->single_use);
  EXPECT_FALSE(grant->expires_at.has_value());
  EXPECT_EQ(grant->retention->max_duration, "P90D");
  const StreamGrant* notes = grant->stream("notes");
  ASSERT_NE(notes, nullptr);
  EXPECT_EQ(notes->resources, std::vector<std::string>{"n1"});
  EXPECT_EQ(notes->time->since, testing::at("2026-01-01"));
  EXPECT_FALSE(notes->time->until.has_value());
  EXPECT_EQ(grant->stream("other"), nullptr);
}

TEST(GrantBody, RoundTrips) {
  for (const std::string& body :
       {std::string(kGrant), edited("/expires_at", R"("2027-01-01T00:00:00.123456Z")"), edited("/retention", ""),
        edited("/client/client_display", ""), edited("/access_mode", R"("single_use")"),
        edited("/streams/0/time_constraint",
               R"({"field":"x\"y","since":"1969-12-31T23:59:59.999999Z","until":"2026-01-01T00:00:00.000001Z"})"),
        edited("/streams/0/resources", R"(["[\"a\",\"b\"]","\u0000/.."])")}) {
    const auto grant = parse_grant(body);
    ASSERT_TRUE(grant.has_value()) << grant.error().message;
    const std::string printed = to_json(*grant);
    const auto again = parse_grant(printed);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(to_json(*again), printed);
    EXPECT_EQ(again->expires_at, grant->expires_at);
    EXPECT_EQ(again->single_use, grant->single_use);
    EXPECT_EQ(again->streams[0].resources, grant->streams[0].resources);
    ASSERT_EQ(again->streams[0].time.has_value(), grant->streams[0].time.has_value());
    if (grant->streams[0].time) {
      EXPECT_EQ(again->streams[0].time->since, grant->streams[0].time->since);
      EXPECT_EQ(again->streams[0].time->until, grant->streams[0].time->until);
    }
  }
}

TEST(GrantBody, RejectsUnknownMembers) {
  for (const std::string_view pointer :
       {"/x", "/subject/x", "/client/x", "/client/client_display/x", "/source/x", "/source_declaration/x", "/streams/0/x",
        "/streams/0/time_constraint/x", "/retention/x"}) {
    expect_fault(pointer, "1", "unknown_member");
  }
}

TEST(GrantBody, RejectsMissingMembers) {
  for (const std::string_view pointer : {"/version",
                                         "/grant_id",
                                         "/issued_at",
                                         "/subject",
                                         "/subject/id",
                                         "/client",
                                         "/client/client_id",
                                         "/source",
                                         "/source/kind",
                                         "/source/id",
                                         "/source_declaration",
                                         "/source_declaration/version",
                                         "/purpose_code",
                                         "/access_mode",
                                         "/streams",
                                         "/streams/0/name",
                                         "/streams/0/instance_ids",
                                         "/streams/0/fields",
                                         "/streams/0/time_constraint/field",
                                         "/retention/max_duration",
                                         "/retention/on_expiry"}) {
    expect_fault(pointer, "", "missing_member");
  }
}

TEST(GrantBody, RejectsMembersOfWrongTypeOrValue) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {{"/version", R"("0.2.0")"},
                                                                            {"/issued_at", R"("now")"},
                                                                            {"/issued_at", "0"},
                                                                            {"/source/kind", R"("x")"},
                                                                            {"/source/id", R"("x")"},
                                                                            {"/purpose_code", R"("agent")"},
                                                                            {"/access_mode", R"("once")"},
                                                                            {"/streams", "[]"},
                                                                            {"/streams", "{}"},
                                                                            {"/streams/0/name", R"("*")"},
                                                                            {"/streams/0/instance_ids", "[]"},
                                                                            {"/streams/0/instance_ids", R"(["a","a"])"},
                                                                            {"/streams/0/fields", "[]"},
                                                                            {"/streams/0/fields", R"(["a",""])"},
                                                                            {"/streams/0/fields", R"("all")"},
                                                                            {"/streams/0/resources", R"([1])"},
                                                                            {"/expires_at", R"("never")"},
                                                                            {"/expires_at", "0"},
                                                                            {"/expires_at", R"("9999-12-31T23:59:60Z")"},
                                                                            {"/issued_at", R"("0000-01-01T00:00:00+01:00")"},
                                                                            {"/retention/on_expiry", R"("x")"},
                                                                            {"/purpose_description", R"("")"},
                                                                            {"/streams/0/time_constraint", "null"}};
  for (const auto& [pointer, json] : cases) expect_fault(pointer, json, "invalid_member");
}

TEST(GrantBody, EmptyResourcesNeverMeanEverything) { expect_fault("/streams/0/resources", "[]", "invalid_member"); }

TEST(GrantBody, ChecksTimeConstraints) {
  for (const std::string_view json :
       {R"({"field":"t"})", R"({"field":"t","since":"yesterday"})", R"({"field":"t","until":5})", R"({"field":"t","since":null})",
        R"({"field":"t","since":"2026-02-01T00:00:00Z","until":"2026-01-01T00:00:00Z"})",
        R"({"field":"t","since":"2026-01-01T00:00:00-01:00","until":"2026-01-01T00:00:00Z"})",
        R"({"field":"t","since":"9999-12-31T23:59:59-00:01"})", R"({"field":"t","until":"0000-01-01T00:00:00+00:01"})"}) {
    expect_fault("/streams/0/time_constraint", json, "invalid_time_constraint");
  }
}

TEST(GrantBody, RejectsDuplicateStreams) {
  const std::string one = R"({"name":"notes","instance_ids":["c"],"fields":["id"]})";
  expect_fault("/streams", "[" + one + "," + one + "]", "duplicate_stream_name");
}

TEST(GrantBody, RejectsMalformedText) {
  for (const std::string_view text : {"", "{", "nope", R"({"version":"0.1.0","version":"0.1.0"})"}) {
    const auto grant = parse_grant(text);
    ASSERT_FALSE(grant.has_value()) << text;
    Error error = grant.error();
    EXPECT_EQ(error.code, Code::kGrantInvalid);
    EXPECT_EQ(error.details().rule, "source.grant.malformed");
  }
  EXPECT_FALSE(parse_grant("[]").has_value());
}

}  // namespace
}  // namespace ladder::grant
