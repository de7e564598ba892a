// The commands that the client can send. A Command can only be made by the functions below, and none of them changes a mailbox:
// mailboxes are opened with EXAMINE, and messages are read with BODY.PEEK, which sets no flag.
#pragma once

#include "base/error/error.h"
#include "sync/imap/uid_set.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::sync::imap {

// The state of a mailbox that is already known (RFC 7162).
struct KnownState {
  std::uint32_t uid_validity = 0;
  std::uint64_t modseq = 0;
};

class Command {
 public:
  static Command capability();
  static Command start_tls();
  // kInvalidRequest if the user or the password cannot be written as a quoted string.
  static Result<Command> login(std::string_view user, std::string_view password);
  // `initial` is the base64 text of the first answer, or empty if the server does not accept it here.
  static Command authenticate(std::string_view mechanism, std::string_view initial);
  static Command enable_qresync();
  static Command list(bool with_status, bool with_condstore);
  // kInvalidRequest if a server's name for a mailbox contains a line end.
  static Result<Command> examine(std::string_view mailbox, bool condstore, const KnownState* known);
  static Command fetch_sizes(Uid first);
  static Command fetch_flags(Uid last, std::uint64_t changed_since);
  static Command fetch_messages(const UidSet& uids, bool gmail);
  static Command search_all(bool extended);
  static Command idle();
  static Command noop();
  static Command logout();

  const std::string& text() const { return text_; }  // without tag and line end
  bool is_secret() const { return secret_; }         // it contains credentials

 private:
  explicit Command(std::string text, bool secret = false) : text_(std::move(text)), secret_(secret) {}
  std::string text_;
  bool secret_;
};

// Returns the text that ends IDLE; it is the only line of the client that is not a command or an answer to AUTHENTICATE.
inline constexpr std::string_view kDone = "DONE\r\n";

}  // namespace ladder::sync::imap
