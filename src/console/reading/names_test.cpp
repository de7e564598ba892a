#include "console/reading/names.h"

#include <gtest/gtest.h>

namespace ladder::console {
namespace {

TEST(Names, AMailboxHasANameAndAnAddress) {
  EXPECT_EQ(mailbox_of("Tomas Reuter <tomas@reuter.example>"), (Mailbox{"Tomas Reuter", "tomas@reuter.example"}));
  EXPECT_EQ(mailbox_of("\"Berg, Kari\" <kari@berg.example>"), (Mailbox{"Berg, Kari", "kari@berg.example"}));
  EXPECT_EQ(mailbox_of("nora@example.org"), (Mailbox{"nora@example.org", "nora@example.org"}));
  EXPECT_EQ(mailbox_of("Inés"), (Mailbox{"Inés", ""}));
  EXPECT_EQ(mailbox_of("<a@b.example>"), (Mailbox{"a@b.example", "a@b.example"}));
}

TEST(Names, AListIsDividedOutsideQuotes) {
  const std::vector<Mailbox> expected = {
      {"Berg, Kari", "kari@berg.example"}, {"ola@fjord.example", "ola@fjord.example"}, {"Nora", ""}};
  EXPECT_EQ(mailboxes_of("\"Berg, Kari\" <kari@berg.example>, ola@fjord.example,, Nora"), expected);
  EXPECT_EQ(mailboxes_of("Berg, Kari <kari@berg.example>, a@b.example"),
            (std::vector<Mailbox>{{"Berg, Kari", "kari@berg.example"}, {"a@b.example", "a@b.example"}}));
  EXPECT_TRUE(mailboxes_of(" , ").empty());
}

TEST(Names, InitialsAreTheFirstAndLastWord) {
  EXPECT_EQ(initials_of("Tomas Reuter"), "TR");
  EXPECT_EQ(initials_of("nora"), "N");
  EXPECT_EQ(initials_of("Ana María de la Vega"), "AV");
  EXPECT_EQ(initials_of("élodie@example.org"), "É");
  EXPECT_EQ(initials_of("Jörg 🚂"), "J");
  EXPECT_EQ(initials_of("“Ada” Fenwick"), "AF");
  EXPECT_EQ(initials_of("(unknown)"), "");
  EXPECT_EQ(initials_of(""), "");
}

}  // namespace
}  // namespace ladder::console
