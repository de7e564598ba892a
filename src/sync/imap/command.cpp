#include "sync/imap/command.h"

#include "base/text/format.h"

#include <algorithm>

namespace ladder::sync::imap {
namespace {

Result<std::string> quoted(std::string_view text, std::string_view what) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\r' || c == '\n' || c == '\0')
      return fail(Code::kInvalidRequest, format("{} contains a line end or a zero byte and cannot be sent", what));
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

Command Command::capability() { return Command("CAPABILITY"); }
Command Command::start_tls() { return Command("STARTTLS"); }
Command Command::enable_qresync() { return Command("ENABLE QRESYNC"); }
Command Command::idle() { return Command("IDLE"); }
Command Command::noop() { return Command("NOOP"); }
Command Command::logout() { return Command("LOGOUT"); }

Result<Command> Command::login(std::string_view user, std::string_view password) {
  if (!is_plain(user) || !is_plain(password))
    return fail(Code::kInvalidRequest,
                "the mail server only accepts user names and passwords of ASCII characters: create an app password");
  LADDER_TRY(const std::string name, quoted(user, "the user name"));
  LADDER_TRY(const std::string secret, quoted(password, "the password"));
  return Command(format("LOGIN {} {}", name, secret), true);
}

Command Command::authenticate(std::string_view mechanism, std::string_view initial) {
  return Command(format("AUTHENTICATE {}{}{}", mechanism, initial.empty() ? "" : " ", initial), true);
}

Command Command::list(bool with_status, bool with_condstore) {
  if (!with_status) return Command("LIST \"\" \"*\"");
  return Command(
      format("LIST \"\" \"*\" RETURN (STATUS (MESSAGES UIDNEXT UIDVALIDITY{}))", with_condstore ? " HIGHESTMODSEQ" : ""));
}

Result<Command> Command::examine(std::string_view mailbox, bool condstore, const KnownState* known) {
  LADDER_TRY(const std::string name, quoted(mailbox, "the name of a mailbox"));
  if (known) return Command(format("EXAMINE {} (QRESYNC ({} {}))", name, known->uid_validity, known->modseq));
  return Command(format("EXAMINE {}{}", name, condstore ? " (CONDSTORE)" : ""));
}

Command Command::fetch_sizes(Uid first) { return Command(format("UID FETCH {}:* (UID RFC822.SIZE)", first)); }

Command Command::fetch_flags(Uid last, std::uint64_t changed_since) {
  if (changed_since == 0) return Command(format("UID FETCH 1:{} (UID FLAGS)", last));
  return Command(format("UID FETCH 1:{} (UID FLAGS) (CHANGEDSINCE {})", last, changed_since));
}

Command Command::fetch_messages(const UidSet& uids, bool gmail) {
  return Command(format("UID FETCH {} (UID FLAGS{} BODY.PEEK[])", uids.text(), gmail ? " X-GM-THRID X-GM-LABELS" : ""));
}

Command Command::search_all(bool extended) { return Command(extended ? "UID SEARCH RETURN (ALL) ALL" : "UID SEARCH ALL"); }

}  // namespace ladder::sync::imap
