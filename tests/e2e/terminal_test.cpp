// On a terminal: colours unless NO_COLOR, a progress bar, and owner text that cannot act on the terminal.
#include "base/format.h"
#include "pseudo_terminal.h"

namespace ladder::e2e {
namespace {

class Terminal : public ::testing::Test {
 protected:
  Terminal() { owner.set_up(); }
  Owner owner;
};

TEST_F(Terminal, ColoursOnlyWhereTheyAreWanted) {
  ASSERT_EQ(owner.ingest(note("n1", "text")).exit_code, 0);
  const std::string read = LADDER_BINARY " read home/notes:n1 body";
  EXPECT_NE(on_terminal(owner, read).find("\x1b[1m"), std::string::npos);
  EXPECT_EQ(on_terminal(owner, read, "1").find('\x1b'), std::string::npos);
  EXPECT_EQ(on_terminal(owner, read + " | cat").find('\x1b'), std::string::npos);
}

TEST_F(Terminal, MatchedWordsAreEmphasised) {
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

TEST_F(Terminal, OwnerTextCannotActOnIt) {
  ASSERT_EQ(owner.ingest(note("n1", "red \x1b[31m bell \a back \b clear \x1b[2J c1 \u009b over \u202e")).exit_code, 0);
  const std::string shown = on_terminal(owner, LADDER_BINARY " read home/notes:n1 body", "1");
  EXPECT_NE(shown.find("red ⟦U+001B⟧[31m bell ⟦U+0007⟧ back ⟦U+0008⟧ clear ⟦U+001B⟧[2J c1 ⟦U+009B⟧ over ⟦U+202E⟧"),
            std::string::npos)
      << shown;
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_NE(shown.find("6 control characters shown"), std::string::npos) << shown;
  EXPECT_EQ(text_at(owner.json({"read", "home/notes:n1", "body"}), "/window/text").find("\x1b[31m"), 4U);
}

TEST_F(Terminal, NamesAndErrorsCannotEither) {
  EXPECT_EQ(on_terminal(owner, LADDER_BINARY " connection add notes --name $'a\\x1b[31mb' --id work", "1").find('\x1b'),
            std::string::npos);
  owner.done({"connection", "add", "notes", "--id", "work", "--name", "over\u202eride"});
  EXPECT_NE(on_terminal(owner, LADDER_BINARY " connection list", "1").find("over⟦U+202E⟧ride"), std::string::npos);
  EXPECT_EQ(on_terminal(owner, LADDER_BINARY " read $'home/notes:\\x1b[31m' body", "1").find('\x1b'), std::string::npos);
  EXPECT_EQ(on_terminal(owner, LADDER_BINARY " $'\\x1b[31m'", "1").find('\x1b'), std::string::npos);
}

TEST_F(Terminal, TheBarMovesAndGoesAway) {
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
  ASSERT_NE(at, std::string::npos) << first.told();
  const std::string line = first.out.substr(at + 19, first.out.find('\n', at) - at - 19);
  owner.surroundings().environment["LADDER_DB"] = "/nowhere.db";
  owner.surroundings().program = "/bin/bash";
  const Outcome second = owner.done({"-c", std::string(LADDER_BINARY " ") + line});
  EXPECT_NE(second.out.find("\n4567\n"), std::string::npos) << second.told();
}

}  // namespace
}  // namespace ladder::e2e
