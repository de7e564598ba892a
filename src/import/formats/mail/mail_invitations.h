// Invitations to events, their answers and cancellations (iTIP, RFC 5546), as a message contains them.
#pragma once

#include "import/formats/mail/mail_message.h"

namespace ladder::imports::mail {

// Sends a record for every event in the calendar parts of a message.
Status send_invitations(Sink& sink, const ReadMessage& read, const wire::FileLocation& place);

}  // namespace ladder::imports::mail
