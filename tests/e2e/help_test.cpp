// ladder help TOPIC: the topics of the documentation, in a terminal and elsewhere.
#include "base/text/columns.h"
#include "base/text/format.h"
#include "pseudo_terminal.h"

#include <fstream>
#include <sstream>

namespace ladder::e2e {
namespace {

// Returns the names in the list of topics.
std::vector<std::string> listed_topics(const Owner& owner) {
  std::istringstream page(owner.done({"help", "topics"}).out);
  std::vector<std::string> names;
  bool is_inside = false;
  for (std::string line; std::getline(page, line);) {
    if (is_inside && line.empty()) break;
    if (is_inside) names.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (line == "Topics:") is_inside = true;
  }
  return names;
}

TEST(HelpTopic, EachIsShownWithoutAStoreAndWithInvalidSettings) {
  Owner owner;
  owner.surroundings().environment["LADDER_CONFIG"] = owner.write_file("bad.toml", "this is = = no TOML\n");
  const std::vector<std::string> names = listed_topics(owner);
  EXPECT_GE(names.size(), 15U);
  for (const std::string& name : names) {
    const std::string page = owner.done({"help", name}).out;
    EXPECT_NE(page.find("\nRead on: docs/"), std::string::npos) << name;
    EXPECT_EQ(page.find("]("), std::string::npos) << "links are text in a terminal\n" << page;
    EXPECT_EQ(page.find("<!--"), std::string::npos) << page;
  }
  EXPECT_NE(owner.done({"help", "imap"}).out.find("Keep mail, calendars and contacts current\n"), std::string::npos) << "an alias";
  const boost::json::value json = owner.json({"help", "backup"});
  EXPECT_EQ(text_at(json, "/page"), "run/back-up.md");
  EXPECT_EQ(text_at(json, "/title"), "Back up and restore");
}

TEST(HelpTopic, ACommandHasItsOwnHelp) {
  const Owner owner;
  EXPECT_EQ(owner.done({"help", "schema"}).out, owner.done({"schema", "--help"}).out) << "no topic has this name";
  EXPECT_NE(owner.done({"help", "sync"}).out.find("\nOptions: ladder sync --help\n"), std::string::npos);
  EXPECT_EQ(owner.done({"help", "sync", "add"}).out, owner.done({"sync", "add", "--help"}).out);
  EXPECT_NE(owner.done({"--help"}).out.find("ladder help topics"), std::string::npos);
}

TEST(HelpTopic, UnknownNamesListNearTopics) {
  const Owner owner;
  const Outcome typo = owner.ladder({"help", "imprt"});
  EXPECT_EQ(typo.exit_code, 64) << typo.summary();
  EXPECT_NE(typo.err.find("no help topic 'imprt'; try ladder help import"), std::string::npos) << typo.summary();
  EXPECT_NE(owner.ladder({"help", "tailscale"}).err.find("try ladder help public-address"), std::string::npos)
      << "it is in the text";
  EXPECT_NE(owner.ladder({"help", "xyzzyx"}).err.find("no help topic 'xyzzyx'; ladder help topics lists them"),
            std::string::npos);
}

TEST(HelpTopic, FitsTheTerminalAndItsPager) {
  Owner owner;
  const std::string shown = on_terminal(owner, "PAGER='sed s/^/paged:/' ladder help search", "1");
  EXPECT_NE(shown.find("paged:Search"), std::string::npos) << "longer than the terminal\n" << shown;
  std::istringstream lines(shown);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), 120) << line;
  EXPECT_EQ(on_terminal(owner, "PAGER='sed s/^/paged:/' ladder help search | cat", "1").find("paged:"), std::string::npos);
  EXPECT_NE(on_terminal(owner, "PAGER=cat ladder help search").find("\x1b[1mSearch\x1b[0m"), std::string::npos);
}

TEST(HelpTopic, EveryPageForUsersHasOne) {
  for (const char* part : {"start", "use", "run"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::string(LADDER_SOURCE_DIR) + "/docs/" + part)) {
      std::ifstream file(entry.path());
      const std::string page{std::istreambuf_iterator<char>(file), {}};
      EXPECT_NE(page.find("\n<!-- help: "), std::string::npos) << entry.path();
      EXPECT_NE(page.find("\n<!-- end help -->\n"), std::string::npos) << entry.path();
    }
  }
}

}  // namespace
}  // namespace ladder::e2e
