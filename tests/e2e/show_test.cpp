// ladder show: a complete record with its fields and attachments, the short ids of tables, and saved files that are
// never overwritten. Uses the generated life of demo/life.
#include "owner.h"

#include "base/text/format.h"

#include <fstream>
#include <regex>
#include <sstream>

namespace ladder::e2e {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class ShowCommand : public ::testing::Test {
 protected:
  ShowCommand() {
    const fs::path life = fs::path(LADDER_SOURCE_DIR) / "demo" / "life";
    owner.done({"init"});
    owner.done({"import", (life / "mail.mbox").string(), (life / "notes").string()});
  }
  // Returns the id of the only record of a stream with that value.
  std::string id_of(const std::string& stream, const std::string& filter) const {
    const std::string line = owner.done({"records", stream, "--filter", filter}).out;
    EXPECT_EQ(std::ranges::count(line, '\n'), 1) << filter << '\n' << line;
    return line.substr(0, line.find('\t'));
  }
  Owner owner;
};

TEST_F(ShowCommand, ShowsAMessageWithItsAttachment) {
  const std::string id = id_of("messages", "message_id=train-1@rail-sf.example");
  const Outcome shown = owner.done({"show", id});
  EXPECT_EQ(shown.out.rfind("Vos billets Lyon – Kassel, commande 4MZ-118\nfrom ", 0), 0U) << shown.out;
  EXPECT_NE(shown.out.find("Rail sans Frontières <billets@rail-sf.example>\nsent_at "), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("votre commande 4MZ-118 est payée (312,00 €)."), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("1 attachment\n  billets-4MZ-118.pdf  application/pdf, "), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("ladder show " + id + " --save ."), std::string::npos) << shown.out;
  EXPECT_EQ(text_at(owner.json({"show", id}), "/data/subject"), "Vos billets Lyon – Kassel, commande 4MZ-118");
  // The beginning of the key, as tables show it.
  const std::string start = id.substr(0, id.find(':') + 9);
  EXPECT_EQ(owner.done({"show", start}).out, shown.out);
  EXPECT_EQ(owner.ladder({"show", id.substr(0, id.find(':') + 1) + "ffffffff"}).exit_code, 1);
}

TEST_F(ShowCommand, AttachmentsAreSavedAndNeverOverwritten) {
  const std::string id = id_of("messages", "message_id=train-1@rail-sf.example");
  fs::create_directory(owner.file("saved"));
  const Outcome saved = owner.done({"show", id, "--save", owner.file("saved").string()});
  const fs::path file = owner.file("saved") / "billets-4MZ-118.pdf";
  EXPECT_NE(saved.out.find(file.string()), std::string::npos) << saved.summary();
  EXPECT_EQ(content(file).rfind("%PDF-1.4", 0), 0U);
  EXPECT_NE(content(file).find("%%EOF"), std::string::npos);
  const Outcome again = owner.ladder({"show", id, "--save", owner.file("saved").string()});
  EXPECT_NE(again.exit_code, 0);
  EXPECT_NE(again.err.find("already exists"), std::string::npos) << again.summary();
  owner.done({"show", id, "--save", owner.file("ticket.pdf").string()});
  EXPECT_EQ(content(owner.file("ticket.pdf")), content(file));
  const std::string note = id_of("notes", "title=Spare keys");
  EXPECT_EQ(owner.ladder({"show", note, "--save", owner.file("saved").string()}).exit_code, 1) << "it has none";
}

TEST_F(ShowCommand, ADocumentIsItsOwnAttachment) {
  const std::string id = id_of("documents", "author=Abeille Bleue");
  EXPECT_NE(owner.done({"show", id}).out.find("1 attachment\n  Travel insurance certificate AB-552-910.pdf"), std::string::npos);
  owner.done({"show", id, "--save", owner.file("policy.pdf").string()});
  EXPECT_EQ(content(owner.file("policy.pdf")),
            content(fs::path(LADDER_SOURCE_DIR) / "demo/life/notes/documents/travel-insurance.pdf"));
}

TEST_F(ShowCommand, AClientSeesItsGrantAndNoAttachment) {
  const std::string id = id_of("messages", "message_id=train-1@rail-sf.example");
  const std::string token =
      text_at(owner.json({"grant", "create", "--client", "c", "--stream", "mail/messages:subject"}), "/token");
  const Outcome shown = owner.done({"show", id, "--token", token});
  EXPECT_NE(shown.out.find("Vos billets"), std::string::npos) << shown.out;
  EXPECT_EQ(shown.out.find("312,00"), std::string::npos) << shown.out;
  EXPECT_EQ(shown.out.find("attachment"), std::string::npos) << shown.out;
  EXPECT_NE(owner.ladder({"show", id, "--save", owner.file("x").string(), "--token", token}).exit_code, 0);
  EXPECT_FALSE(fs::exists(owner.file("x")));
}

TEST_F(ShowCommand, TheHelpListsTheExtractorsFormats) {
  const std::string help = owner.done({"import", "--help"}).out;
  std::istringstream offered(owner.done({"complete", "--", "import", "--as", ""}).out);
  int formats = 0;
  for (std::string line; std::getline(offered, line);) {
    const auto tab = line.find('\t');
    if (tab == std::string::npos) continue;
    EXPECT_NE(help.find(format("  {:<12} {}\n", line.substr(0, tab), line.substr(tab + 1))), std::string::npos) << line << help;
    ++formats;
  }
  EXPECT_GE(formats, 10);
}

}  // namespace
}  // namespace ladder::e2e
