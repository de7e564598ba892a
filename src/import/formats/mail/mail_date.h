// Parses the Date header of a message (RFC 5322, and the formats of older programs).
#pragma once

#include "base/time/time.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports::mail {

struct MailDate {
  Instant time = 0;
  std::string unknown_zone;  // the name of an unknown zone; the time was then read as UTC
};

// Parses a date if every word is understood: day, month and year, a time of day (also with AM or PM) and a zone. Comments, and
// names after a numeric zone, are ignored. Returns nullopt for anything else, so that partly understood dates are never used.
std::optional<MailDate> parse_mail_date(std::string_view text);

}  // namespace ladder::imports::mail
