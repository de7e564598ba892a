#include "notify/channel.h"

#include "auth/body.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "http/message/origin.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::notify {
namespace {

constexpr std::size_t kMaxName = 64, kMaxAddress = 254, kMaxUrl = 2000, kMaxSecret = 1024, kShown = 80;

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

// The names that fit into a command of SMTP and a header as they are: no quotes, comments or lists.
bool is_address(std::string_view text) {
  const std::size_t at = text.find('@');
  return text.size() <= kMaxAddress && is_printable(text) && at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
         text.find('@', at + 1) == std::string_view::npos && text.find_first_of("<>()[]\\,;:\"") == std::string_view::npos;
}

Status check_name(std::string_view name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'; };
  if (!name.empty() && name.size() <= kMaxName && std::ranges::all_of(name, fits) && name.front() != '.') return {};
  return fail(Code::kInvalidRequest,
              format("'{}' cannot be the name of a channel: use up to {} small letters, digits, dots and dashes",
                     visible_label(name.substr(0, kMaxName)), kMaxName),
              "name");
}

Status check_email(const Channel& channel, std::string_view secret) {
  for (const auto& [address, param] : {std::pair{channel.to, "to"}, {channel.from, "from"}}) {
    if (!is_address(address))
      return fail(Code::kInvalidRequest,
                  format("'{}' is not an e-mail address such as ann@example.org", visible_label(address.substr(0, kShown))),
                  param);
  }
  const auto host = http::parse_host(channel.server.host);
  if (!host || !host->port.empty())
    return fail(Code::kInvalidRequest,
                format("'{}' is not the name of a mail server such as smtp.example.org",
                       visible_label(std::string_view(channel.server.host).substr(0, kShown))),
                "host");
  if (channel.server.port == 0)
    return fail(Code::kInvalidRequest, "the port of the mail server is a number from 1 to 65535", "port");
  if (!channel.user.empty() && secret.empty())
    return fail(Code::kInvalidRequest, "the mail server needs a password for the user name", "password");
  if (channel.user.find('\0') != std::string::npos || secret.find('\0') != std::string_view::npos)
    return fail(Code::kInvalidRequest, "the user name or the password contains a NUL character", "password");
  return {};
}

// https to any server, or http to this computer: access tokens and names must not cross a network unencrypted.
Status check_url(const Channel& channel) {
  const std::string_view url = channel.url;
  const std::size_t scheme = url.find("://");
  const std::size_t path = scheme == std::string_view::npos ? scheme : url.find('/', scheme + 3);
  const auto origin =
      url.size() <= kMaxUrl && is_printable(url) ? http::parse_origin(url.substr(0, path)) : http::parse_origin("");
  if (!origin || url.find('#') != std::string_view::npos)
    return fail(Code::kInvalidRequest,
                format("'{}' is not an address such as https://ntfy.sh/my-topic", visible_label(url.substr(0, kShown))), "url");
  if (!origin->tls && !http::is_loopback(origin->host))
    return fail(Code::kInvalidRequest, "the address must begin with https://, except on this computer", "url");
  if (channel.kind != ChannelKind::kNtfy) return {};
  const std::string_view topic = path == std::string_view::npos ? "" : url.substr(path + 1);
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  if (!topic.empty() && topic.size() <= kMaxName && std::ranges::all_of(topic, fits)) return {};
  return fail(Code::kInvalidRequest, "the address ends with a topic of letters, digits, - and _, as in https://ntfy.sh/my-topic",
              "url");
}

}  // namespace

std::string_view word_for(ChannelKind kind) {
  return kind == ChannelKind::kEmail ? "email" : kind == ChannelKind::kNtfy ? "ntfy" : "webhook";
}

Result<ChannelKind> channel_kind(std::string_view word) {
  for (const ChannelKind kind : {ChannelKind::kEmail, ChannelKind::kNtfy, ChannelKind::kWebhook}) {
    if (word == word_for(kind)) return kind;
  }
  return fail(Code::kInvalidRequest, "the kind of a channel is email, ntfy or webhook", "kind");
}

std::string Channel::shown_target() const {
  if (kind == ChannelKind::kEmail) return format("{} through {}", to, server.host);
  return url.substr(0, url.find('?'));  // a query may contain a key
}

Status check(const Channel& channel, std::string_view secret) {
  LADDER_CHECK(check_name(channel.name));
  if (secret.size() > kMaxSecret || secret.find_first_of("\r\n") != std::string_view::npos)
    return fail(Code::kInvalidRequest, format("a password or key is one line of up to {} bytes", kMaxSecret), "password");
  if (channel.kind == ChannelKind::kEmail) return check_email(channel, secret);
  if (!is_printable(secret)) return fail(Code::kInvalidRequest, "a key has only printable characters without spaces", "password");
  return check_url(channel);
}

std::string to_body(const Channel& channel) {
  json::Writer out;
  out.begin_object().member("kind", word_for(channel.kind)).optional_member("host", channel.server.host);
  out.member("port", std::int64_t{channel.server.port}).member("security", word_for(channel.server.security));
  out.optional_member("server_ca", channel.server.ca_file).optional_member("user", channel.user);
  out.optional_member("from", channel.from).optional_member("to", channel.to).optional_member("url", channel.url);
  out.optional_member("ca", channel.ca_file).optional_member("secret", channel.sealed_secret);
  out.key("events").begin_array();
  for (const Event event : channel.events) out.string(info(event).word);
  out.end_array().member("created_at", channel.created_at).end_object();
  return out.take();
}

Channel channel_of(std::string_view name, std::string_view json) {
  const auth::Body body(json);
  Channel channel;
  channel.name = name;
  if (const auto kind = channel_kind(body.text("kind"))) channel.kind = *kind;
  channel.server.host = body.text("host");
  channel.server.port = static_cast<std::uint16_t>(body.number("port"));
  if (const auto security = security_named(body.text("security"))) channel.server.security = *security;
  channel.server.ca_file = body.text("server_ca");
  channel.user = body.text("user");
  channel.from = body.text("from");
  channel.to = body.text("to");
  channel.url = body.text("url");
  channel.ca_file = body.text("ca");
  channel.sealed_secret = body.text("secret");
  for (const std::string& word : body.texts("events")) {
    if (const auto event = event_named(word)) channel.events.insert(*event);
  }
  channel.created_at = body.number("created_at");
  return channel;
}

std::string to_body(const ChannelStatus& status) {
  json::Writer out;
  out.begin_object().member("sent_at", status.sent_at).member("failed_at", status.failed_at);
  out.member("failures", status.failures).optional_member("error_code", status.error_code);
  out.optional_member("error", status.error).member("lost", status.lost).end_object();
  return out.take();
}

ChannelStatus status_of(std::string_view json) {
  const auth::Body body(json);
  ChannelStatus status;
  status.sent_at = body.number("sent_at");
  status.failed_at = body.number("failed_at");
  status.failures = body.number("failures");
  status.error_code = body.text("error_code");
  status.error = body.text("error");
  status.lost = body.number("lost");
  return status;
}

}  // namespace ladder::notify
