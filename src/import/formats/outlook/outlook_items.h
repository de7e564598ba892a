// Writes Outlook's items in the form in which other programs send them, so that the readers of mail, calendars and contacts read
// them: a message as MIME, an event or task as iCalendar, a contact as a vCard.
#pragma once

#include "import/formats/outlook/pff.h"

#include <string>

namespace ladder::imports::outlook {

// The same message has the same bytes in every file, because its id is derived from them.
std::string mime_of(const Item& message);
std::string event_of(const Item& event);
std::string task_of(const Item& task);
std::string card_of(const Item& contact);

}  // namespace ladder::imports::outlook
