#include "cli/sync/secret_flags.h"

#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/terminal/input_file.h"
#include "cli/terminal/secret_input.h"

namespace ladder::cli {
namespace {

constexpr std::size_t kMaxFileBytes = 64 * 1024;

std::string first_line(const std::string& text) { return text.substr(0, text.find_first_of("\r\n")); }

}  // namespace

void SecretFlags::declare(Arguments& arguments) {
  arguments.value("--password-file", "FILE", file_, "read the password from the first line of this file (default: ask for it)");
  arguments.value("--password-command", "COMMAND", command_, "run this command for the password at every sign-in");
  arguments.value("--token-command", "COMMAND", token_command_, "run this command for an OAuth access token instead (XOAUTH2)");
}

Result<std::string> SecretFlags::read(Console& console, sync::Source& source) const {
  if ((file_ ? 1 : 0) + (command_ ? 1 : 0) + (token_command_ ? 1 : 0) > 1)
    return fail(Code::kInvalidRequest, "use only one of --password-file, --password-command and --token-command",
                "--password-file");
  source.secret_kind = command_ || token_command_ ? sync::SecretKind::kCommand : sync::SecretKind::kValue;
  source.login = token_command_ ? sync::imap::Login::kToken : sync::imap::Login::kPassword;
  if (command_ || token_command_) return command_ ? *command_ : *token_command_;
  std::string secret;
  if (file_) {
    LADDER_TRY(const std::string text, read_whole_file(*file_, kMaxFileBytes));
    secret = first_line(text);
  } else {
    secret = first_line(read_secret(console, format("Password of {}: ", visible_label(sync::place_of(source)))));
  }
  if (secret.empty())
    return fail(Code::kInvalidRequest, "no password was given: type it, or use --password-file or --password-command",
                "--password-file");
  return secret;
}

}  // namespace ladder::cli
