// Tests text in many charsets with the real program in its sandbox. tests/import/charsets has a mail for each charset, and the
// subject and body as decoded by Python.
#include "base/text/format.h"
#include "importing.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

namespace ladder::import_tests {
namespace {

const fs::path kFixtures = fs::path(LADDER_SOURCE_DIR) / "tests/import/charsets";

std::string read_file(const fs::path& path) { return test_support::file_text(path); }

std::string trimmed(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string member(const boost::json::object& data, std::string_view name) {
  const auto* value = data.if_contains(name);
  return value && value->is_string() ? std::string(value->as_string()) : std::string();
}

// Returns the records of a stream by one of their members.
std::map<std::string, boost::json::object> by_member(const Importer& owner, const std::string& connection,
                                                     const std::string& stream, const std::string& name) {
  std::map<std::string, boost::json::object> found;
  std::string cursor;
  do {
    std::vector<std::string> words = {"records", stream, "--connection", connection, "--limit", "100"};
    if (!cursor.empty()) words.insert(words.end(), {"--cursor", cursor});
    const boost::json::value page = owner.json(words);
    for (const auto& record : page.at("data").as_array()) {
      const boost::json::object& data = record.at("data").as_object();
      found.emplace(member(data, name), data);
    }
    cursor = member(page.as_object(), "next_cursor");
  } while (!cursor.empty());
  return found;
}

class CharsetsOnEveryEngine : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Charsets, CharsetsOnEveryEngine, ::testing::Values("sqlite", "postgres"),
                         [](const auto& engine) { return engine.param; });

TEST_P(CharsetsOnEveryEngine, MailInFortyCharsetsMatchesPython) {
  const Importer owner(GetParam());
  const Outcome outcome = owner.import({kFixtures.string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.summary();
  const auto messages = by_member(owner, "mail", "messages", "message_id");
  const auto attachments = by_member(owner, "mail", "attachments", "message");
  int charsets = 0;
  for (const auto& each : fs::directory_iterator(kFixtures)) {
    const std::string name = each.path().stem();
    if (each.path().extension() != ".eml" || name.starts_with("undeclared-")) continue;
    ++charsets;
    const std::string expected = read_file(kFixtures / (name + ".txt"));
    const std::size_t line = expected.find('\n');
    const auto found = messages.find(name + "@example.org");
    ASSERT_NE(found, messages.end()) << name;
    EXPECT_EQ(member(found->second, "subject"), expected.substr(0, line)) << name;
    EXPECT_EQ(trimmed(member(found->second, "text")), trimmed(expected.substr(line + 1))) << name;
    EXPECT_EQ(member(found->second, "charset_guessed"), "") << name;
    const auto page = attachments.find(member(found->second, "id"));
    if (name == "utf-16le" || name == "utf-7") continue;  // a page cannot name these itself
    ASSERT_NE(page, attachments.end()) << name;
    EXPECT_EQ(member(page->second, "file_name"), expected.substr(0, line) + ".html") << name;
    EXPECT_EQ(trimmed(member(page->second, "text")), trimmed(expected.substr(line + 1))) << name;
  }
  EXPECT_GE(charsets, 40);
}

TEST(Charsets, UnlabeledEncodingsAreGuessedAndReported) {
  const Importer owner;
  ASSERT_EQ(owner.import({kFixtures.string()}).exit_code, 0);
  const auto messages = by_member(owner, "mail", "messages", "message_id");
  int seen = 0;
  for (const auto& each : fs::directory_iterator(kFixtures)) {
    const std::string name = each.path().stem();
    if (each.path().extension() != ".eml" || !name.starts_with("undeclared-")) continue;
    ++seen;
    const auto found = messages.find(format("un-{}@example.org", name.substr(11)));
    ASSERT_NE(found, messages.end()) << name;
    const std::string expected = read_file(kFixtures / (name + ".txt"));
    EXPECT_EQ(trimmed(member(found->second, "text")), trimmed(expected.substr(expected.find('\n') + 1))) << name;
    EXPECT_EQ(member(found->second, "charset_guessed"), name.substr(11)) << name;
  }
  EXPECT_GE(seen, 14);
}

constexpr std::string_view kPeople = R"({"protocol_version": "0.1.0", "source": {"kind": "connector", "id": "urn:example:people"},
  "declaration_version": "1", "publisher": {"id": "urn:example"}, "display": {"name": "People"}, "streams": [
  {"name": "people", "semantics": "mutable_state", "primary_key": ["id"], "selection": {"fields": true, "resources": true},
   "schema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "имя": {"type": "string"}}}}]})";

// "id;имя\n1;Иван Петров\n2;Жанна\n" in Windows-1251.
constexpr std::string_view kRows =
    "id;\xE8\xEC\xFF\n1;\xC8\xE2\xE0\xED \xCF\xE5\xF2\xF0\xEE\xE2\n2;\xC6\xE0\xED\xED\xE0 \xD1\xEC\xE8\xF0\xED\xEE\xE2\xE0\n";

TEST(Charsets, TableEncodingsAreGuessedAndCanBeOverridden) {
  const Importer owner;
  const std::string rows = owner.write_file("people.csv", kRows), manifest = owner.write_file("people.json", kPeople);
  const Outcome outcome = owner.import({rows, "--manifest", manifest});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.summary();
  EXPECT_NE(outcome.summary().find("read as windows-1251"), std::string::npos) << outcome.summary();
  auto people = by_member(owner, "people", "people", "id");
  EXPECT_EQ(member(people["1"], "имя"), "Иван Петров");
  EXPECT_EQ(member(people["2"], "имя"), "Жанна Смирнова");

  // The same bytes are different letters in KOI8-R; an explicit encoding wins.
  const std::string koi = owner.write_file("koi.csv", "id;\xC9\xCD\xD1\n3;\xF2\xD5\xD3\xCC\xC1\xCE\n");
  const Outcome told = owner.import({koi, "--manifest", manifest, "--encoding", "koi8-r"});
  ASSERT_EQ(told.exit_code, 0) << told.summary();
  EXPECT_EQ(told.summary().find("read as"), std::string::npos) << told.summary();
  people = by_member(owner, "people", "people", "id");
  EXPECT_EQ(member(people["3"], "имя"), "Руслан");

  const Outcome inferred = owner.ladder({"source", "infer", koi, "--encoding", "cskoi8r"});
  EXPECT_EQ(inferred.exit_code, 0) << inferred.summary();
  EXPECT_NE(inferred.out.find("имя"), std::string::npos) << inferred.out;
  const Outcome unknown = owner.import({koi, "--manifest", manifest, "--encoding", "klingon-8"});
  EXPECT_EQ(unknown.exit_code, 64);
  EXPECT_NE(unknown.summary().find("klingon-8"), std::string::npos) << unknown.summary();
}

// Local times can be ordered and filtered although their time zone is unknown. WhatsApp's own lines are not searchable.
TEST_P(CharsetsOnEveryEngine, ChatsWithoutAZoneAreOrderedAndFiltered) {
  const Importer owner(GetParam());
  save(owner.file("WhatsApp Chat with Ada.txt"),
       "28/3/2025, 21:29 - Messages are end-to-end encrypted\n28/3/2025, 21:30 - Ada: pears\n29/3/2025, 8:05 - Bob: apples\n");
  ASSERT_EQ(owner.import({owner.file("WhatsApp Chat with Ada.txt").string()}).exit_code, 0);
  const auto texts = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"records", "messages", "--connection", "whatsapp", "--order", "asc"};
    words.insert(words.end(), more.begin(), more.end());
    std::string all;
    const boost::json::value page = owner.json(words);
    for (const auto& record : page.at("data").as_array()) {
      const boost::json::object& data = record.at("data").as_object();
      all += member(data, "sent_at") + " " + member(data, "text") + ";";
    }
    return all;
  };
  EXPECT_EQ(texts({}), "2025-03-28T21:29:00 ;2025-03-28T21:30:00 pears;2025-03-29T08:05:00 apples;");
  EXPECT_EQ(texts({"--filter", "sent_at.gte=2025-03-29"}), "2025-03-29T08:05:00 apples;");
  EXPECT_EQ(texts({"--filter", "sent_at.lt=2025-03-28T21:30:00"}), "2025-03-28T21:29:00 ;");
  EXPECT_EQ(owner.json({"search", "encrypted"}).at("data").as_array().size(), 0U);
  EXPECT_EQ(owner.json({"search", "pears"}).at("data").as_array().size(), 1U);
}

TEST(Charsets, NotesReportGuessedEncodings) {
  const Importer owner;
  fs::create_directories(owner.file("Vault"));
  // KOI8-R, and Japanese in ISO-2022-JP. Detection needs about a dozen words.
  save(owner.file("Vault/list.txt"),
       "\xF3\xD0\xC9\xD3\xCF\xCB \xD0\xCF\xCB\xD5\xD0\xCF\xCB: \xCD\xCF\xCC\xCF\xCB\xCF,"
       " \xC8\xCC\xC5\xC2, \xD3\xD9\xD2 \xC9 \xD1\xC2\xCC\xCF\xCB\xC9. \xF0\xCF\xDA\xD7\xCF\xCE\xC9\xD4\xD8 "
       "\xC2\xC1\xC2\xD5\xDB\xCB\xC5 \xD7 \xD7\xCF\xD3\xCB\xD2\xC5\xD3\xC5\xCE\xD8\xC5 "
       "\xC9 \xCB\xD5\xD0\xC9\xD4\xD8 \xC2\xC9\xCC\xC5\xD4\xD9 \xCE\xC1 \xD0\xCF\xC5\xDA\xC4."
       "\n");
  save(owner.file("Vault/jp.txt"), "\x1B$B$3$s$K$A$O\x1B(B\n");
  save(owner.file("Vault/plain.md"),
       "# Gr\xC3\xBC\xC3\x9F"
       "e\n");
  ASSERT_EQ(owner.import({owner.file("Vault").string()}).exit_code, 0);
  auto notes = by_member(owner, "notes-vault", "notes", "path");
  EXPECT_EQ(trimmed(member(notes["list.txt"], "text")),
            "Список покупок: молоко, хлеб, сыр и яблоки. Позвонить бабушке в воскресенье и купить билеты на поезд.");
  EXPECT_EQ(member(notes["list.txt"], "charset_guessed"), "koi8-r");
  EXPECT_EQ(trimmed(member(notes["jp.txt"], "text")), "こんにちは");
  EXPECT_EQ(member(notes["plain.md"], "charset_guessed"), "");
}

}  // namespace
}  // namespace ladder::import_tests
