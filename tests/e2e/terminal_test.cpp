// Output on a terminal: colors unless NO_COLOR, a progress bar, and owner text that cannot control the terminal.
#include "base/text/columns.h"
#include "base/text/format.h"
#include "pseudo_terminal.h"

namespace ladder::e2e {
namespace {

class Terminal : public ::testing::Test {
 protected:
  Terminal() { owner.set_up(); }
  Owner owner;
};

TEST_F(Terminal, UsesColorsOnlyWhereWanted) {
  ASSERT_EQ(owner.ingest(note("n1", "text")).exit_code, 0);
  const std::string read = LADDER_BINARY " read home/notes:n1 body";
  EXPECT_NE(on_terminal(owner, read).find("\x1b[1m"), std::string::npos);
  EXPECT_EQ(on_terminal(owner, read, "1").find('\x1b'), std::string::npos);
  EXPECT_EQ(on_terminal(owner, read + " | cat").find('\x1b'), std::string::npos);
}

TEST_F(Terminal, MatchedWordsAreEmphasized) {
  owner.done({"source", "add", owner.write_file("searchable.json", searchable_notes_declaration())});
  ASSERT_EQ(owner.ingest(note("n1", "the spare key hangs here, the bell \a too")).exit_code, 0);
  const std::string search = LADDER_BINARY " search 'spare key' --stream notes";
  const std::string shown = on_terminal(owner, search);
  EXPECT_NE(shown.find("the \x1b[1mspare\x1b[0m \x1b[1mkey\x1b[0m hangs here, the bell ⟦U+0007⟧ too"), std::string::npos)
      << shown;
  EXPECT_NE(shown.find("1 shown; 1 record matches."), std::string::npos) << shown;
  EXPECT_EQ(on_terminal(owner, search, "1").find('\x1b'), std::string::npos);
  EXPECT_EQ(on_terminal(owner, search + " 2>/dev/null | cat").find('\x1b'), std::string::npos);
}

// The tests' terminal has 120 columns; Japanese characters take two each, without spaces to break at.
TEST_F(Terminal, HitsAreBrokenAtItsWidth) {
  owner.done({"source", "add", owner.write_file("searchable.json", searchable_notes_declaration())});
  std::string words, wide;
  for (int i = 0; i < 40; ++i) words += format("word{:02} ", i);
  for (int i = 0; i < 80; ++i) wide += "水";
  ASSERT_EQ(owner.ingest(note("n1", words + "sparekey " + wide)).exit_code, 0);
  const std::string search = LADDER_BINARY " search sparekey --stream notes";
  const std::string shown = on_terminal(owner, search, "1");
  std::size_t text_lines = 0;
  for (std::size_t at = 0; at < shown.size();) {
    const std::size_t end = std::min(shown.find("\r\n", at), shown.size());
    const std::string line = shown.substr(at, end - at);
    at = end + 2;
    if (line.find("word") == std::string::npos && line.find("水") == std::string::npos) continue;
    EXPECT_LE(columns_of(line), 120) << line;
    EXPECT_TRUE(line.starts_with("  ") && !line.ends_with(' ')) << line;
    ++text_lines;
  }
  EXPECT_EQ(text_lines, 2U) << shown;
  EXPECT_NE(on_terminal(owner, search).find("\x1b[1msparekey\x1b[0m"), std::string::npos);
  const Outcome piped = owner.ladder({"search", "sparekey", "--stream", "notes"});
  EXPECT_NE(piped.out.find(words.substr(words.size() - 100) + "sparekey"), std::string::npos) << "elsewhere a hit is one line";
}

TEST_F(Terminal, OwnerTextCannotControlIt) {
  ASSERT_EQ(owner.ingest(note("n1", "red \x1b[31m bell \a back \b clear \x1b[2J c1 \u009b over \u202e")).exit_code, 0);
  const std::string shown = on_terminal(owner, LADDER_BINARY " read home/notes:n1 body", "1");
  EXPECT_NE(shown.find("red ⟦U+001B⟧[31m bell ⟦U+0007⟧ back ⟦U+0008⟧ clear ⟦U+001B⟧[2J c1 ⟦U+009B⟧ over ⟦U+202E⟧"),
            std::string::npos)
      << shown;
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_NE(shown.find("6 control characters shown"), std::string::npos) << shown;
  EXPECT_EQ(text_at(owner.json({"read", "home/notes:n1", "body"}), "/window/text").find("\x1b[31m"), 4U);
}

TEST_F(Terminal, NamesAndErrorsCannotControlIt) {
  EXPECT_EQ(on_terminal(owner, LADDER_BINARY " connection add notes --name $'a\\x1b[31mb' --id work", "1").find('\x1b'),
            std::string::npos);
  owner.done({"connection", "add", "notes", "--id", "work", "--name", "over\u202eride"});
  EXPECT_NE(on_terminal(owner, LADDER_BINARY " connection list", "1").find("over⟦U+202E⟧ride"), std::string::npos);
  EXPECT_EQ(on_terminal(owner, LADDER_BINARY " read $'home/notes:\\x1b[31m' body", "1").find('\x1b'), std::string::npos);
  EXPECT_EQ(on_terminal(owner, LADDER_BINARY " $'\\x1b[31m'", "1").find('\x1b'), std::string::npos);
}

TEST_F(Terminal, KeysMoveFromWindowToWindow) {
  std::string body;
  for (int i = 0; i < 30; ++i) body += format("word{:02} ", i);
  ASSERT_EQ(owner.ingest(note("n1", body)).exit_code, 0);
  PseudoTerminal terminal(owner, {LADDER_BINARY, "read", "home/notes:n1", "body", "--limit", "70"}, "1");
  ASSERT_TRUE(terminal.shows("word00")) << terminal.shown();
  ASSERT_TRUE(terminal.shows("33%  n next  q quit")) << terminal.shown();
  terminal.press("p");  // there is no previous page
  ASSERT_TRUE(terminal.shows("33%  n next  q quit")) << terminal.shown();
  terminal.press("n");
  ASSERT_TRUE(terminal.shows("word10")) << terminal.shown();
  ASSERT_TRUE(terminal.shows("66%  n next  p previous  q quit")) << terminal.shown();
  terminal.press("\x1b[C");  // the right arrow
  ASSERT_TRUE(terminal.shows("word20")) << terminal.shown();
  ASSERT_TRUE(terminal.shows("100%  p previous  q quit")) << terminal.shown();
  terminal.press("x\x1b[A");  // an unassigned key, and the up arrow
  ASSERT_TRUE(terminal.shows("word10")) << terminal.shown();
  ASSERT_TRUE(terminal.shows("66%")) << terminal.shown();
  terminal.press("q");
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_EQ(terminal.shown().find('\x1b'), std::string::npos) << "NO_COLOR also affects the key legend";
  EXPECT_EQ(terminal.shown().find("--cursor"), std::string::npos) << "keys take the place of the long commands";
}

TEST_F(Terminal, KeysFindTheNextMatch) {
  std::string body;
  for (int i = 0; i < 3; ++i) body += "needle " + std::string(60, static_cast<char>('a' + i)) + " ";
  ASSERT_EQ(owner.ingest(note("n1", body)).exit_code, 0);
  const std::vector<std::string> words = {LADDER_BINARY, "read", "home/notes:n1", "body", "--q", "NEEDLE",
                                          "--before",    "0",    "--after",       "10"};
  PseudoTerminal terminal(owner, words, "1");
  for (const char* found : {"needle aaa", "needle bbb", "needle ccc"}) {
    ASSERT_TRUE(terminal.shows(found)) << terminal.shown();
    ASSERT_TRUE(terminal.shows("m next match")) << terminal.shown();
    terminal.press("m");
  }
  ASSERT_TRUE(terminal.shows("No more matches.")) << terminal.shown();
  terminal.press("\x03");  // Ctrl-C exits like q and restores the terminal
  EXPECT_EQ(terminal.wait(), 0) << terminal.shown();
}

TEST_F(Terminal, TheTerminalIsRestored) {
  ASSERT_EQ(owner.ingest(note("n1", std::string(300, 'x'))).exit_code, 0);
  PseudoTerminal shell(
      owner,
      {"/bin/bash", "-c", "stty -a > before; ladder read home/notes:n1 body --limit 100; stty -a | cmp - before && echo same"},
      "1");
  ASSERT_TRUE(shell.shows("n next")) << shell.shown();
  shell.press("\x1b");  // Escape alone
  EXPECT_TRUE(shell.shows("same")) << shell.shown();
}

TEST_F(Terminal, PrintsTheCommandsWithoutAKeyboard) {
  ASSERT_EQ(owner.ingest(note("n1", std::string(300, 'x'))).exit_code, 0);
  const std::string shown = on_terminal(owner, "ladder read home/notes:n1 body --limit 100 < /dev/null", "1");
  EXPECT_NE(shown.find("next        ladder read home/notes:n1 body --cursor "), std::string::npos) << shown;
}

TEST_F(Terminal, WideCharactersAreAligned) {
  ASSERT_EQ(owner.ingest(note("東京", "水")).exit_code, 0);
  ASSERT_EQ(owner.ingest(note("n1", "water")).exit_code, 0);
  const std::string table = on_terminal(owner, "ladder records notes --connection home --fields body,id", "1");
  std::vector<std::int64_t> begins;
  for (const std::string name : {"id", "東京", "n1"}) {
    const auto at = table.find("  " + name);
    ASSERT_NE(at, std::string::npos) << name << "\n" << table;
    const auto line = table.rfind('\n', at);
    const std::size_t from = line == std::string::npos ? 0 : line + 1;
    begins.push_back(columns_of(table.substr(from, at + 2 - from)));
  }
  EXPECT_EQ(begins[0], begins[1]) << table;
  EXPECT_EQ(begins[0], begins[2]) << table;
}

TEST_F(Terminal, HitsCarryTheirTitles) {
  std::string declaration = searchable_notes_declaration();
  const std::string plain = R"("title": {"type": "string"})";
  const auto at = declaration.find(plain);
  ASSERT_NE(at, std::string::npos) << declaration;
  declaration.replace(at, plain.size(), R"("title": {"type": "string", "x_pdpp_role": "primary-title"})");
  owner.done({"source", "add", owner.write_file("titled.json", declaration)});
  owner.ingest("{\"key\":\"n1\",\"data\":{\"id\":\"n1\",\"title\":\"Keys \\u001b[31mred\",\"body\":\"the spare key\"}}\n");
  const std::string shown = on_terminal(owner, "ladder search spare", "1");
  EXPECT_NE(shown.find(" 1  Keys ⟦U+001B⟧[31mred\r\n    "), std::string::npos) << shown;
  EXPECT_NE(shown.find("\r\n    the spare key\r\n"), std::string::npos) << shown;
  // A client that may not read the title does not see it.
  const std::string token = text_at(owner.json({"grant", "create", "--client", "c", "--stream", "notes:body"}), "/token");
  const std::string closed = on_terminal(owner, "LADDER_TOKEN=" + token + " ladder search spare --token env", "1");
  EXPECT_NE(closed.find("the spare key"), std::string::npos) << closed;
  EXPECT_EQ(closed.find("Keys"), std::string::npos) << closed;
}

TEST_F(Terminal, RecordsAreATableWithNumbers) {
  std::string declaration = searchable_notes_declaration();
  const auto give_role = [&](const std::string& field, const std::string& role) {
    const std::string plain = "\"" + field + R"(": {"type": "string")";
    const auto at = declaration.find(plain);
    ASSERT_NE(at, std::string::npos) << field << declaration;
    declaration.insert(at + plain.size(), R"(, "x_pdpp_role": ")" + role + "\"");
  };
  give_role("title", "primary-title");
  give_role("diary", "actor");
  give_role("body", "primary-text");
  owner.done({"source", "add", owner.write_file("titled.json", declaration)});
  const std::string key(32, 'f');
  owner.ingest(format(R"({{"key":"{0}","data":{{"id":"{0}","title":"Keys","body":"the spare key\nhangs {1}","diary":"Ada",)"
                      R"("updated_at":"2026-04-01T09:30:00Z"}}}})",
                      key, std::string(300, 'x')) +
               "\n");
  const std::string shown = on_terminal(owner, "ladder records notes", "1");
  EXPECT_NE(shown.find("#  title  diary  updated_at        body"), std::string::npos) << shown;
  EXPECT_NE(shown.find("1  Keys   Ada    2026-04-01 09:30  the spare key hangs xxx"), std::string::npos) << shown;
  const std::string without_numbers = on_terminal(owner, "HOME=/proc ladder records notes", "1");
  EXPECT_NE(without_numbers.find("…  home/notes:ffffffff\r\n"), std::string::npos) << without_numbers;
  for (std::size_t at = 0; at < shown.size();) {
    const std::size_t end = std::min(shown.find("\r\n", at), shown.size());
    EXPECT_LE(columns_of(shown.substr(at, end - at)), 120) << shown;
    at = end + 2;
  }
  EXPECT_NE(owner.done({"show", "home/notes:ffffffff"}).out.find("the spare key\nhangs"), std::string::npos);
}

TEST_F(Terminal, ListsAreContinuedAndOpenedByNumbers) {
  owner.done({"source", "add", owner.write_file("searchable.json", searchable_notes_declaration())});
  ASSERT_EQ(owner.ingest(note("n1", "one spare key") + note("n2", "two spare spare keys") + note("n3", "three spare")).exit_code,
            0);
  const auto has = [](const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(on_terminal(owner, "ladder more", "1"), "no list was shown yet"));
  const std::string first = on_terminal(owner, "ladder search spare --limit 2", "1");
  EXPECT_TRUE(has(first, " 1  2026-04-01 · home")) << first;
  EXPECT_TRUE(has(first, "open   ladder show 1\r\nmore   ladder more\r\n")) << first;
  const std::string second = on_terminal(owner, "ladder more", "1");
  EXPECT_TRUE(has(second, " 3  2026-04-01 · home")) << second;
  EXPECT_TRUE(has(on_terminal(owner, "ladder more", "1"), "the last list has no further page"));
  const std::string shown = on_terminal(owner, "ladder show 3", "1");
  EXPECT_TRUE(has(shown, "spare")) << shown;
  EXPECT_TRUE(has(shown, "home/notes:n")) << shown;
  EXPECT_TRUE(has(on_terminal(owner, "ladder show 9", "1"), "the last list has 3 entries, and no number 9"));
  EXPECT_TRUE(has(on_terminal(owner, "ladder more 3", "1"), "number 3 is not in a group"));
  EXPECT_EQ(owner.ladder({"more", "three"}).exit_code, 64);
  const auto rights = std::filesystem::status(owner.file(".local/state/ladder/last-list.json")).permissions();
  EXPECT_EQ(rights & (std::filesystem::perms::group_all | std::filesystem::perms::others_all), std::filesystem::perms::none);
}

TEST_F(Terminal, ALongListIsShownInThePager) {
  std::string lines;
  for (int i = 0; i < 60; ++i) lines += note(format("n{}", i), "text");
  ASSERT_EQ(owner.ingest(lines).exit_code, 0);
  const std::string pager = "PAGER='sed s/^/paged:/' ";
  EXPECT_NE(on_terminal(owner, pager + "ladder records notes --limit 60", "1").find("paged:60"), std::string::npos);
  EXPECT_EQ(on_terminal(owner, pager + "ladder records notes --limit 5", "1").find("paged:"), std::string::npos) << "it fits";
  EXPECT_EQ(on_terminal(owner, pager + "ladder records notes --limit 60 | cat", "1").find("paged:"), std::string::npos);
}

TEST_F(Terminal, TheFirstImportCreatesTheDefaultStore) {
  owner.write_file("soup.md", "# Soup\n\nleek and potato\n");
  const std::string named = on_terminal(owner, "ladder import soup.md --db elsewhere.db; echo code $?", "1");
  EXPECT_NE(named.find("code 78"), std::string::npos) << "a named store may be a typing mistake\n" << named;
  const std::string shown = on_terminal(owner, "unset LADDER_DB; ladder import soup.md && ladder search leek", "1");
  EXPECT_NE(shown.find("Created the store "), std::string::npos) << shown;
  EXPECT_NE(shown.find("Next: ladder search WORDS"), std::string::npos) << shown;
  EXPECT_NE(shown.find("1 shown; 1 record matches."), std::string::npos) << shown;
}

TEST_F(Terminal, OpenSignsTheBrowserInAndServesIfNothingDoes) {
  std::filesystem::create_directory(owner.file("bin"));
  owner.write_file("bin/xdg-open", "#!/bin/sh\necho \"$1\" >> " + owner.file("opened").string() + "\n");
  std::filesystem::permissions(owner.file("bin/xdg-open"), std::filesystem::perms::owner_all);
  const std::string browser = "export DISPLAY=:0 PATH=$PWD/bin:$PATH; exec ladder open --listen 127.0.0.1:";
  PseudoTerminal server(owner, {"/bin/bash", "-c", browser + "0"});
  ASSERT_TRUE(server.shows("Ladder serves http://127.0.0.1:")) << server.shown();
  ASSERT_TRUE(server.shows("Opened http://localhost:")) << server.shown();
  const auto at = server.shown().rfind("Opened http://localhost:") + 24;
  const std::string port = server.shown().substr(at, server.shown().find(' ', at) - at);
  EXPECT_NE(on_terminal(owner, browser + port, "1").find("Opened http://localhost:" + port), std::string::npos)
      << "the second one uses the server of the first";
  const std::string visit = "while read link; do curl -s -o /dev/null -w '%{http_code} ' \"$link\"; done < opened";
  EXPECT_NE(on_terminal(owner, visit, "1").find("200 200"), std::string::npos);
  server.press("\x03");
  EXPECT_EQ(server.wait(), 0) << server.shown();
}

TEST_F(Terminal, ATokenForTheShellPrintsNoHeading) {
  const std::string inside =
      on_terminal(owner, "token=$(ladder grant create --client c --stream notes:title); echo \"[$token]\"", "1");
  EXPECT_NE(inside.find("home/notes: title, id (added: the key)"), std::string::npos) << inside;
  EXPECT_EQ(inside.find("Token"), std::string::npos) << inside;
  EXPECT_NE(inside.find("\r\n[ldr_c_"), std::string::npos) << inside;
  const std::string shown = on_terminal(owner, "ladder grant create --client c --stream notes:title", "1");
  EXPECT_NE(shown.find("Token (shown once, give it to the client only):\r\nldr_c_"), std::string::npos) << shown;
}

TEST_F(Terminal, TheProgressBarMovesAndDisappears) {
  std::string lines;
  const std::string body(4000, 'x');
  for (int i = 0; i < 8000; ++i) lines += note(format("n{}", i), body);
  const std::string path = owner.write_file("lines.ndjson", lines);
  const std::string shown = on_terminal(owner, LADDER_BINARY " ingest --connection home --stream notes " + path);
  EXPECT_NE(shown.find("% of "), std::string::npos) << shown;
  EXPECT_NE(shown.find("░"), std::string::npos) << shown;
  EXPECT_NE(shown.find("8,000 of 8,000 records stored"), std::string::npos) << shown;
  const auto bar = shown.rfind("% of ");
  EXPECT_NE(shown.find("\r\x1b[K", bar), std::string::npos) << shown;
}

TEST_F(Terminal, ThePrintedCommandsWork) {
  ASSERT_EQ(owner.ingest(note("it's n1", "0123456789")).exit_code, 0);
  const Outcome first = owner.done({"read", "home/notes:it's n1", "body", "--limit", "4", "--db", owner.place().location()});
  const auto at = first.out.find("next        ladder ");
  ASSERT_NE(at, std::string::npos) << first.summary();
  const std::string line = first.out.substr(at + 19, first.out.find('\n', at) - at - 19);
  owner.surroundings().environment["LADDER_DB"] = "/nowhere.db";
  owner.surroundings().program = "/bin/bash";
  const Outcome second = owner.done({"-c", std::string(LADDER_BINARY " ") + line});
  EXPECT_NE(second.out.find("\n4567\n"), std::string::npos) << second.summary();
}

}  // namespace
}  // namespace ladder::e2e
