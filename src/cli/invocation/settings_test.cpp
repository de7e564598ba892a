// Tests the precedence of settings: flags, variables, ladder.toml, defaults.
#include "cli/invocation/settings.h"

#include "cli/invocation/setting_table.h"

#include <gtest/gtest.h>

#include <array>
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

TEST(Settings, FailsWithoutALocation) {
  const auto settings = resolve_settings({}, environment_of({}));
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().code, Code::kNotSetUp);
}

TEST(Settings, RequiresANamedFile) {
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

TEST(ConfigFile, NamesTheFaultyLine) {
  for (const std::string_view bad : {"db", "db = x", "db = \"x", "db = \"x\" y", "db = \"\\q\"", "color = \"x\"",
                                     "owner = \"a\"\nowner = \"b\"", "db = [\"a\"]", "allow_host = [\"a\"",
                                     "allow_host = [\"a\" \"b\"]", "import_dry_run = \"yes\"", "import_dry_run = truely"}) {
    const auto config = parse_config("\n" + std::string(bad), "ladder.toml");
    ASSERT_FALSE(config) << bad;
    EXPECT_EQ(config.error().code, Code::kInvalidRequest);
    EXPECT_NE(config.error().message.find("ladder.toml, line "), std::string::npos) << config.error().message;
  }
}

TEST(ConfigFile, ReadsListsAndSwitchesAndKnowsTheirLines) {
  const auto config =
      parse_config("allow_host = [\"a\",\n 'b',] # two\nimport_dry_run = true\nallow_origin = \"https://c\"\n", "ladder.toml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->values("allow_host"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(config->values("allow_origin"), std::vector<std::string>{"https://c"});
  EXPECT_EQ(config->value("import_dry_run"), "true");
  EXPECT_EQ(config->line("import_dry_run"), 3);
  EXPECT_EQ(config->line("listen"), 0);
}

TEST(ConfigFile, AcceptsNumbersAndAByteOrderMark) {
  const auto config = parse_config("\xEF\xBB\xBFresult_bytes = 5000 # bytes\nlisten = \"127.0.0.1:1\"\n", "ladder.toml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->value("result_bytes"), "5000");
  EXPECT_FALSE(parse_config("result_bytes = 5k", "ladder.toml"));
  EXPECT_FALSE(parse_config("listen = 7663", "ladder.toml"));
}

TEST(ConfigFile, SuggestsTheNearestKey) {
  const auto config = parse_config("lisen = \"x\"", "ladder.toml");
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().message.find("did you mean 'listen'?"), std::string::npos) << config.error().message;
}

TEST(ConfigFile, SuggestsAWorkingCommandForAnUnknownKey) {
  const auto told = [](std::string_view text) { return parse_config(text, "ladder.toml").error().message; };
  EXPECT_NE(told("xyzzyplugh = \"x\"").find("`LADDER_CONFIG=/dev/null ladder config show`"), std::string::npos);
  EXPECT_NE(told("as = \"mbox\"").find("did you mean 'import_as'?"), std::string::npos) << "the name of the flag";
}

// Ignoring the file might select another store.
TEST(Settings, RejectsADanglingLink) {
  const ConfigFolder folder("");
  const std::string file = folder.path() + "/ladder/ladder.toml";
  std::filesystem::remove(file);
  EXPECT_TRUE(load_config(environment_of({{"XDG_CONFIG_HOME", folder.path()}})));
  std::filesystem::create_symlink("/nowhere/ladder.toml", file);
  const auto config = load_config(environment_of({{"XDG_CONFIG_HOME", folder.path()}}));
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().message.find(file), std::string::npos) << config.error().message;
}

TEST(SettingTable, HasEveryFlagOnceWithItsVariable) {
  std::map<std::string, const SettingRow*> rows;
  for (const SettingRow& row : setting_table()) EXPECT_TRUE(rows.emplace(row.key, &row).second) << row.key;
  for (const char* key : {"db", "owner", "listen", "public_url", "tls_key", "log", "provider_url", "import_encoding", "extract"})
    EXPECT_TRUE(rows.contains(key)) << key;
  EXPECT_EQ(rows.at("public_url")->variable(), "LADDER_PUBLIC_URL");
  EXPECT_EQ(rows.at("server_name")->commands, (std::vector<std::string>{"serve", "open", "mcp"}));
}

TEST(SettingTable, AddsFlagsForMissingWords) {
  const auto config =
      parse_config("listen = \"127.0.0.1:1\"\nallow_host = [\"a\", \"b\"]\ntls_key = \"~/key.pem\"\n", "ladder.toml");
  ASSERT_TRUE(config);
  const auto none = environment_of({{"HOME", "/h"}});
  EXPECT_EQ(
      with_settings({"--db", "serve", "serve"}, *config, none).value(),
      (Words{"--db", "serve", "serve", "--listen=127.0.0.1:1", "--tls-key=/h/key.pem", "--allow-host=a", "--allow-host=b"}));
  const auto variables = environment_of({{"LADDER_LISTEN", "[::1]:2"}, {"LADDER_ALLOW_HOST", "c,d"}, {"HOME", "/h"}});
  EXPECT_EQ(with_settings({"serve", "--tls-key", "k"}, *config, variables).value(),
            (Words{"serve", "--listen=[::1]:2", "--allow-host=c", "--allow-host=d", "--tls-key", "k"}));
  EXPECT_EQ(with_settings({"search", "serve"}, *config, variables).value(), (Words{"search", "serve"}));
  EXPECT_EQ(with_settings({"import", "x"}, *config, environment_of({{"LADDER_IMPORT_DRY_RUN", "true"}})).value(),
            (Words{"import", "--dry-run", "x"}));
  EXPECT_FALSE(with_settings({"import", "x"}, *config, environment_of({{"LADDER_IMPORT_DRY_RUN", "yes"}})));
}

TEST(SettingTable, ExpandsATildeAfterAFlag) {
  const auto none = environment_of({{"HOME", "/h"}});
  EXPECT_EQ(with_settings({"serve", "--tls-key=~/k.pem", "--tls-certificate", "~/c.pem"}, ConfigFile(), none).value(),
            (Words{"serve", "--tls-key=/h/k.pem", "--tls-certificate", "~/c.pem"}));
}

TEST(SettingTable, AnErrorNamesWhereItsSettingComesFrom) {
  const auto config = parse_config("\nlog = \"yaml\"\n", "/etc/ladder.toml");
  ASSERT_TRUE(config);
  const auto told = [&](const Words& words, const std::map<std::string, std::string>& variables) {
    Error error{.code = Code::kInvalidRequest, .message = "--log must be text or json", .param = "--log"};
    add_setting_origin(error, words, *config, environment_of(variables));
    return error.message;
  };
  EXPECT_EQ(told({"serve"}, {}), "--log must be text or json (from /etc/ladder.toml, line 2)");
  EXPECT_EQ(told({"serve"}, {{"LADDER_LOG", "x"}}), "--log must be text or json (from LADDER_LOG)");
  EXPECT_EQ(told({"serve", "--log", "x"}, {{"LADDER_LOG", "x"}}), "--log must be text or json");
  Error collector{.code = Code::kInvalidRequest, .message = "no address", .param = "--otlp-endpoint"};
  add_setting_origin(collector, {"serve"}, *config, environment_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "x"}}));
  EXPECT_EQ(collector.message, "no address (from OTEL_EXPORTER_OTLP_ENDPOINT)");
}

TEST(SettingTable, SuggestsTheNearestVariable) {
  std::string wrong = "LADDER_LISTN=127.0.0.1:1", right = "LADDER_TOKEN=x", other = "LADDER_XYZZYPLUGH=1", none = "HOME=/h";
  std::string far = "LADDER_JOBS=1";  // only the prefix is similar to LADDER_DB
  std::array<char*, 6> variables = {wrong.data(), right.data(), other.data(), none.data(), far.data(), nullptr};
  const auto found = mistyped_variables(variables.data());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front(), "unknown variable LADDER_LISTN; did you mean LADDER_LISTEN?");
}

TEST(Settings, ExpandsATilde) {
  EXPECT_EQ(resolve_settings({}, environment_of({{"HOME", "/h"}, {"LADDER_DB", "~/l.db"}}))->location, "/h/l.db");
  EXPECT_EQ(with_home("~other/x", environment_of({{"HOME", "/h"}})), "~other/x");
  EXPECT_EQ(with_home("~", environment_of({{"HOME", "/h"}})), "/h");
}

}  // namespace
}  // namespace ladder::cli
