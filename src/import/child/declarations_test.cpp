// Tests a rule for every format's declaration: only the key is required. A grant of one field always includes the
// required fields, so further required fields would widen it.
#include "base/text/format.h"
#include "import/child/format_table.h"
#include "import/formats/table/infer.h"
#include "import/testing/archive_maker.h"
#include "model/declaration/declaration.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace ladder::imports {
namespace {

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> required_in(const model::Stream& stream) {
  std::vector<std::string> names;
  for (const model::Field& field : stream.fields) {
    if (field.required) names.push_back(field.name);
  }
  return sorted(names);
}

void expect_only_keys_required(const std::string& text) {
  const auto declaration = model::parse_declaration(text);
  ASSERT_TRUE(declaration.has_value()) << declaration.error().message;
  for (const model::Stream& stream : declaration->streams) {
    EXPECT_EQ(required_in(stream), sorted(stream.primary_key)) << declaration->source_id << " " << stream.name;
  }
}

TEST(Declarations, RequireOnlyTheKey) {
  std::size_t declared = 0;
  for (const Format* format : all_formats()) {
    const auto text = format->declaration({});
    if (!text) continue;  // tables and Ladder exports have their own declarations
    ++declared;
    expect_only_keys_required(*text);
    const auto declaration = model::parse_declaration(*text);
    ASSERT_TRUE(declaration) << declaration.error().message;
    // `format` is always an annotation; every other keyword must be enforced.
    for (const std::string& each : declaration->unenforced()) EXPECT_TRUE(each.ends_with("/format")) << each;
    if (format->name() == "mail") {
      EXPECT_EQ(declaration->default_key(), "mail");
    }
  }
  EXPECT_EQ(declared + 2, all_formats().size());
}

// A grant for messages, and the page of a conversation, mean the same for every chat.
TEST(Declarations, AllChatsHaveTheSameLevelsAndRoles) {
  for (const std::string_view name : {"telegram", "meta", "imessage", "whatsapp", "slack"}) {
    const auto declaration = model::parse_declaration(find_format(name)->declaration({}).value_or(""));
    ASSERT_TRUE(declaration) << name;
    const model::Stream* messages = declaration->stream("messages");
    ASSERT_NE(messages, nullptr) << name;
    std::vector<std::string> levels, roles;
    for (const auto& level : messages->levels) levels.push_back(level.id);
    EXPECT_EQ(levels, (std::vector<std::string>{"who", "text", "all"})) << name;
    for (const model::Field& field : messages->fields) roles.push_back(field.role);
    for (const std::string_view role : {"context", "actor", "event-time", "attachments"}) {
      EXPECT_EQ(std::ranges::count(roles, role), 1) << name << " " << role;
    }
    EXPECT_EQ(std::ranges::count(roles, "body") + std::ranges::count(roles, "primary-text"), 1) << name;
  }
}

TEST(Declarations, InferredOnesRequireOnlyTheKey) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / format("ladder-inferred-{}", getpid());
  for (const std::string table : {"id,amount,text\na,1,x\nb,2,y\n", "amount,text\n1,x\n1,x\n"}) {
    testing::save(folder / "t.csv", table);
    const auto text = infer_declaration((folder / "t.csv").string());
    ASSERT_TRUE(text.has_value()) << text.error().message;
    expect_only_keys_required(*text);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ladder::imports
