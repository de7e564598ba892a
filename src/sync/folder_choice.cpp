#include "sync/folder_choice.h"

#include "base/text/format.h"
#include "base/text/visible_text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ladder::sync {
namespace {

bool has_attribute(const imap::Mailbox& mailbox, const char* name) { return mailbox.attributes.contains(name); }

bool can_be_opened(const imap::Mailbox& mailbox) {
  return !has_attribute(mailbox, "\\noselect") && !has_attribute(mailbox, "\\nonexistent");
}

// iCloud announces no special use, so the usual names count too.
bool is_named_for_junk(const imap::Mailbox& mailbox) {
  constexpr std::array<std::string_view, 9> kNames = {
      "JUNK", "SPAM", "TRASH", "DELETED MESSAGES", "DELETED ITEMS", "JUNK E-MAIL", "JUNK EMAIL", "INBOX.TRASH", "INBOX.SPAM"};
  return std::ranges::find(kNames, imap::upper_case(mailbox.name)) != kNames.end();
}

}  // namespace

bool is_left_out(const imap::Mailbox& mailbox) {
  for (const char* attribute : {"\\junk", "\\trash", "\\all", "\\flagged", "\\important"}) {
    if (has_attribute(mailbox, attribute)) return true;
  }
  return is_named_for_junk(mailbox);
}

Result<std::vector<imap::Mailbox>> choose_folders(const std::vector<imap::Mailbox>& all, const std::vector<std::string>& asked,
                                                  bool is_gmail) {
  std::vector<imap::Mailbox> chosen;
  for (const std::string& name : asked) {
    const std::string upper = imap::upper_case(name);
    const auto found =
        std::ranges::find_if(all, [&](const imap::Mailbox& mailbox) { return imap::upper_case(mailbox.name) == upper; });
    if (found == all.end() || !can_be_opened(*found))
      return fail(Code::kNotFound,
                  format("the account has no folder '{}'; `ladder sync test NAME` lists its folders", visible_label(name)),
                  "folder");
    chosen.push_back(*found);
  }
  if (!asked.empty()) return chosen;
  for (const imap::Mailbox& mailbox : all) {
    if (!can_be_opened(mailbox)) continue;
    if (is_gmail ? has_attribute(mailbox, "\\all") : !is_left_out(mailbox)) chosen.push_back(mailbox);
  }
  if (chosen.empty())
    return fail(Code::kNotFound,
                is_gmail ? "the account shows no folder with all mail: allow \"All Mail\" in IMAP in Gmail's settings, "
                           "or name folders with --folder"
                         : "the account has no folder to sync; name one with --folder",
                "folder");
  return chosen;
}

}  // namespace ladder::sync
