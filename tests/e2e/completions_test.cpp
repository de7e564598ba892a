// Completions in real shells, and the manual page in real manual page readers.
#include "pseudo_terminal.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace ladder::e2e {
namespace {

class Completions : public ::testing::Test {
 protected:
  Completions() {
    owner.set_up();
    owner.surroundings().environment["PATH"] = std::filesystem::path(LADDER_BINARY).parent_path().string() + ":/usr/bin:/bin";
  }

  // Returns the words that `ladder complete` offers, without the help, in order.
  std::vector<std::string> offered(std::vector<std::string> words) const {
    words.insert(words.begin(), {"complete", "--"});
    std::istringstream out(owner.done(words).out);
    std::vector<std::string> lines;
    for (std::string line; std::getline(out, line);) lines.push_back(line.substr(0, line.find('\t')));
    return lines;
  }

  // Runs a program other than ladder; it must succeed.
  Outcome run_program(const std::string& program, const std::vector<std::string>& words, std::string_view input = {}) {
    owner.surroundings().program = program;
    const Outcome outcome = owner.done(words, input);
    owner.surroundings().program = LADDER_BINARY;
    return outcome;
  }

  Owner owner;
};

using Lines = std::vector<std::string>;

TEST_F(Completions, EveryCommandAndFlagIsOffered) {
  const Lines top = offered({""});
  for (const char* name : {"grant", "connection", "source", "import", "search", "show", "read", "completions", "man"})
    EXPECT_TRUE(std::ranges::count(top, name) == 1) << name;
  for (const char* hidden : {"complete", "errors", "routes"}) EXPECT_EQ(std::ranges::count(top, hidden), 0) << hidden;
  EXPECT_EQ(offered({"gr"}), (Lines{"none", "grant"}));
  EXPECT_EQ(offered({"--db", "elsewhere", "tok"}), (Lines{"none", "token"}));
  EXPECT_EQ(offered({"grant", "re"}), (Lines{"none", "revoke"}));
  EXPECT_EQ(offered({"read", "--be"}), (Lines{"none", "--before"}));
  EXPECT_EQ(offered({"read", "--before", "3", "--be"}), (Lines{"none"})) << "once is enough";
  EXPECT_EQ(offered({"search", "--stream", "notes", "--str"}), (Lines{"none", "--stream"})) << "this one may be repeated";
  EXPECT_EQ(offered({"search", "--", "--str"}), (Lines{"none"})) << "after -- there are no flags";
  EXPECT_EQ(offered({"no-such-command", ""}), (Lines{"none"}));
}

TEST_F(Completions, ValuesAreOffered) {
  owner.done({"grant", "create", "--client", "agent", "--stream", "notes"});
  EXPECT_EQ(offered({"records", "notes", "--order", ""}), (Lines{"none", "asc", "desc"}));
  EXPECT_EQ(offered({"records", "notes", "--order=d"}), (Lines{"none", "--order=desc"}));
  EXPECT_EQ(offered({"completions", ""}), (Lines{"none", "bash", "zsh", "fish"}));
  EXPECT_EQ(offered({"import", "one", ""}), (Lines{"files"}));
  EXPECT_EQ(offered({"import", "one", "--as", "ch"}), (Lines{"none", "chatgpt"}));
  EXPECT_EQ(offered({"import", "--as=ma"}), (Lines{"none", "--as=mail"}));
  EXPECT_EQ(offered({"connection", "show", "h"}), (Lines{"none", "home"}));
  EXPECT_EQ(offered({"erase", "h"}), (Lines{"none", "home"}));
  EXPECT_EQ(offered({"connection", "add", ""}), (Lines{"none", "notes"}));
  EXPECT_EQ(offered({"grant", "revoke", "grt_"}).size(), 2U);
  EXPECT_EQ(offered({"grant", "revoke", "--client", ""}), (Lines{"none", "agent"}));
  EXPECT_EQ(offered({"grant", "create", "--connection", "h"}), (Lines{"none", "home"}));
  owner.done({"token", "create"});
  EXPECT_EQ(offered({"token", "revoke", "tok_"}).size(), 2U);
  EXPECT_EQ(offered({"records", "no"}), (Lines{"none", "notes"}));
  EXPECT_EQ(offered({"read", "home/n"}), (Lines{"none", "home/notes:"}));
  EXPECT_EQ(offered({"read", "home/notes:n1", "di"}), (Lines{"none", "diary"}));
  EXPECT_EQ(offered({"grant", "create", "--stream", "home/notes:body,d"}), (Lines{"none", "home/notes:body,diary"}));
  EXPECT_EQ(offered({"grant", "create", "--stream", "notes:body,bo"}), (Lines{"none"})) << "a field is named once";
}

TEST_F(Completions, OfferNothingWithoutAStore) {
  EXPECT_EQ(offered({"connection", "show", "--db", "/nowhere/at/all.db", ""}), (Lines{"none"}));
  EXPECT_FALSE(std::filesystem::exists("/nowhere"));
}

// Names that a shell would execute are never completed.
TEST_F(Completions, OmitsNamesThatAShellWouldExecute) {
  std::string declaration = searchable_notes_declaration();
  for (auto at = declaration.find("\"log\""); at != std::string::npos; at = declaration.find("\"log\"", at + 1))
    declaration.replace(at, 5, "\"log $(touch x)\"");
  owner.done({"source", "add", owner.write_file("odd.json", declaration), "--key", "notes"});
  EXPECT_NE(owner.done({"schema"}).out.find("$(touch x)"), std::string::npos);
  EXPECT_EQ(offered({"records", "lo"}), (Lines{"none"}));
  for (const std::string& line : offered({"records", ""})) EXPECT_EQ(line.find('$'), std::string::npos) << line;
}

TEST_F(Completions, BashCompletesOnTab) {
  PseudoTerminal bash(owner, {"/bin/bash", "--norc", "--noprofile", "-i"}, "1", "dumb");
  bash.press("PS1='ready> '; source <(ladder completions bash)\n");
  ASSERT_TRUE(bash.shows("\nready> ")) << bash.shown();
  bash.press("ladder connection sho\tho\t\n");
  EXPECT_TRUE(bash.shows("ladder connection show home")) << bash.shown();
  EXPECT_TRUE(bash.shows("At home")) << bash.shown();
  ASSERT_TRUE(bash.shows("\nready> ")) << bash.shown();
  bash.press("ladder grant create --client c --stream home/notes:dia\t\n");
  EXPECT_TRUE(bash.shows("home/notes:diary ")) << bash.shown();
  EXPECT_TRUE(bash.shows("ldr_c_")) << bash.shown();
  ASSERT_TRUE(bash.shows("\nready> ")) << bash.shown();
  bash.press("ladder completions --json=\x15");  // and a malformed line does no harm
  bash.press("exit\n");
  EXPECT_EQ(bash.wait(), 0) << bash.shown();
}

TEST_F(Completions, ZshCompletesOnTab) {
  PseudoTerminal zsh(owner, {"/usr/bin/zsh", "-f", "-i"}, "1", "dumb");
  zsh.press("PS1='ready> '; autoload -Uz compinit && compinit -D -u; source <(ladder completions zsh); echo loa''ded\n");
  ASSERT_TRUE(zsh.shows("loaded")) << zsh.shown();
  zsh.press("ladder connection sho\tho\t\n");
  EXPECT_TRUE(zsh.shows("At home")) << zsh.shown();
  zsh.press("ladder grant create --client c --stream home/notes:dia\t\n");
  EXPECT_TRUE(zsh.shows("ldr_c_")) << zsh.shown();
  zsh.press("exit\n");
  zsh.wait();
}

TEST_F(Completions, FishCompletes) {
  const std::string script = owner.write_file("ladder.fish", owner.done({"completions", "fish"}).out);
  const Outcome told =
      run_program("/usr/bin/fish", {"--no-config", "-c",
                                    "source " + script +
                                        "; complete -C 'ladder connection show '; complete -C 'ladder gra'; complete "
                                        "-C 'ladder records notes --order='"});
  EXPECT_EQ(told.out,
            "home\tAt home\ngrant\tcreate, list, show, budget, revoke: what clients can read\n--order=asc\n--order=desc\n")
      << told.summary();
}

TEST_F(Completions, TheScriptsAreWellFormed) {
  run_program("/bin/bash", {"-n"}, owner.done({"completions", "bash"}).out);
  run_program("/usr/bin/zsh", {"-n", owner.write_file("s.zsh", owner.done({"completions", "zsh"}).out)});
  run_program("/usr/bin/fish", {"--no-config", "-n", owner.write_file("s.fish", owner.done({"completions", "fish"}).out)});
  const Outcome mistyped = owner.ladder({"completions", "bsah"});
  EXPECT_EQ(mistyped.exit_code, 64);
  EXPECT_NE(mistyped.err.find("did you mean 'bash'?"), std::string::npos) << mistyped.summary();
}

TEST_F(Completions, AnInstallationPutsThemWhereShellsLook) {
  const std::string place = owner.file("usr").string();
  run_program("/usr/bin/cmake", {"--install", std::filesystem::path(LADDER_BINARY).parent_path(), "--prefix", place});
  for (const char* file : {"bin/ladder-extract", "share/man/man1/ladder.1", "share/bash-completion/completions/ladder",
                           "share/zsh/vendor-completions/_ladder", "share/fish/vendor_completions.d/ladder.fish"}) {
    EXPECT_GT(std::filesystem::file_size(place + "/" + file), 0U) << file;
  }
  EXPECT_EQ(run_program(place + "/bin/ladder", {"man"}).out, owner.done({"man"}).out);
}

class Manual : public Completions {
 protected:
  Manual() : page(owner.done({"man"}).out) {}
  std::string page;
};

TEST_F(Manual, ManualPageReadersAcceptIt) {
  const std::string file = owner.write_file("ladder.1", page);
  const Outcome lint = run_program("/usr/bin/mandoc", {"-Tlint", "-Wwarning", file});
  EXPECT_EQ(lint.out, "");
  const std::string text = run_program("/usr/bin/mandoc", {"-Tutf8", file}).out;
  for (const char* told : {"only what you granted", "postgres://…", "takeout-*.zip", "refused: no valid token"})
    EXPECT_NE(text.find(told), std::string::npos) << told;
}

TEST_F(Manual, ListsEveryVariable) {
  std::set<std::string> variables;
  const std::regex name("\"((LADDER|PDPP|XDG)_[A-Z_]+|NO_COLOR)\"");
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(LADDER_SOURCE_DIR) / "src" / "cli")) {
    if (entry.path().extension() != ".cpp" || entry.path().filename().string().ends_with("_test.cpp")) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string source = text.str();
    for (std::sregex_iterator at(source.begin(), source.end(), name), end; at != end; ++at) variables.insert((*at)[1]);
  }
  EXPECT_GE(variables.size(), 8U);
  for (const std::string& variable : variables) {
    if (variable.find("OWNER_TOKEN") != std::string::npos || variable.find("COOKIE") != std::string::npos)
      continue;  // rejected names
    EXPECT_NE(page.find(variable), std::string::npos) << variable;
  }
}

}  // namespace
}  // namespace ladder::e2e
