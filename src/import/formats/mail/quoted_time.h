// The minute in which a message was sent, as its own Date header states it, and as answers state it above the quoted text ("On
// Fri, 5 Jan 2024 at 10:00 Ann wrote:", "Gesendet: Freitag, 5. Januar 2024 10:00").
#pragma once

#include <string>
#include <string_view>

namespace ladder::imports::mail {

// Returns year, day and month (the smaller one first, because the order is often ambiguous) and minute as "2024-01-05:00". The
// hour is omitted, because each mail program writes it in its own time zone. Returns "" if a part is missing.
std::string written_minute(std::string_view line);

// Returns the minute of the last quoted message in the text, which is the oldest one. Returns "" if no quote has a time.
std::string quoted_minute(std::string_view text);

}  // namespace ladder::imports::mail
