#include "import/formats/mail/mail_date.h"

#include "base/text/format.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace ladder::imports::mail {
namespace {

std::string date_of(std::string_view text) {
  const auto date = parse_mail_date(text);
  return date ? format_time(date->time) + (date->unknown_zone.empty() ? "" : " " + date->unknown_zone) : "";
}

TEST(MailDate, IsReadCompletelyOrNotAtAll) {
  for (const std::string_view text :
       {"Fri, 05 Jan 2024 10:00:00 +0100", "5 Jan 2024 09:00 GMT", "Fri Jan  5 09:00:00 2024", "Friday, 05-Jan-24 09:00:00 UTC",
        "2024-01-05T10:00:00+01:00", "2024-01-05 09:00:00.123", "Fri, 5 Jan 24 10:00:00 +0100 (CET (comment))",
        "Fri, 5 Jan 124 04:00:00 EST", "Jan 5, 2024 1:00 AM PST", "Fri, 5 Jan 2024 10:00:00 +0100 W. Europe Standard Time",
        "Fri, 5 Jan 2024 10:00:00 GMT+0100"}) {
    EXPECT_EQ(date_of(text), "2024-01-05T09:00:00.000Z") << text;
  }
  EXPECT_EQ(date_of("Fri, 20 Aug 1999 06:09:22 PM EDT"), "1999-08-20T22:09:22.000Z");
  EXPECT_EQ(date_of("Fri, 20 Aug 1999 12:09:22 AM GMT"), "1999-08-20T00:09:22.000Z");
  EXPECT_EQ(date_of("Fri, 20 Aug 1999 12:09:22 XYZ"), "1999-08-20T12:09:22.000Z xyz");
  for (const std::string_view text :
       {"06:09:22 PM EDT", "Fri, 20 Aug 1999", "20 Aug 06:09:22", "Fri, 32 Aug 1999 06:09:22 GMT", "30 Feb 2024 10:00:00 GMT",
        "Fri, 20 Aug 1999 13:09:22 PM GMT", "Fri, 20 Aug 1999 25:09:22 GMT", "05/06/2024 10:00:00", "20 Aug 1999 06:09:22 +9900",
        "20 Aug 1999 06:09:22 GMT 07:00", "yesterday", "", "1 2 3 4 5", "Fri, 20 Aug 1999 x 06:09:22"}) {
    EXPECT_EQ(date_of(text), "") << text;
  }
}

}  // namespace
}  // namespace ladder::imports::mail
