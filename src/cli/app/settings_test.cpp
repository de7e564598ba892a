// Tests where settings come from: flags before variables before ladder.toml before defaults.
#include "cli/app/settings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include <unistd.h>

namespace ladder::cli {
namespace {

Environment environment_of(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

class ConfigFolder {
 public:
  explicit ConfigFolder(std::string_view toml)
      : path_(std::filesystem::temp_directory_path() / ("ladder-settings-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_ / "ladder");
    std::ofstream(path_ / "ladder" / "ladder.toml") << toml;
  }
  ~ConfigFolder() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Settings, DefaultsAreInTheUsersFolders) {
  const auto settings = resolve_settings({}, environment_of({{"HOME", "/home/ada"}}));
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->location, "/home/ada/.local/share/ladder/ladder.db");
  EXPECT_EQ(settings->owner, "local");
  EXPECT_FALSE(settings->db_by_flag);
  EXPECT_EQ(resolve_settings({}, environment_of({{"HOME", "/h"}, {"XDG_DATA_HOME", "/data"}}))->location,
            "/data/ladder/ladder.db");
  EXPECT_EQ(resolve_settings({}, environment_of({{"HOME", "/h"}, {"XDG_DATA_HOME", "relative"}}))->location,
            "/h/.local/share/ladder/ladder.db");
}

TEST(Settings, FlagsThenVariablesThenTheFile) {
  const ConfigFolder config("db = \"/from/file.db\"\nowner = 'file'\n");
  std::map<std::string, std::string> variables = {{"HOME", "/h"}, {"XDG_CONFIG_HOME", config.path()}};
  EXPECT_EQ(resolve_settings({}, environment_of(variables))->location, "/from/file.db");
  EXPECT_EQ(resolve_settings({}, environment_of(variables))->owner, "file");
  variables["LADDER_DB"] = "/from/variable.db";
  variables["LADDER_OWNER"] = "variable";
  EXPECT_EQ(resolve_settings({}, environment_of(variables))->location, "/from/variable.db");
  EXPECT_EQ(resolve_settings({}, environment_of(variables))->owner, "variable");
  const auto flagged = resolve_settings({"/from/flag.db", "flag", false}, environment_of(variables));
  EXPECT_EQ(flagged->location, "/from/flag.db");
  EXPECT_EQ(flagged->owner, "flag");
  EXPECT_TRUE(flagged->db_by_flag && flagged->owner_by_flag);
}

TEST(Settings, WithoutAnyPlaceItSaysSo) {
  const auto settings = resolve_settings({}, environment_of({}));
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().code, Code::kNotSetUp);
}

TEST(Settings, ANamedFileMustBeThere) {
  const auto settings = resolve_settings({}, environment_of({{"HOME", "/h"}, {"LADDER_CONFIG", "/nowhere/ladder.toml"}}));
  ASSERT_FALSE(settings);
  EXPECT_NE(settings.error().message.find("/nowhere/ladder.toml"), std::string::npos);
}

TEST(Settings, PasswordsAreNotShown) {
  EXPECT_EQ(shown_location("postgres://ada:secret@db.example:5432/ladder"), "postgres://ada:…@db.example:5432/ladder");
  EXPECT_EQ(shown_location("postgres://ada@db.example:5432/ladder"), "postgres://ada@db.example:5432/ladder");
  EXPECT_EQ(shown_location("postgres://db/ladder?user=a&password=secret&x=1"), "postgres://db/ladder?user=a&password=…&x=1");
  EXPECT_EQ(shown_location("--db=postgres://a:b@db/l?sslpassword=x&password=y"),
            "--db=postgres://a:…@db/l?sslpassword=…&password=…");
  EXPECT_EQ(shown_location("/a/b:c@d.db"), "/a/b:c@d.db");
}

TEST(ConfigFile, ReadsStringsAndComments) {
  const auto config = parse_config("# ours\n\n db = \"C:\\\\x \\\"y\\\"\" # where\r\nowner='a\\b'", "ladder.toml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->value("db"), "C:\\x \"y\"");
  EXPECT_EQ(config->value("owner"), "a\\b");
  EXPECT_EQ(config->value("other"), std::nullopt);
}

TEST(ConfigFile, NamesTheLineAtFault) {
  for (const std::string_view bad :
       {"db", "db = x", "db = \"x", "db = \"x\" y", "db = \"\\q\"", "color = \"x\"", "owner = \"a\"\nowner = \"b\""}) {
    const auto config = parse_config("\n" + std::string(bad), "ladder.toml");
    ASSERT_FALSE(config) << bad;
    EXPECT_EQ(config.error().code, Code::kInvalidRequest);
    EXPECT_NE(config.error().message.find("ladder.toml, line "), std::string::npos) << config.error().message;
  }
}

}  // namespace
}  // namespace ladder::cli
