// Signing in: AUTHENTICATE PLAIN or LOGIN with a password, XOAUTH2 with an access token.
#include "base/text/base64.h"
#include "base/text/format.h"
#include "sync/imap/client.h"

namespace ladder::sync::imap {
namespace {

std::string plain_answer(const Credentials& credentials) {
  std::string answer;
  answer += '\0';
  answer += credentials.user;
  answer += '\0';
  return base64::encode(answer + credentials.secret);
}

std::string token_answer(const Credentials& credentials) {
  constexpr char kEnd = '\x01';
  return base64::encode(format("user={0}{2}auth=Bearer {1}{2}{2}", credentials.user, credentials.secret, kEnd));
}

}  // namespace

Status Client::sign_in(const Credentials& credentials) {
  has_capabilities_ = false;  // they differ after the login
  const std::set<std::string> offered = capabilities_;
  const auto offers = [&](const char* word) { return offered.contains(word); };
  if (credentials.login == Login::kToken) {
    if (!offers("AUTH=XOAUTH2"))
      return fail(Code::kInvalidRequest, format("the mail server {} does not accept access tokens (XOAUTH2)", server_.host));
    return authenticate("XOAUTH2", token_answer(credentials));
  }
  if (offers("AUTH=PLAIN")) return authenticate("PLAIN", plain_answer(credentials));
  if (!offers("LOGINDISABLED")) return login(credentials);
  return fail(
      Code::kInvalidRequest,
      format("the mail server {} accepts no passwords on this connection; it may need another encryption (--security), or "
             "an access token (--token-command)",
             server_.host));
}

Status Client::login(const Credentials& credentials) {
  LADDER_TRY(const Command command, Command::login(credentials.user, credentials.secret));
  return run(command, {});
}

// A server that rejects a token asks once more before it says so; an empty line ends that.
Status Client::authenticate(std::string_view mechanism, const std::string& first_answer) {
  const bool at_once = capabilities_.contains("SASL-IR");
  const Command command = Command::authenticate(mechanism, at_once ? first_answer : "");
  LADDER_TRY(const std::string tag, send(command));
  for (bool answered = at_once;;) {
    LADDER_TRY(const Response response, next_response());
    if (response.kind == Response::Kind::kTagged) {
      LADDER_CHECK(note(response));
      if (response.tag != tag) return fail(Code::kRsProtocol, "the mail server sent the result of another command");
      return finish(command, response);
    }
    if (response.kind == Response::Kind::kStatus && response.condition == Response::Condition::kBye)
      return finish(command, response);
    LADDER_CHECK(note(response));
    if (response.kind != Response::Kind::kContinuation) continue;
    LADDER_CHECK(write(answered ? "\r\n" : first_answer + "\r\n"));
    answered = true;
  }
}

}  // namespace ladder::sync::imap
