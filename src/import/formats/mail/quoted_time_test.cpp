#include "import/formats/mail/quoted_time.h"

#include <gtest/gtest.h>

namespace ladder::imports::mail {
namespace {

TEST(QuotedTime, IsReadInTheLanguagesOfMailPrograms) {
  for (const std::string_view line :
       {"Fri, 05 Jan 2024 10:17:23 +0100", "Fri, 5 Jan 24 10:17 PM", "Sent: Friday, January 5, 2024 10:17 AM",
        "Gesendet: Freitag, 5. Januar 2024 22:17", "Envoyé : vendredi 5 janvier 2024 10:17",
        "Enviado el: viernes, 5 de enero de 2024 10:17", "Inviato: venerdì 5 gennaio 2024 10:17",
        "Verzonden: vrijdag 5 januari 2024 10:17", "Wysłano: piątek, 5 stycznia 2024 10:17",
        "Отправлено: пятница, 5 января 2024 г. 10:17", "On 01/05/2024 10:17 AM, Ann wrote:", "Am 05.01.24 um 10:17 schrieb Ann2:",
        "发送时间: 2024年1月5日 10:17", "2024-01-05 10:17",
        "At 10:17 AM 1/5/24 -0500, you wrote:", "On Fri, Jan 5, 2024 at 10:17 AM Mara Lisle <mara1@example.org> wrote:"}) {
    EXPECT_EQ(written_minute(line), "2024-01-05:17") << line;
  }
  EXPECT_EQ(written_minute("mar. 7 mai 2024 10:17"), "2024-05-07:17") << "mar. is a Tuesday";
  EXPECT_EQ(written_minute("10/18/99 07:08 AM"), "1999-10-18:08");
  for (const std::string_view line :
       {"10:17", "5 Jan 2024", "Jan 2024 10:17", "room 12:17 on 2024", "ratio 3:17 of 2024", "", ":::"}) {
    EXPECT_EQ(written_minute(line), "") << line;
  }
}

TEST(QuotedTime, UsesTheOldestQuote) {
  EXPECT_EQ(quoted_minute("Yes.\n\n> On 5 Jan 2024, at 10:17, Ann wrote:\n> > On 4 Jan 2024, at 09:33, Bob wrote:\n> > what\n"),
            "2024-01-04:33");
  EXPECT_EQ(quoted_minute("Yes.\n\nOn Fri, Jan 5, 2024 at 10:17 AM Ann Lee\n<ann@example.org> wrote:\n> what"), "2024-01-05:17");
  EXPECT_EQ(quoted_minute(
                "see below\n---- Forwarded by Ann on 08/13/1999 08:46 AM ----\n\nBob@HOME\n10/18/1999 07:08 AM\nTo: Ann\n\nHi"),
            "1999-10-18:08");
  EXPECT_EQ(quoted_minute("Yes.\n\n*From:* Ann\n*Sent:* Friday, January 5, 2024 10:17 AM\n*To:* Bob"), "2024-01-05:17");
  EXPECT_EQ(quoted_minute("We met on 5 Jan 2024 at 10:17 and talked."), "");
  EXPECT_EQ(quoted_minute("Forwarded on 10/18/1999 07:08 AM"), "");
  EXPECT_EQ(quoted_minute(""), "");
}

}  // namespace
}  // namespace ladder::imports::mail
