// The minute at which a message was sent, as the message itself says it in its Date header, and as an answer says it in the lines
// above the text that it quotes ("On Fri, 5 Jan 2024 at 10:00 Ann wrote:", "Gesendet: Freitag, 5. Januar 2024 10:00").
#pragma once

#include <string>
#include <string_view>

namespace ladder::imports::mail {

// "2024-01-05:00" is the year, day and month (the smaller one first, since few programs say which is which) and the minute. The
// hour is left out: each mail program writes it in its own time zone. "" if the line does not have all of them.
std::string written_minute(std::string_view line);

// The minute of the last quoted message in the text, which is the oldest one. "" if the text quotes none that says when it was
// sent.
std::string quoted_minute(std::string_view text);

}  // namespace ladder::imports::mail
