// Creating grants: what an owner may select, and which errors name what is wrong.
#include "grant/grant.h"
#include "grant/grant_fixture.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ladder::grant {
namespace {

using testing::at;

const Instant kNow = at("2026-04-06T15:00:00Z");

class MakeGrant : public ::testing::Test {
 protected:
  void SetUp() override {
    auto parsed = model::parse_declaration(testing::kDeclaration);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    declaration_ = *std::move(parsed);
  }

  Result<Grant> make(Selection selection) const { return make_grant(declaration_, selection, "grt_1", "owner", "client", kNow); }
  Result<Grant> make(StreamSelection stream) const {
    Selection selection;
    selection.streams.push_back(std::move(stream));
    return make(std::move(selection));
  }

  void expect_refused(const Result<Grant>& grant, Code code, std::string_view param, std::string_view named,
                      std::string_view rule = {}) const {
    ASSERT_FALSE(grant.has_value()) << named;
    Error error = grant.error();
    EXPECT_EQ(error.code, code) << error.message;
    EXPECT_EQ(error.param, param) << error.message;
    EXPECT_NE(error.message.find(named), std::string::npos) << error.message;
    EXPECT_EQ(error.details().rule, rule);
  }

  static StreamSelection select(std::string name) {
    StreamSelection out;
    out.name = std::move(name);
    out.instance_ids = {"cin_a"};
    return out;
  }

  model::SourceDeclaration declaration_;
};

TEST_F(MakeGrant, GrantsEverythingOfAStream) {
  const auto grant = make(select("notes"));
  ASSERT_TRUE(grant.has_value()) << grant.error().message;
  EXPECT_EQ(grant->grant_id, "grt_1");
  EXPECT_EQ(grant->subject_id, "owner");
  EXPECT_EQ(grant->client_id, "client");
  EXPECT_EQ(grant->issued_at, kNow);
  EXPECT_EQ(grant->source_kind, "connector");
  EXPECT_EQ(grant->source_id, "https://sources.example/notes");
  EXPECT_EQ(grant->declaration_version, "2026-11-01");
  EXPECT_EQ(grant->purpose_code, "https://pdpp.dev/purpose/agent_context");
  EXPECT_FALSE(grant->expires_at.has_value());
  EXPECT_EQ(grant->streams.at(0).fields, (std::vector<std::string>{"body", "id", "title", "updated_at"}));
  EXPECT_FALSE(grant->streams.at(0).time.has_value());
  EXPECT_TRUE(grant->streams.at(0).resources.empty());
  // The result is a valid body.
  const auto again = parse_grant(to_json(*grant));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(to_json(*again), to_json(*grant));
}

TEST_F(MakeGrant, AddsRequiredFieldsToTheRequestedOnes) {
  StreamSelection stream = select("notes");
  stream.fields = {"title", "id", "title"};
  const auto grant = make(stream);
  ASSERT_TRUE(grant.has_value());
  EXPECT_EQ(grant->streams[0].fields, (std::vector<std::string>{"title", "id", "updated_at"}));
}

TEST_F(MakeGrant, RejectsUnknownNames) {
  expect_refused(make(select("nix")), Code::kStreamNotDeclared, "streams", "\"nix\"");
  StreamSelection stream = select("notes");
  stream.fields = {"title", "nix"};
  expect_refused(make(stream), Code::kUnknownField, "fields", "\"nix\"");
}

TEST_F(MakeGrant, RejectsSelectionsThatTheStreamDoesNotAllow) {
  StreamSelection fields = select("visits");
  fields.fields = {"user"};
  expect_refused(make(fields), Code::kInvalidRequest, "fields", "\"visits\"");
  StreamSelection records = select("logs");
  records.resources = {"l1"};
  expect_refused(make(records), Code::kInvalidRequest, "resources", "\"logs\"");
  StreamSelection time = select("logs");
  time.since = at("2026-01-01");
  expect_refused(make(time), Code::kInvalidRequest, "since", "consent_time_field");
  StreamSelection numbers = select("beats");
  numbers.until = at("2026-01-01");
  expect_refused(make(numbers), Code::kInvalidRequest, "since", "\"at\"");
}

TEST_F(MakeGrant, ChecksTimeRanges) {
  StreamSelection stream = select("notes");
  stream.since = at("2026-01-01");
  stream.until = at("2026-02-01");
  const auto grant = make(stream);
  ASSERT_TRUE(grant.has_value());
  ASSERT_TRUE(grant->streams[0].time.has_value());
  EXPECT_EQ(grant->streams[0].time->field, "updated_at");
  EXPECT_EQ(grant->streams[0].time->since, at("2026-01-01"));
  EXPECT_EQ(grant->streams[0].time->until, at("2026-02-01"));
  stream.until = at("2025-12-31");
  expect_refused(make(stream), Code::kInvalidRequest, "since", "\"notes\"", "source.selection.invalid_time_range");
}

TEST_F(MakeGrant, ChecksRecordKeys) {
  StreamSelection single = select("notes");
  single.resources = {"n1", "a/b", "n1"};
  EXPECT_EQ(make(single)->streams[0].resources, (std::vector<std::string>{"n1", "a/b"}));
  single.resources = {""};
  expect_refused(make(single), Code::kInvalidRequest, "resources", "\"notes\"");
  StreamSelection compound = select("visits");
  compound.resources = {R"(["u1","2026-04-01"])"};
  EXPECT_EQ(make(compound)->streams[0].resources.size(), 1U);
  for (const char* const key : {"u1", R"(["u1"])", R"(["u1","d","x"])", R"(["u1", "d"])", R"(["u1",1])", R"(["\u0075","d"])"}) {
    compound.resources = {key};
    expect_refused(make(compound), Code::kInvalidRequest, "resources", "\"visits\"");
  }
}

TEST_F(MakeGrant, ChecksConnections) {
  StreamSelection stream = select("notes");
  stream.instance_ids = {"cin_b", "cin_a", "cin_b"};
  EXPECT_EQ(make(stream)->streams[0].instance_ids, (std::vector<std::string>{"cin_b", "cin_a"}));
  stream.instance_ids = {};
  expect_refused(make(stream), Code::kInvalidRequest, "connection_id", "\"notes\"");
  stream.instance_ids = {""};
  expect_refused(make(stream), Code::kInvalidRequest, "connection_id", "\"notes\"");
}

TEST_F(MakeGrant, GrantsSeveralStreamsAndTheWildcard) {
  Selection selection;
  expect_refused(make(selection), Code::kInvalidRequest, "streams", "no stream");
  selection.streams = {select("notes"), select("logs")};
  EXPECT_EQ(make(selection)->streams.size(), 2U);
  selection.streams.push_back(select("notes"));
  expect_refused(make(selection), Code::kInvalidRequest, "streams", "\"notes\"", "source.selection.duplicate_stream_name");
  selection.streams = {select("*")};
  const auto all = make(selection);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->streams.size(), 4U);
  EXPECT_EQ(all->streams[3].instance_ids, std::vector<std::string>{"cin_a"});
  selection.streams.push_back(select("notes"));
  expect_refused(make(selection), Code::kInvalidRequest, "streams", "*", "source.selection.wildcard_must_be_only_stream");
}

TEST_F(MakeGrant, LimitsTheExpiryOfSingleUseGrants) {
  Selection selection;
  selection.streams = {select("notes")};
  selection.expires_at = kNow + 90 * kDay;
  EXPECT_EQ(make(selection)->expires_at, kNow + 90 * kDay);
  selection.single_use = true;
  EXPECT_TRUE(make(selection)->single_use);
  EXPECT_EQ(make(selection)->expires_at, kNow + kDay);
  selection.expires_at = kNow + kSecond;
  EXPECT_EQ(make(selection)->expires_at, kNow + kSecond);
  selection.expires_at = std::nullopt;
  EXPECT_EQ(make(selection)->expires_at, kNow + kDay);
  selection.expires_at = kNow;
  expect_refused(make(selection), Code::kInvalidRequest, "expires_at", "2026-04-06T15:00:00");
}

TEST_F(MakeGrant, ChecksPurposeAndClient) {
  Selection selection;
  selection.streams = {select("notes")};
  selection.purpose_code = "https://pdpp.dev/purpose/research";
  selection.purpose_description = "for a book";
  EXPECT_EQ(make(selection)->purpose_code, "https://pdpp.dev/purpose/research");
  EXPECT_EQ(make(selection)->purpose_description, "for a book");
  selection.purpose_code = "research";
  expect_refused(make(selection), Code::kInvalidRequest, "purpose_code", "\"research\"");
  selection.purpose_code.clear();
  expect_refused(make_grant(declaration_, selection, "g", "o", "", kNow), Code::kInvalidRequest, "client_id", "client");
}

}  // namespace
}  // namespace ladder::grant
