#include "notify/smtp.h"

#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <vector>

namespace ladder::notify {
namespace {

constexpr auto kStepTime = std::chrono::seconds(30);
constexpr std::size_t kMaxReplyBytes = 16 * 1024;  // greetings and the list of extensions are far smaller
constexpr std::size_t kShownReply = 120;

struct Reply {
  int code = 0;
  std::vector<std::string> lines;  // without the code

  bool is_good() const { return code >= 200 && code < 300; }
};

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return out;
}

// One dialogue with a mail server.
class Dialogue {
 public:
  Dialogue(std::unique_ptr<http::Stream> stream, const SmtpServer& server, const std::stop_token& stop,
           std::chrono::milliseconds time)
      : stream_(std::move(stream)), server_(server), stop_(stop), deadline_(std::chrono::steady_clock::now() + time) {}

  Delivery run(const SmtpLogin& login, const Mail& mail, bool is_connected) {
    Status sent = is_connected ? Status{} : connect();
    if (sent) sent = deliver(login, mail);
    return sent ? Delivery{} : Delivery{failed_, sent.error()};
  }

 private:
  http::WaitLimit limit() const { return {std::min(deadline_, std::chrono::steady_clock::now() + kStepTime), stop_}; }

  Status connect() {
    const auto connected = stream_->connect(limit(), http::AddressScope::kLoopback);
    return connected ? Status{} : of_stream(connected.error());
  }

  std::unexpected<Error> of_stream(const http::ClientError& error) {
    failed_ = accepting_ ? Outcome::kUnknown : Outcome::kLater;
    switch (error.fault) {
      case http::ClientFault::kCancelled:
        return fail(Code::kCancelled, "stopped");
      case http::ClientFault::kTimeout:
        return fail(Code::kRsTimeout, error.message);
      case http::ClientFault::kForbidden:
        return rejected(Code::kInvalidRequest, format("{} is not the address of a mail server", server_.host));
      case http::ClientFault::kCertificate:
        return fail(
            Code::kRsUnreachable,
            format("{}; check the host name, or name the certificate of your own authority with --ca FILE", error.message));
      default:
        return fail(Code::kRsUnreachable, error.message);
    }
  }

  std::unexpected<Error> rejected(Code code, std::string message) {
    failed_ = Outcome::kRejected;
    return fail(code, std::move(message));
  }

  // Replies of servers may repeat the credentials, so only those to other commands are shown.
  std::unexpected<Error> refused(std::string_view step, const Reply& reply) {
    failed_ = reply.code >= 500 ? Outcome::kRejected : Outcome::kLater;
    const std::string text = reply.lines.empty() ? "" : visible_label(reply.lines.back().substr(0, kShownReply));
    return fail(Code::kRsProtocol, format("the mail server {} refused {}: {} {}", server_.host, step, reply.code, text));
  }

  Result<std::string> line() {
    for (;;) {
      const std::size_t end = received_.find('\n');
      if (end != std::string::npos) {
        std::string one = received_.substr(0, end);
        received_.erase(0, end + 1);
        if (one.ends_with('\r')) one.pop_back();
        return one;
      }
      if (received_.size() > kMaxReplyBytes) return fail(Code::kRsProtocol, "the mail server sent a line that is too long");
      if (const auto read = stream_->read(limit(), received_); !read) return of_stream(read.error());
    }
  }

  Result<Reply> reply() {
    Reply reply;
    for (std::size_t bytes = 0;;) {
      LADDER_TRY(const std::string one, line());
      bytes += one.size();
      const bool has_code = one.size() >= 3 && std::ranges::all_of(one.substr(0, 3), [](char c) { return c >= '0' && c <= '9'; });
      const char mark = one.size() > 3 ? one[3] : ' ';
      if (!has_code || (mark != ' ' && mark != '-') || bytes > kMaxReplyBytes)
        return fail(Code::kRsProtocol, format("{}:{} does not speak SMTP", server_.host, server_.port));
      reply.code = (one[0] - '0') * 100 + (one[1] - '0') * 10 + (one[2] - '0');
      reply.lines.push_back(one.substr(std::min<std::size_t>(4, one.size())));
      if (mark == ' ') return reply;
    }
  }

  Status write(std::string_view bytes) {
    const auto written = stream_->write(limit(), bytes);
    return written ? Status{} : of_stream(written.error());
  }

  Result<Reply> ask(std::string_view command) {
    LADDER_CHECK(write(format("{}\r\n", command)));
    return reply();
  }

  Status encrypt() {
    // Bytes that arrived before the handshake could be forged.
    if (!received_.empty()) return fail(Code::kRsProtocol, "the mail server sent data before the encryption began");
    const auto done = stream_->start_tls(limit(), server_.ca_file);
    return done ? Status{} : of_stream(done.error());
  }

  // The name in EHLO is fixed, so that the name of this computer is not told.
  Status hello() {
    LADDER_TRY(const Reply greeting, ask("EHLO ladder.invalid"));
    if (!greeting.is_good()) return refused("the greeting", greeting);
    extensions_.clear();
    mechanisms_.clear();
    for (const std::string& one : greeting.lines) {
      const std::string words = upper(one);
      extensions_.insert(words.substr(0, words.find(' ')));
      if (!words.starts_with("AUTH ")) continue;
      for (std::size_t at = 5; at < words.size();) {
        const std::size_t end = std::min(words.find(' ', at), words.size());
        mechanisms_.insert(words.substr(at, end - at));
        at = end + 1;
      }
    }
    return {};
  }

  Status sign_in(const SmtpLogin& login) {
    if (login.user.empty()) return {};
    Reply answer;
    if (mechanisms_.contains("PLAIN")) {
      std::string text;
      text += '\0';
      text += login.user;
      text += '\0';
      LADDER_TRY(answer, ask("AUTH PLAIN " + base64::encode(text + login.password)));
    } else if (mechanisms_.contains("LOGIN")) {
      LADDER_TRY(answer, ask("AUTH LOGIN"));
      for (const std::string* part : {&login.user, &login.password}) {
        if (answer.code != 334) break;
        LADDER_TRY(answer, ask(base64::encode(*part)));
      }
    } else {
      return rejected(Code::kInvalidRequest,
                      format("the mail server {} accepts no passwords on this connection; it may need another encryption "
                             "(--security)",
                             server_.host));
    }
    if (answer.is_good()) return {};
    if (answer.code < 500) return refused("the sign-in for now", {answer.code, {}});
    return rejected(
        Code::kAuthentication,
        format("the mail server {} rejected the user name or the password; many providers need an app password", server_.host));
  }

  Status deliver(const SmtpLogin& login, const Mail& mail) {
    if (server_.security == Security::kPlain && stream_->scope() != http::AddressScope::kLoopback)
      return rejected(Code::kInvalidRequest,
                      format("{}:{} is not on this computer, so it needs encryption: use --security tls or starttls",
                             server_.host, server_.port));
    if (server_.security == Security::kTls) LADDER_CHECK(encrypt());
    LADDER_TRY(const Reply greeting, reply());
    if (!greeting.is_good()) return refused("the connection", greeting);
    LADDER_CHECK(hello());
    if (server_.security == Security::kStartTls) {
      if (!extensions_.contains("STARTTLS"))
        return rejected(Code::kRsProtocol,
                        format("the mail server {} offers no encryption (STARTTLS) on port {}", server_.host, server_.port));
      LADDER_TRY(const Reply ready, ask("STARTTLS"));
      if (!ready.is_good()) return refused("the encryption", ready);
      LADDER_CHECK(encrypt());
      LADDER_CHECK(hello());
    }
    LADDER_CHECK(sign_in(login));
    LADDER_CHECK(envelope(mail));
    LADDER_CHECK(write(with_dots(mail.content)));
    accepting_ = true;
    LADDER_CHECK(write(".\r\n"));
    const auto accepted = reply();
    if (!accepted) {
      failed_ = Outcome::kUnknown;
      return std::unexpected(accepted.error());
    }
    accepting_ = false;
    if (!accepted->is_good()) return refused("the message", *accepted);
    (void)write("QUIT\r\n");
    return {};
  }

  Status envelope(const Mail& mail) {
    const std::array<std::pair<std::string, std::string_view>, 3> steps = {{{format("MAIL FROM:<{}>", mail.from), "the sender"},
                                                                            {format("RCPT TO:<{}>", mail.to), "the recipient"},
                                                                            {"DATA", "mail"}}};
    for (const auto& [command, step] : steps) {
      LADDER_TRY(const Reply answer, ask(command));
      const bool is_good = command == "DATA" ? answer.code == 354 : answer.is_good();
      if (!is_good) return refused(step, answer);
    }
    return {};
  }

  // A line that begins with a dot would end the message (RFC 5321, 4.5.2).
  static std::string with_dots(std::string_view content) {
    std::string out;
    bool begins = true;
    for (const char c : content) {
      if (begins && c == '.') out += '.';
      out += c;
      begins = c == '\n';
    }
    return out;
  }

  const std::unique_ptr<http::Stream> stream_;
  const SmtpServer& server_;
  const std::stop_token stop_;
  const std::chrono::steady_clock::time_point deadline_;
  std::string received_;
  std::set<std::string> extensions_, mechanisms_;
  Outcome failed_ = Outcome::kLater;
  bool accepting_ = false;  // the message was sent, and its reply did not arrive yet
};

constexpr std::array<std::pair<std::string_view, Security>, 3> kSecurities = {
    {{"tls", Security::kTls}, {"starttls", Security::kStartTls}, {"plain", Security::kPlain}}};

}  // namespace

std::string_view word_for(Security security) {
  return std::ranges::find(kSecurities, security, &std::pair<std::string_view, Security>::second)->first;
}

Result<Security> security_named(std::string_view word) {
  for (const auto& [name, security] : kSecurities) {
    if (name == word) return security;
  }
  return fail(Code::kInvalidRequest, "the encryption is tls, starttls or plain", "security");
}

Delivery send_mail(const SmtpServer& server, const SmtpLogin& login, const Mail& mail, const std::stop_token& stop) {
  const std::string port = std::to_string(server.port);
  auto stream = http::Stream::create({server.host, port, format("smtp://{}:{}", server.host, port)});
  return Dialogue(std::move(stream), server, stop, kDialogueTime).run(login, mail, false);
}

Delivery send_mail(std::unique_ptr<http::Stream> stream, const SmtpServer& server, const SmtpLogin& login, const Mail& mail,
                   const std::stop_token& stop, std::chrono::milliseconds time) {
  return Dialogue(std::move(stream), server, stop, time).run(login, mail, true);
}

}  // namespace ladder::notify
