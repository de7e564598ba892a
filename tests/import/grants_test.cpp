// Tests that a grant gives access only to the named fields and the record keys: with imported data, read by a client through
// the real program, and with a store whose declarations and grants were made by an older Ladder that required more fields.
#include "importing.h"

#include "import/formats/format.h"
#include "pdf_file.h"
#include "server/resource_server.h"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace ladder::import_tests {
namespace {

using Names = std::set<std::string>;

constexpr std::string_view kMail =
    "From 1790000000000000001@xxx Fri Jan 02 09:00:00 +0000 2026\n"
    "X-GM-THRID: 1790000000000000001\nX-Gmail-Labels: Inbox\nMessage-ID: <booking@harbour.example>\n"
    "From: Harbour Hotel <stay@harbour.example>\nTo: me@example.org\nSubject: Your stay in May\n"
    "Date: Fri, 02 Jan 2026 09:00:00 +0000\nPrecedence: bulk\nContent-Type: text/plain; charset=UTF-8\n\nThank you for "
    "booking.\n\n";

Names names_of(const boost::json::value& object) {
  Names names;
  for (const auto& member : object.as_object()) names.emplace(member.key());
  return names;
}

// Returns every field that a client with the grant finds in any record of the stream.
Names fields_read(Importer& owner, const std::string& token, const std::string& stream) {
  owner.surroundings().environment["LADDER_TOKEN"] = token;
  Names names;
  const auto page = owner.json({"records", stream, "--token", "env"});
  EXPECT_FALSE(page.at("data").as_array().empty()) << stream;
  for (const auto& record : page.at("data").as_array()) names.merge(names_of(record.at("data")));
  return names;
}

Names fields_granted(Importer& owner, const std::string& stream_word) {
  const auto issued = owner.json({"grant", "create", "--client", "z", "--stream", stream_word});
  const std::string stream = stream_word.substr(0, stream_word.find(':'));
  return fields_read(owner, text_at(issued, "/token"), stream.substr(stream.find('/') + 1));
}

std::string whole_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Grants, GiveTheNamedFieldsAndTheKey) {
  Importer owner;
  save(owner.file("Vault") / "plan.md", "# Plan\nThe spare key hangs behind the third clock.");
  save(owner.file("Vault") / "paper.pdf", demo::PdfFile().info("Title", "Paper").page({"What it says."}).bytes());
  save(owner.file("WhatsApp Chat with Ada.txt"),
       "02/01/2026, 09:00 - Ada: a word in private\n13/01/2026, 09:01 - Ada: and another\n");
  ASSERT_EQ(owner.import({owner.file("Vault").string()}).exit_code, 0);
  ASSERT_EQ(owner.import({owner.file("WhatsApp Chat with Ada.txt").string()}).exit_code, 0);
  EXPECT_EQ(fields_granted(owner, "notes:title"), (Names{"path", "title"}));
  EXPECT_EQ(fields_granted(owner, "messages:sent_at"), (Names{"id", "sent_at"}));
  EXPECT_EQ(fields_granted(owner, "documents:title"), (Names{"id", "title"}));
  EXPECT_EQ(owner.ladder({"read", "notes:plan.md", "text", "--token", "env"}).exit_code, 77);
}

// The README's example, with the README's own command, must give exactly those fields and the key.
TEST(Grants, TheReadmeExampleIsTrue) {
  Importer owner;
  save(owner.file("All mail.mbox"), kMail);
  ASSERT_EQ(owner.import({owner.file("All mail.mbox").string()}).exit_code, 0);
  const std::string readme = whole_file(fs::path(LADDER_SOURCE_DIR) / "README.md");
  std::smatch line;
  ASSERT_TRUE(std::regex_search(readme, line, std::regex("ladder grant create --client claude --stream (messages:([a-z_,]+))")));
  Names promised;
  std::istringstream named(line[2]);
  for (std::string name; std::getline(named, name, ',');) promised.insert(name);
  EXPECT_EQ(promised.size(), 6U);
  EXPECT_NE(std::regex_replace(readme, std::regex("\\s+"), " ")
                .find("sees these six fields of your messages and their `id`, and nothing else"),
            std::string::npos);
  promised.insert("id");
  EXPECT_EQ(fields_granted(owner, line[1]), promised);
  for (const char* other : {"attachments", "filings"})
    EXPECT_EQ(owner.ladder({"records", other, "--token", "env"}).exit_code, 77) << other;
}

TEST(Grants, ReportAddedFields) {
  const Importer owner;
  save(owner.file("Vault") / "plan.md", "# Plan\nwords");
  ASSERT_EQ(owner.import({owner.file("Vault").string()}).exit_code, 0);
  const auto issued = owner.json({"grant", "create", "--client", "z", "--stream", "notes:title"});
  const auto& stream = issued.at("grants").at(0).at("streams").at(0);
  EXPECT_EQ(boost::json::serialize(stream.at("fields")), R"(["title","path"])");
  EXPECT_EQ(boost::json::serialize(stream.at("named")), R"(["title"])");
  EXPECT_EQ(boost::json::serialize(stream.at("added")), R"(["path"])");
  EXPECT_EQ(boost::json::serialize(stream.at("added_content")), "[]");
  const std::string id = text_at(issued, "/grant_ids/0");
  EXPECT_NE(owner.done({"grant", "show", id}).out.find("notes: title, path (added: the key); of "), std::string::npos);
  EXPECT_NE(owner.done({"grant", "list"}).out.find("2: title, path*"), std::string::npos);
  const Outcome told = owner.done({"grant", "create", "--client", "z", "--stream", "notes:title,path"});
  EXPECT_NE(told.err.find("/notes: title, path\n"), std::string::npos) << "a key that was named is not marked" << told.err;
}

class OldStore : public ::testing::TestWithParam<std::string> {
 protected:
  OldStore() : owner_(GetParam()) {
    save(owner_.file("Vault") / "plan.md", "# Plan\nThe spare key hangs behind the third clock.");
    save(owner_.file("Vault") / "list.md", "# List\nMilk.");
    EXPECT_EQ(owner_.import({owner_.file("Vault").string()}).exit_code, 0);
    make_old();
  }

  // Creates the declaration of version 2 and a grant that an older Ladder made from it.
  void make_old() {
    std::string text = *imports::notes_format().declaration({});
    const auto replace = [&text](std::string_view from, std::string_view to) {
      const auto at = text.find(from);
      ASSERT_NE(at, std::string::npos) << from;
      text.replace(at, from.size(), to);
    };
    replace(R"("declaration_version": "7")", R"("declaration_version": "2")");
    replace(R"("required": ["path"])", R"("required": ["path", "title", "text"])");
    const auto store = owner_.place().open(store::OpenMode::kExisting);
    server::ResourceServer server(*store, Clock::system());
    const server::Access owner = *server.accesses().local_owner("local");
    ASSERT_TRUE(server.sources().add(owner, text, ""));
    server::GrantRequest request;
    request.client_id = "old agent";
    request.streams.resize(1);
    request.streams[0].stream = "notes";
    request.streams[0].fields = {"title"};
    const auto issued = server.grants().create(owner, request);
    ASSERT_TRUE(issued) << issued.error().message;
    token_ = issued->token;
    grant_ = issued->grant_ids.front();
    owner_.place().run(GetParam() == "sqlite" ? "UPDATE grants SET named = x''" : "UPDATE ladder.grants SET named = ''");
  }

  // Returns the findings of one doctor check.
  std::vector<boost::json::value> findings(std::string_view check) const {
    std::vector<boost::json::value> found;
    const auto report = owner_.ladder({"doctor", "--json"}).json();
    for (const auto& finding : report.at("findings").as_array()) {
      if (finding.at("check").as_string() == boost::json::string_view(check.data(), check.size())) found.push_back(finding);
    }
    return found;
  }

  Importer owner_;
  std::string token_, grant_;
};

TEST_P(OldStore, ReportsWidenedGrantsAndRecreatesThem) {
  EXPECT_EQ(fields_read(owner_, token_, "notes"), (Names{"path", "text", "title"})) << "as it was made";
  const auto grants = findings("grants"), declarations = findings("declarations");
  ASSERT_EQ(grants.size(), 1U);
  EXPECT_EQ(text_at(grants[0], "/health"), "warning");
  EXPECT_EQ(text_at(grants[0], "/thing"), grant_ + " of old agent");
  EXPECT_NE(text_at(grants[0], "/text").find("notes was granted with title, and also allows text, which was not named"),
            std::string::npos);
  ASSERT_EQ(declarations.size(), 1U);
  EXPECT_EQ(text_at(declarations[0], "/health"), "warning");

  const std::string shown = owner_.done({"grant", "show", grant_}).out;
  EXPECT_NE(shown.find("title, path (added: the key), text (added: required by the source)"), std::string::npos) << shown;
  EXPECT_NE(owner_.done({"grant", "list"}).out.find("active (widened)"), std::string::npos);

  // Run the printed command on a store that has had no import since.
  std::smatch command;
  ASSERT_TRUE(std::regex_search(shown, command, std::regex("recreate +(ladder grant create .*?)   and then")));
  EXPECT_NE(command.str(1).find("--client 'old agent' --stream "), std::string::npos) << command.str(1);
  owner_.surroundings().program = "/bin/bash";
  const Outcome again = owner_.done({"-c", "ladder() { '" LADDER_BINARY "' \"$@\"; }; " + command.str(1)});
  owner_.surroundings().program = LADDER_BINARY;
  EXPECT_NE(again.err.find("the declaration of notes is now version 7"), std::string::npos) << again.err;
  const std::string token = again.out.substr(0, again.out.find('\n'));
  EXPECT_EQ(fields_read(owner_, token, "notes"), (Names{"path", "title"}));

  owner_.done({"grant", "revoke", grant_});
  const auto updated = findings("grants");
  ASSERT_EQ(updated.size(), 1U);
  EXPECT_EQ(text_at(updated[0], "/health"), "ok");
  EXPECT_TRUE(findings("declarations").empty());
}

TEST_P(OldStore, IsUpgradedByTheNextImportOrInitWithoutLosses) {
  const std::string connection = text_at(owner_.json({"connection", "list"}), "/connections/0/connection_id");
  const std::string before = owner_.digest(connection, "notes");
  const Outcome again = owner_.import({owner_.file("Vault").string()});
  EXPECT_EQ(again.exit_code, 0) << again.summary();
  EXPECT_EQ(total(again, "unchanged"), 2);
  EXPECT_TRUE(findings("declarations").empty());
  EXPECT_EQ(owner_.digest(connection, "notes"), before);
  EXPECT_EQ(fields_granted(owner_, "notes:title"), (Names{"path", "title"}));
  EXPECT_EQ(fields_read(owner_, token_, "notes"), (Names{"path", "text", "title"})) << "a grant never changes";

  make_old();
  EXPECT_EQ(findings("declarations").size(), 1U);
  owner_.done({"init"});
  EXPECT_TRUE(findings("declarations").empty());
  EXPECT_EQ(owner_.digest(connection, "notes"), before);
}

// If the newer declarations are unavailable, no grant may be created from the older ones.
TEST_P(OldStore, CreatesNoGrantWithoutTheNewerDeclaration) {
  owner_.surroundings().environment["LADDER_EXTRACT"] = "/nowhere/ladder-extract";
  const Outcome refused = owner_.ladder({"grant", "create", "--client", "z", "--stream", "notes:title", "--json"});
  EXPECT_EQ(refused.exit_code, 78) << refused.summary();
  EXPECT_EQ(owner_.json({"grant", "list"}).at("grants").as_array().size(), 1U);
  EXPECT_EQ(owner_.ladder({"init"}).exit_code, 0) << "the store itself is ready";
}

LADDER_FOR_EVERY_ENGINE(OldStore);

TEST(SourceAdd, NamesRequiredFieldsOutsideTheKey) {
  const e2e::Owner owner;
  owner.done({"init"});
  std::string declaration(e2e::kNotesDeclaration);
  const std::string_view key_only = R"("required": ["id"])";
  declaration.replace(declaration.find(key_only), key_only.size(), R"("required": ["id", "body", "diary"])");
  const std::string file = owner.write_file("own.json", declaration);
  const auto added = owner.json({"source", "add", file});
  EXPECT_EQ(boost::json::serialize(added.at("always_granted")), R"([{"stream":"notes","fields":["body","diary"]}])");
  const std::string told = owner.done({"source", "add", file}).out;
  EXPECT_NE(told.find("so every grant of their stream includes them, whatever fields it names:\n  notes: body, diary\n"),
            std::string::npos)
      << told;
  owner.done({"connection", "add", "notes", "--id", "home"});
  const Outcome granted = owner.done({"grant", "create", "--client", "z", "--stream", "notes:title"});
  EXPECT_NE(granted.err.find(
                "notes: title, id (added: the key), body (added: required by the source), diary (added: required by the source)"),
            std::string::npos)
      << granted.err;
  EXPECT_NE(granted.err.find("remove these fields from `required`"), std::string::npos) << granted.err;
}

}  // namespace
}  // namespace ladder::import_tests
