// Tests command-line parsing: valid commands, errors, suggestions, and the flags of grant create with their order.
#include "cli/invocation/command_line.h"

#include "cli/flags/stream_words.h"
#include "cli/invocation/failure.h"

#include <gtest/gtest.h>

#include <array>

namespace ladder::cli {
namespace {

std::string complaint(const Words& words) {
  const auto result = read_command_line(words, "1.2.3");
  if (result) return "(none)";
  EXPECT_EQ(result.error().code, Code::kInvalidRequest);
  return result.error().message;
}

TEST(CommandLine, AcceptsCommonFlagsBeforeAndAfterTheCommand) {
  for (const Words& words : {Words{"--db", "/x.db", "--owner", "ada", "--json", "connection", "list"},
                             Words{"connection", "list", "--db", "/x.db", "--owner=ada", "--json"}}) {
    const auto result = read_command_line(words, "1.2.3");
    ASSERT_TRUE(result && result->command);
    EXPECT_EQ(result->flags.db, "/x.db");
    EXPECT_EQ(result->flags.owner, "ada");
    EXPECT_TRUE(result->flags.json);
  }
}

TEST(CommandLine, ShowsPages) {
  EXPECT_EQ(read_command_line({"--version"}, "1.2.3")->page, "ladder 1.2.3\n");
  const auto help = read_command_line({"grant", "create", "--help"}, "1.2.3");
  ASSERT_TRUE(help);
  EXPECT_FALSE(help->command);
  EXPECT_NE(help->page.find("--single-use"), std::string::npos) << help->page;
  EXPECT_NE(help->page.find("Examples:"), std::string::npos) << help->page;
}

TEST(CommandLine, EveryCommandHasAPageWithItsSummaryAndExamples) {
  for (const CommandEntry& entry : all_commands()) {
    Words words;
    if (!entry.group.empty()) words.emplace_back(entry.group);
    words.emplace_back(entry.name);
    words.emplace_back("--help");
    const auto help = read_command_line(words, "1.2.3");
    ASSERT_TRUE(help) << entry.name;
    EXPECT_NE(help->page.find(entry.summary), std::string::npos) << help->page;
    for (const char* flag : {"--db", "--owner", "--json"}) EXPECT_NE(help->page.find(flag), std::string::npos) << help->page;
    if (!entry.hidden) {
      EXPECT_NE(help->page.find("Examples:"), std::string::npos) << help->page;
    }
  }
}

TEST(CommandLine, MistypedWordsAreExplained) {
  EXPECT_NE(complaint({"conection", "list"}).find("did you mean 'ladder connection'?"), std::string::npos)
      << complaint({"conection"});
  EXPECT_NE(complaint({"grant", "craete"}).find("did you mean 'ladder grant create'?"), std::string::npos);
  EXPECT_NE(complaint({"zzzzzzzz"}).find("ladder --help"), std::string::npos);
  EXPECT_NE(complaint({"read", "a:b", "c", "--ofset", "3"}).find("did you mean '--offset'?"), std::string::npos)
      << complaint({"read", "a:b", "c", "--ofset", "3"});
  EXPECT_NE(complaint({"read", "a:b", "c", "d"}).find("unexpected argument 'd'"), std::string::npos);
  EXPECT_NE(complaint({"read", "a:b"}).find("FIELD"), std::string::npos) << complaint({"read", "a:b"});
}

TEST(CommandLine, ShowsHelpWithoutACommand) {
  const auto all = read_command_line({}, "1.2.3"), group = read_command_line({"grant"}, "1.2.3");
  ASSERT_TRUE(all && group);
  EXPECT_FALSE(all->command || group->command);
  EXPECT_EQ(all->page, read_command_line({"--help"}, "1.2.3")->page);
  EXPECT_EQ(group->page, read_command_line({"grant", "--help"}, "1.2.3")->page);
  EXPECT_NE(group->page.find("revoke"), std::string::npos) << group->page;
}

TEST(CommandLine, ValuesMayLookLikeCommandsAndFlags) {
  for (const Words& words : {Words{"read", "read", "ingest"}, Words{"connection", "show", "list"}, Words{"--db", "init", "init"},
                             Words{"read", "a:b", "c", "--q", "--json"}, Words{"read", "a:b", "c", "--offset", "-5"}}) {
    const auto result = read_command_line(words, "1.2.3");
    EXPECT_TRUE(result && result->command) << (result ? "" : result.error().message);
  }
}

TEST(CommandLine, WordsAfterTwoHyphensAreNotFlags) {
  EXPECT_EQ(complaint({"search", "third", "--", "-clock", "--json"}), "(none)");
  EXPECT_EQ(complaint({"search", "--", "third", "-clock"}), "(none)");
  EXPECT_NE(complaint({"search", "third", "-clock"}).find("put -- before"), std::string::npos);
  EXPECT_NE(complaint({"connection", "list", "--", "-x"}).find("'-x'"), std::string::npos);
}

TEST(CommandLine, StreamFlagsRequireAStream) {
  EXPECT_NE(complaint({"grant", "create", "--client", "c", "--since", "2026-01-01", "--stream", "s"}).find("--since must follow"),
            std::string::npos);
  EXPECT_EQ(complaint({"grant", "create", "--client", "c", "--stream", "s", "--since", "2026-01-01", "--stream", "t", "--record",
                       "a", "--record", "b"}),
            "(none)");
  EXPECT_NE(
      complaint({"grant", "create", "--client", "c", "--stream", "s", "--until", "soon"}).find("--until 'soon' is not a time"),
      std::string::npos);
}

TEST(CommandLine, OnlyTheFlagRequestsJson) {
  EXPECT_TRUE(wants_json({"read", "--json"}));
  EXPECT_FALSE(wants_json({"read", "--", "--json"}));
}

TEST(StreamWords, Grammar) {
  const auto whole = parse_stream_word("mail-1/messages:subject,body");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->connection_id, "mail-1");
  EXPECT_EQ(whole->stream, "messages");
  EXPECT_EQ(whole->fields, (std::vector<std::string>{"subject", "body"}));
  const auto bare = parse_stream_word("messages");
  ASSERT_TRUE(bare);
  EXPECT_TRUE(bare->connection_id.empty() && bare->fields.empty());
  for (const char* bad : {"", "/s", "c/", "s:", "s:a,", "s:,a", ":a"}) EXPECT_FALSE(parse_stream_word(bad)) << bad;
}

TEST(StreamWords, LaterFlagsApplyToThePrecedingStream) {
  StreamWords words;
  ASSERT_TRUE(words.stream("a"));
  ASSERT_TRUE(words.since("2026-01-01"));
  ASSERT_TRUE(words.stream("b"));
  ASSERT_TRUE(words.until("2026-01-01T00:00:00Z"));
  ASSERT_TRUE(words.record("k1"));
  ASSERT_TRUE(words.record("k2"));
  ASSERT_EQ(words.selections().size(), 2U);
  EXPECT_TRUE(words.selections()[0].since && !words.selections()[0].until);
  EXPECT_TRUE(words.selections()[1].until && !words.selections()[1].since);
  EXPECT_EQ(words.selections()[1].records, (std::vector<std::string>{"k1", "k2"}));
  EXPECT_FALSE(words.record(""));
}

TEST(ExitCode, ByKindOfError) {
  EXPECT_EQ(exit_code(Code::kInvalidWindow), 64);
  EXPECT_EQ(exit_code(Code::kInvalidId), 64);
  EXPECT_EQ(exit_code(Code::kAuthentication), 77);
  EXPECT_EQ(exit_code(Code::kFieldNotGranted), 77);
  EXPECT_EQ(exit_code(Code::kGrantRevoked), 77);
  EXPECT_EQ(exit_code(Code::kNotSetUp), 78);
  EXPECT_EQ(exit_code(Code::kNotFound), 1);
  EXPECT_EQ(exit_code(Code::kStoreUnavailable), 1);
  EXPECT_EQ(exit_code(Code::kConnectorInvalid), 1);
}

}  // namespace
}  // namespace ladder::cli
