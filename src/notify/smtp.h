// Sends one e-mail to a mail server (RFC 5321) over TLS, or to this computer without. Every step and the whole dialogue
// have a deadline, and the size of every response is bounded.
#pragma once

#include "base/error/error.h"
#include "http/stream.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace ladder::notify {

enum class Security : std::uint8_t { kTls, kStartTls, kPlain };  // kPlain only to this computer

struct SmtpServer {
  std::string host;
  std::uint16_t port = 465;
  Security security = Security::kTls;
  std::string ca_file = {};  // PEM certificates to trust; empty: the system's
};

std::string_view word_for(Security security);  // "tls", "starttls", "plain"
Result<Security> security_named(std::string_view word);

struct Mail {
  std::string from, to;
  std::string content;  // headers and body with CRLF line ends
};

struct SmtpLogin {
  std::string user, password;  // an empty user: no sign-in
};

// The outcome of an attempt to deliver a message.
enum class Outcome : std::uint8_t {
  kSent,
  kLater,     // it was not accepted; another attempt can succeed
  kRejected,  // another attempt would fail, too
  kUnknown,   // the connection ended before the answer: it may have been accepted
};

struct Delivery {
  Outcome outcome = Outcome::kSent;
  Error error = {};  // except for kSent
};

inline constexpr std::chrono::milliseconds kDialogueTime = std::chrono::minutes(2);

Delivery send_mail(const SmtpServer& server, const SmtpLogin& login, const Mail& mail, const std::stop_token& stop);
// The same over a given stream that is connected already; for tests.
Delivery send_mail(std::unique_ptr<http::Stream> stream, const SmtpServer& server, const SmtpLogin& login, const Mail& mail,
                   const std::stop_token& stop, std::chrono::milliseconds time = kDialogueTime);

}  // namespace ladder::notify
