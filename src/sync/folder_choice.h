// Chooses the folders of an account to sync.
#pragma once

#include "base/error/error.h"
#include "sync/imap/client.h"

#include <string>
#include <vector>

namespace ladder::sync {

// Returns the asked folders, which may be named without regard to case, or by default all that contain messages of their own:
// not junk and trash, and not virtual folders, whose messages are in other folders too. Gmail's folders are labels, so there it
// is the one with all mail. kNotFound names an asked folder that the server does not have.
Result<std::vector<imap::Mailbox>> choose_folders(const std::vector<imap::Mailbox>& all, const std::vector<std::string>& asked,
                                                  bool is_gmail);

// Reports whether the folder is left out unless it is asked for.
bool is_left_out(const imap::Mailbox& mailbox);

}  // namespace ladder::sync
