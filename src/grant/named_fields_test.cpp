// Tests which fields were named and which were added, with and without stored names.
#include "grant/named_fields.h"

#include "grant/grant_fixture.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ladder::grant {
namespace {

using Names = std::vector<std::string>;

constexpr Instant kNow = 1'775'487'600 * kSecond;

model::SourceDeclaration declaration(std::string_view required) {
  std::string text(testing::kDeclaration);
  constexpr std::string_view kOld = R"("required": ["updated_at", "id"])";
  text.replace(text.find(kOld), kOld.size(), required);
  return *model::parse_declaration(text);
}

// Declared order is title, id, body, updated_at.
model::SourceDeclaration old_declaration() { return declaration(R"("required": ["id", "body"])"); }
model::SourceDeclaration new_declaration() { return declaration(R"("required": ["id"])"); }

Selection asking(const Names& fields) {
  Selection selection;
  selection.streams = {{"notes", {"home"}, fields, {}, {}, {}}};
  return selection;
}

TEST(NamedFields, StoredNamesDetermineTheAddedFields) {
  struct Case {
    Names asked, named, added, content;
    bool all = false;
  };
  const std::vector<Case> cases = {
      {{"title"}, {"title"}, {"id", "body"}, {"body"}},
      {{"title", "id"}, {"title", "id"}, {"body"}, {"body"}},
      {{"title", "id", "body"}, {"title", "id", "body"}, {}, {}},
      {{"body", "id"}, {"body", "id"}, {}, {}},
      {{"id"}, {"id"}, {"body"}, {"body"}},
      {{}, {"body", "id", "title", "updated_at"}, {}, {}, true},
  };
  const auto then = old_declaration(), now = new_declaration();
  for (const Case& each : cases) {
    const Selection selection = asking(each.asked);
    const auto grant = make_grant(then, selection, "grt_1", "local", "z", kNow);
    ASSERT_TRUE(grant.has_value()) << grant.error().message;
    const auto origins = field_origins(*grant, named_fields_json(*grant, selection), &then, &now);
    ASSERT_EQ(origins.size(), 1U);
    EXPECT_EQ(origins[0].named, each.named);
    EXPECT_EQ(origins[0].added, each.added);
    EXPECT_EQ(origins[0].content, each.content);
    EXPECT_EQ(origins[0].all, each.all);
    EXPECT_TRUE(origins[0].still_required.empty());
  }
}

TEST(NamedFields, AreInferredFromTheOrderOfAnOlderGrant) {
  struct Case {
    Names asked, named, content;
    bool all = false;
  };
  const std::vector<Case> cases = {
      {{"title"}, {"title"}, {"body"}},
      {{"title", "body"}, {"title", "body"}, {}},      // body comes before id, so it was named
      {{"title", "id"}, {"title"}, {"body"}},          // it is unknown whether id was named, and does not matter
      {{"title", "id", "body"}, {"title"}, {"body"}},  // counts as added: the order is that of adding
      {{}, {"body", "id", "title", "updated_at"}, {}, true},
  };
  const auto then = old_declaration();
  for (const Case& each : cases) {
    const auto grant = make_grant(then, asking(each.asked), "grt_1", "local", "z", kNow);
    ASSERT_TRUE(grant.has_value()) << grant.error().message;
    const auto origins = field_origins(*grant, "", &then, &then);
    EXPECT_EQ(origins[0].named, each.named);
    EXPECT_EQ(origins[0].content, each.content);
    EXPECT_EQ(origins[0].still_required, each.content);
    EXPECT_EQ(origins[0].all, each.all);
  }
}

TEST(NamedFields, WithoutADeclarationNoFieldCountsAsAdded) {
  const auto then = old_declaration();
  const auto grant = make_grant(then, asking({"title"}), "grt_1", "local", "z", kNow);
  ASSERT_TRUE(grant.has_value());
  for (const std::string_view kept :
       {"", "no JSON", "[]", R"({"notes":"title"})", R"({"notes":[1]})", R"({"other":["title"]})"}) {
    const auto origins = field_origins(*grant, kept, nullptr, nullptr);
    ASSERT_EQ(origins.size(), 1U);
    EXPECT_EQ(origins[0].named, (Names{"title", "id", "body"})) << kept;
    EXPECT_TRUE(origins[0].added.empty()) << kept;
  }
  const auto origins = field_origins(*grant, R"({"notes":["title"]})", nullptr, nullptr);
  EXPECT_EQ(origins[0].added, (Names{"id", "body"}));
  EXPECT_EQ(origins[0].content, (Names{"id", "body"})) << "the primary key is unknown";
}

TEST(NamedFields, CoverEveryStream) {
  const auto then = old_declaration();
  Selection selection;
  selection.streams = {{"*", {"home"}, {}, {}, {}, {}}};
  const auto grant = make_grant(then, selection, "grt_1", "local", "z", kNow);
  ASSERT_TRUE(grant.has_value()) << grant.error().message;
  for (const FieldOrigin& origin : field_origins(*grant, named_fields_json(*grant, selection), &then, &then)) {
    EXPECT_TRUE(origin.all) << origin.stream;
    EXPECT_TRUE(origin.added.empty()) << origin.stream;
  }
}

}  // namespace
}  // namespace ladder::grant
