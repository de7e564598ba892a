// A mail server that answers anything to a message (RFC 5321). The outcome does not depend on how the bytes are cut, is never
// "sent" without a good reply to the message, and neither the password nor the message is sent before the server is ready.
#include "notify/smtp.h"

#include "frame.h"

#include <string>
#include <utility>

namespace ladder::fuzz {
namespace {

using namespace notify;  // NOLINT(google-build-using-namespace): the parts that are tested

// Sends the bytes of the input, whatever the client says.
class HostileStream final : public http::Stream {
 public:
  HostileStream(std::string_view bytes, Chance* cuts, std::string& sent) : bytes_(bytes), cuts_(cuts), sent_(sent) {}

  std::expected<void, http::ClientError> connect(const http::WaitLimit&, std::optional<http::AddressScope>) override {
    return {};
  }
  std::expected<void, http::ClientError> start_tls(const http::WaitLimit&, const std::string&) override {
    sent_ += "(TLS)";
    return {};
  }
  std::expected<void, http::ClientError> write(const http::WaitLimit&, std::string_view bytes) override {
    FUZZ_CHECK(bytes.ends_with("\r\n"));
    sent_ += bytes;
    return {};
  }
  std::expected<void, http::ClientError> read(const http::WaitLimit&, std::string& into) override {
    if (bytes_.empty()) return std::unexpected(http::ClientError{http::ClientFault::kUnreachable, "closed"});
    into += take_piece(bytes_, cuts_);
    return {};
  }
  std::expected<bool, http::ClientError> poll(const http::WaitLimit&, std::string&) override { return false; }
  http::AddressScope scope() const override { return http::AddressScope::kLoopback; }

 private:
  std::string_view bytes_;
  Chance* cuts_;
  std::string& sent_;
};

Delivery drive(Security security, std::string_view bytes, Chance* cuts, std::string& sent) {
  return send_mail(std::make_unique<HostileStream>(bytes, cuts, sent), {"mail.example", 25, security}, {"ann", "secret"},
                   {"a@example.org", "b@example.org", "Subject: x\r\n\r\nbody\r\n"}, {});
}

}  // namespace

void run(std::string_view input) {
  Chance cuts(input);
  std::string sent, sent_in_pieces;
  const Delivery delivery = drive(Security::kPlain, input, nullptr, sent);
  const Delivery in_pieces = drive(Security::kPlain, input, &cuts, sent_in_pieces);
  FUZZ_CHECK(delivery.outcome == in_pieces.outcome);
  FUZZ_CHECK(sent == sent_in_pieces);
  if (delivery.outcome == Outcome::kSent) FUZZ_CHECK(input.find("354") != std::string_view::npos);
  const std::size_t body = sent.find("Subject"), ready = sent.find("DATA\r\n");
  FUZZ_CHECK(body == std::string::npos || (ready != std::string::npos && ready < body));
  std::string encrypted;
  static_cast<void>(drive(Security::kStartTls, input, nullptr, encrypted));
  const std::size_t secret = encrypted.find("AUTH"), tls = encrypted.find("(TLS)");
  FUZZ_CHECK(secret == std::string::npos || (tls != std::string::npos && tls < secret));
}

}  // namespace ladder::fuzz
