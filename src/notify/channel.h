// A notification channel of the owner: where messages are sent, and about which events. The secret (the password of the mail
// server, the access token of ntfy, the key of a webhook's signatures) is sealed with the key of the store.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "notify/notice.h"
#include "notify/smtp.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace ladder::notify {

enum class ChannelKind : std::uint8_t { kEmail, kNtfy, kWebhook };

struct Channel {
  std::string name;
  ChannelKind kind = ChannelKind::kEmail;
  SmtpServer server = {};          // kEmail
  std::string user = {};           // kEmail; empty: no sign-in
  std::string from = {}, to = {};  // kEmail
  std::string url = {};            // kNtfy: the server and the topic; kWebhook
  std::string ca_file = {};        // kNtfy and kWebhook: PEM certificates to trust; empty: the system's
  std::string sealed_secret = {};
  std::set<Event> events = {};
  Instant created_at = 0;
  std::int64_t version = 0;

  // The address for people: "ann@example.org through smtp.example.org". Contains no secret.
  std::string shown_target() const;
};

// The outcome of the last deliveries.
struct ChannelStatus {
  Instant sent_at = 0, failed_at = 0;  // 0: never
  std::int64_t failures = 0;           // since the last success
  std::string error_code, error;       // of the last failure
  std::int64_t lost = 0;               // messages that were given up
  std::int64_t version = 0;
};

std::string_view word_for(ChannelKind kind);  // "email", "ntfy", "webhook"
Result<ChannelKind> channel_kind(std::string_view word);

// Checks everything that can be checked without a connection; kInvalidRequest with the setting.
Status check(const Channel& channel, std::string_view secret);

std::string to_body(const Channel& channel);
Channel channel_of(std::string_view name, std::string_view body);
std::string to_body(const ChannelStatus& status);
ChannelStatus status_of(std::string_view body);

}  // namespace ladder::notify
