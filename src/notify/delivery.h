// Sends one message through one channel, once. Addresses are those that the owner configured: redirects are not followed, and
// link-local addresses (the metadata services of clouds) are refused.
//
//   ntfy      POST to the server, as JSON (title, message, click)
//   webhook   POST of JSON, signed: Ladder-Signature: t=UNIX_SECONDS,v1=HEX with HEX = HMAC-SHA-256(key, "t.body")
#pragma once

#include "base/time/time.h"
#include "notify/channel.h"

#include <stop_token>
#include <string>
#include <string_view>

namespace ladder::notify {

// `base` is the address of this server, for the link in the message. Blocks, at most a few minutes.
Delivery deliver(const Channel& channel, std::string_view secret, const Notice& notice, std::string_view base, Instant now,
                 const std::stop_token& stop);

// The parts of a message, for tests and receivers that check them.
std::string mail_content(const Channel& channel, const Notice& notice, std::string_view base, Instant now);
std::string webhook_body(const Notice& notice, std::string_view base);
std::string webhook_signature(std::string_view key, std::string_view body, Instant now);

}  // namespace ladder::notify
