// SIGHUP: `ladder serve` applies the settings that may change, names the others, and ignores an invalid file.
#include "rest_fixture.h"

#include <unistd.h>

#include <fstream>

namespace ladder::wire {
namespace {

// Writes a settings file before the server starts.
struct HasSettings {
  HasSettings() { write(""); }
  ~HasSettings() { ::unlink(path.c_str()); }
  void write(std::string_view text) const { std::ofstream(path) << text; }

  const std::string path = format("/tmp/ladder-reload-{}.toml", ::getpid());
};

class Reloading : protected HasSettings, public Rest {
 protected:
  Reloading() : Rest({}, {"LADDER_CONFIG=" + path}) {}

  std::string reload(std::string_view text) {
    write(text);
    signal(SIGHUP);
    return log_line_with("settings");
  }
  std::string resource() { return get("/.well-known/oauth-protected-resource", "").string("/resource"); }
};

TEST_P(Reloading, AppliesWhatMayChangeAndNamesTheRest) {
  EXPECT_TRUE(resource().starts_with("http://127.0.0.1:")) << resource();
  EXPECT_NE(log_line_with("oauth-protected-resource").find("\"route\""), std::string::npos) << "JSON, since it is no terminal";
  EXPECT_EQ(reload("log = \"text\"\npublic_url = \"https://data.example/\"\nserver_name = \"other\"\n"),
            "ladder: reloaded the settings: took log, public_url; a restart is needed for server_name, input_schemas or "
            "resource_links");
  EXPECT_TRUE(resource().starts_with("https://data.example")) << resource();
  const std::string text = log_line_with("oauth-protected-resource");
  EXPECT_NE(text.find(" ms GET /.well-known"), std::string::npos) << text;
  EXPECT_EQ(reload("log = \"text\"\npublic_url = \"https://data.example\"\n"), "ladder: reloaded the settings: took public_url")
      << "written differently";
  EXPECT_EQ(reload("log = \"text\"\npublic_url = \"https://data.example\"\n"),
            "ladder: reloaded the settings: nothing has changed");
}

TEST_P(Reloading, ABadFileChangesNothing) {
  ASSERT_NE(reload("public_url = \"https://data.example\"\n").find("took public_url"), std::string::npos);
  const std::string unknown = reload("log = \"text\"\npublik_url = \"https://evil.example\"\n");
  EXPECT_NE(unknown.find("keeping the old settings: "), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("did you mean 'public_url'?"), std::string::npos) << unknown;
  const std::string collector = reload("public_url = \"https://evil.example\"\notlp_endpoint = \"nowhere\"\n");
  EXPECT_NE(collector.find("not the address of an OTLP collector"), std::string::npos) << collector;
  EXPECT_NE(collector.find(path + ", line 2"), std::string::npos) << collector;
  EXPECT_TRUE(resource().starts_with("https://data.example")) << resource();
  const std::string log = reload("public_url = \"https://data.example\"\n\nlog = \"yaml\"\n");
  EXPECT_NE(log.find(format("--log must be text or json (from {}, line 3)", path)), std::string::npos) << log;
  EXPECT_EQ(reload("public_url = \"https://data.example\"\nextract = \"/nowhere\"\n"),
            "ladder: reloaded the settings: a restart is needed for extract");
}

LADDER_FOR_EVERY_ENGINE(Reloading);

}  // namespace
}  // namespace ladder::wire
