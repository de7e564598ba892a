#include "notify/delivery.h"

#include "base/text/base64.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "http/client.h"
#include "json/writer.h"

#include <array>

namespace ladder::notify {
namespace {

constexpr std::chrono::seconds kPostTime(30);
constexpr std::size_t kMaxAnswer = 64 * 1024;  // the answer is not used

std::string link_of(const Notice& notice, std::string_view base) { return format("{}{}", base, notice.path); }

// RFC 5322: "Thu, 19 Nov 2026 20:31:08 +0000"
std::string mail_date(Instant at) {
  static constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::int64_t day = floor_div(at, kDay), second = (at - day * kDay) / kSecond;
  const CivilDate date = civil_date(day);
  return format("{}, {:02} {} {} {:02}:{:02}:{:02} +0000", kDays[static_cast<std::size_t>(weekday(day))], date.day,
                kMonths[static_cast<std::size_t>(date.month - 1)], date.year, second / 3600, second / 60 % 60, second % 60);
}

std::string base64_lines(std::string_view text) {
  constexpr std::size_t kLine = 76;
  const std::string encoded = base64::encode(text);
  std::string out;
  for (std::size_t at = 0; at < encoded.size(); at += kLine) out += encoded.substr(at, kLine) + "\r\n";
  return out;
}

Delivery failed(Outcome outcome, Code code, std::string message) { return {outcome, Error{code, std::move(message)}}; }

// After the request was sent, an error does not tell whether the server took it.
Delivery of_client(const http::ClientError& error, std::string_view host) {
  switch (error.fault) {
    case http::ClientFault::kForbidden:
      return failed(Outcome::kRejected, Code::kInvalidRequest, format("{} has an address that is not allowed", host));
    case http::ClientFault::kCertificate:
      return failed(Outcome::kLater, Code::kRsUnreachable,
                    format("{}; check the address, or name the certificate of your own authority with --ca FILE", error.message));
    case http::ClientFault::kUnreachable:
      return failed(Outcome::kLater, Code::kRsUnreachable, error.message);
    case http::ClientFault::kCancelled:
      return failed(Outcome::kUnknown, Code::kCancelled, "stopped");
    case http::ClientFault::kTimeout:
      return failed(Outcome::kUnknown, Code::kRsTimeout, error.message);
    case http::ClientFault::kProtocol:
    case http::ClientFault::kTooLarge:
      break;
  }
  return failed(Outcome::kUnknown, Code::kRsProtocol, error.message);
}

struct Post {
  std::string url, body;
  http::Headers headers;
};

Delivery post(const Channel& channel, Post post, const std::stop_token& stop) {
  const std::size_t path = post.url.find('/', post.url.find("://") + 3);
  http::ClientOptions options;
  options.origin = post.url.substr(0, path);
  options.timeout = kPostTime;
  options.max_body_bytes = kMaxAnswer;
  options.ca_file = channel.ca_file;
  options.nearest = http::AddressScope::kLoopback;
  const auto client = http::Client::create(options);
  if (!client) return {Outcome::kRejected, client.error()};
  http::ClientRequest request;
  request.method = "POST";
  request.target = path == std::string::npos ? "/" : post.url.substr(path);
  request.headers = std::move(post.headers);
  request.headers.set("Content-Type", "application/json");
  request.headers.set("User-Agent", "Ladder");
  request.body = std::move(post.body);
  const auto answer = (*client)->send(request, stop);
  const std::string host = options.origin;
  if (!answer) return of_client(answer.error(), host);
  const int status = answer->status;
  if (status >= 200 && status < 300) return {};
  if (status >= 300 && status < 400)
    return failed(Outcome::kRejected, Code::kRsProtocol,
                  format("{} answered with a redirect ({}), which is not followed; use its final address", host, status));
  if (status == 401 || status == 403)
    return failed(Outcome::kRejected, Code::kAuthentication, format("{} rejected the key ({})", host, status));
  const bool is_later = status == 408 || status == 429 || status >= 500;
  return failed(is_later ? Outcome::kLater : Outcome::kRejected, Code::kRsProtocol, format("{} answered {}", host, status));
}

Delivery deliver_ntfy(const Channel& channel, std::string_view secret, const Notice& notice, std::string_view base,
                      const std::stop_token& stop) {
  const std::size_t topic = channel.url.rfind('/');
  json::Writer out;
  out.begin_object().member("topic", std::string_view(channel.url).substr(topic + 1)).member("title", notice.title);
  out.member("message", notice.text).member("click", link_of(notice, base)).end_object();
  Post request{channel.url.substr(0, topic + 1), out.take(), {}};
  if (!secret.empty()) request.headers.set("Authorization", format("Bearer {}", secret));
  return post(channel, std::move(request), stop);
}

Delivery deliver_webhook(const Channel& channel, std::string_view secret, const Notice& notice, std::string_view base,
                         Instant now, const std::stop_token& stop) {
  Post request{channel.url, webhook_body(notice, base), {}};
  request.headers.set("Ladder-Event", std::string(notice.word()));
  request.headers.set("Ladder-Signature", webhook_signature(secret, request.body, now));
  return post(channel, std::move(request), stop);
}

}  // namespace

std::string mail_content(const Channel& channel, const Notice& notice, std::string_view base, Instant now) {
  const std::string text =
      format("{}\r\n\r\n{}\r\n\r\n-- \r\nSent by your Ladder. Choose what it tells you: {}/settings/notifications\r\n",
             notice.text, link_of(notice, base), base);
  return format(
      "Date: {}\r\nFrom: Ladder <{}>\r\nTo: <{}>\r\nSubject: Ladder: {}\r\nMessage-ID: <{}@ladder.invalid>\r\nAuto-Submitted: "
      "auto-generated\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: "
      "base64\r\n\r\n{}",
      mail_date(now), channel.from, channel.to, notice.title, notice.id, base64_lines(text));
}

std::string webhook_body(const Notice& notice, std::string_view base) {
  json::Writer out;
  out.begin_object().member("id", notice.id).member("event", notice.word()).member("at", format_time(notice.at));
  out.member("title", notice.title).member("text", notice.text).member("url", link_of(notice, base)).end_object();
  return out.take();
}

std::string webhook_signature(std::string_view key, std::string_view body, Instant now) {
  const std::int64_t seconds = floor_div(now, kSecond);
  return format("t={},v1={}", seconds, to_hex(crypto::view(crypto::hmac_sha256(key, format("{}.{}", seconds, body)))));
}

Delivery deliver(const Channel& channel, std::string_view secret, const Notice& notice, std::string_view base, Instant now,
                 const std::stop_token& stop) {
  switch (channel.kind) {
    case ChannelKind::kNtfy:
      return deliver_ntfy(channel, secret, notice, base, stop);
    case ChannelKind::kWebhook:
      return deliver_webhook(channel, secret, notice, base, now, stop);
    case ChannelKind::kEmail:
      break;
  }
  return send_mail(channel.server, {channel.user, std::string(secret)},
                   {channel.from, channel.to, mail_content(channel, notice, base, now)}, stop);
}

}  // namespace ladder::notify
