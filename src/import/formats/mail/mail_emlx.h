// Apple Mail's files (.emlx): the length of the message, the message, and a property list with its flags.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::imports::mail {

struct Emlx {
  std::string_view message;  // the whole file if it does not begin with a length
  std::string flags;         // in the letters of a Maildir: S seen, R replied, F flagged, T trashed, D draft
};
Emlx read_emlx(std::string_view file);

// "Mail/V10/…/Travel.mbox/…/Messages/1.emlx" → "Travel"
std::string emlx_folder(std::string_view path);

}  // namespace ladder::imports::mail
