// The Date header of a message (RFC 5322, and what older programs wrote).
#pragma once

#include "base/time/time.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports::mail {

struct MailDate {
  Instant time = 0;
  std::string unknown_zone;  // the name of a zone that is not known; the time was read as UTC
};

// Reads a date whose every word is understood: day, month and year, a time of day (also with AM or PM) and a zone. Comments, and
// names after a numeric zone, are passed over. nullopt for anything else, so that a date is never made from half of what is
// there.
std::optional<MailDate> parse_mail_date(std::string_view text);

}  // namespace ladder::imports::mail
