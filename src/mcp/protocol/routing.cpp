#include "mcp/protocol/routing.h"

#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "json/writer.h"
#include "mcp/protocol/message.h"
#include "model/quote.h"

#include <algorithm>

namespace ladder::mcp {
namespace {

constexpr std::string_view kBegin = "=?base64?";
constexpr std::string_view kEnd = "?=";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Decodes base64 with padding. Uses base64url, which is strict about everything else.
std::optional<std::string> decode(std::string_view text) {
  if (text.size() % 4 != 0 || text.find_first_of("-_") != std::string_view::npos) return std::nullopt;
  std::string letters(text.ends_with("==")  ? text.substr(0, text.size() - 2)
                      : text.ends_with('=') ? text.substr(0, text.size() - 1)
                                            : text);
  std::ranges::replace(letters, '+', '-');
  std::ranges::replace(letters, '/', '_');
  return base64url::decode(letters);
}

}  // namespace

std::optional<std::string> header_text(std::string_view value) {
  value = trimmed(value);
  if (!value.starts_with(kBegin) || !value.ends_with(kEnd) || value.size() < kBegin.size() + kEnd.size()) {
    return std::string(value);
  }
  auto text = decode(value.substr(kBegin.size(), value.size() - kBegin.size() - kEnd.size()));
  if (!text || !utf8::is_valid(*text)) return std::nullopt;
  return text;
}

namespace {

constexpr int kBadRequest = 400;
constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

// The member of params that is mirrored in the Mcp-Name header.
struct NamedBy {
  std::string_view method, member;
};
constexpr std::array<NamedBy, 6> kNamed = {{{"tools/call", "name"},
                                            {"prompts/get", "name"},
                                            {"resources/read", "uri"},
                                            {"tasks/get", "taskId"},
                                            {"tasks/update", "taskId"},
                                            {"tasks/cancel", "taskId"}}};

Fault refused(int code, std::string message, std::string data = {}) {
  return {code, std::move(message), std::move(data), kBadRequest, {}};
}

// The version that a message claims.
struct Claim {
  std::optional<json::Value> version, capabilities;
  bool twice = false;
};

Claim claim_of(const Message& message) {
  auto picked = pick<2>(message.meta, {kVersionKey, kCapabilitiesKey});
  return {picked.values[0], picked.values[1], picked.twice};
}

std::optional<Fault> check_required_meta(const Claim& claim) {
  std::string missing;
  const auto miss = [&](std::string_view key) { missing += (missing.empty() ? "" : " and ") + std::string(key); };
  if (claim.twice) return refused(kInvalidParams, format("params._meta names {} or {} twice", kVersionKey, kCapabilitiesKey));
  if (!claim.version || claim.version->kind != json::Kind::kString) miss(kVersionKey);
  if (!claim.capabilities || claim.capabilities->kind != json::Kind::kObject) miss(kCapabilitiesKey);
  if (missing.empty()) return std::nullopt;
  return refused(kInvalidParams, format("params._meta needs {}: the version as a string (\"{}\"), the capabilities as an object",
                                        missing, kModernVersion));
}

std::optional<Fault> check_supported(std::string_view version) {
  if (version == kModernVersion) return std::nullopt;
  json::Writer data;
  data.begin_object().key("supported").begin_array().string(kModernVersion).end_array();
  // A header may contain any bytes; invalid UTF-8 is not echoed.
  data.member("requested", utf8::is_valid(version) ? version : std::string_view()).end_object();
  return refused(kUnsupportedVersion,
                 format("protocol version {} is not supported; {} is, and by initialize {}", model::in_quotes(version),
                        kModernVersion, kLegacyVersions.front()),
                 data.take());
}

Fault mismatch(std::string_view header, std::string_view what) {
  return refused(kHeaderMismatch, format("the header {} {}", header, what));
}

std::optional<Fault> check_version_header(const Envelope& envelope, std::string_view claimed) {
  constexpr std::string_view kHeader = "MCP-Protocol-Version";
  if (!envelope.protocol_version)
    return mismatch(kHeader, format("is missing; the message speaks {}", model::in_quotes(claimed)));
  if (header_text(*envelope.protocol_version) != claimed) {
    return mismatch(kHeader,
                    format("says {}, the message {}", model::in_quotes(*envelope.protocol_version), model::in_quotes(claimed)));
  }
  return std::nullopt;
}

std::optional<Fault> check_mirror(std::string_view header, const std::optional<std::string>& sent, const std::string& body) {
  if (!sent) return mismatch(header, "is missing; it must repeat the value in the message");
  const auto text = header_text(*sent);
  if (!text) return mismatch(header, "is not proper base64 of UTF-8 between =?base64? and ?=");
  if (*text != body) return mismatch(header, format("says {}, the message {}", model::in_quotes(*text), model::in_quotes(body)));
  return std::nullopt;
}

std::optional<Fault> check_mirrors(const Message& request, const Envelope& envelope) {
  if (auto fault = check_mirror("Mcp-Method", envelope.method, request.method)) return fault;
  const auto* const named = std::ranges::find(kNamed, request.method, &NamedBy::method);
  if (named == kNamed.end()) return std::nullopt;
  const auto picked = pick<1>(request.params, {named->member});
  const auto name = picked.twice ? std::nullopt : string_of(picked.values[0]);
  if (!name) {  // the method reports a missing name, unless the header has one
    return envelope.name ? std::optional(mismatch("Mcp-Name", format("is there, but the message has no {}", named->member)))
                         : std::nullopt;
  }
  return check_mirror("Mcp-Name", envelope.name, *name);
}

std::optional<Fault> check_modern_request(const Message& request, const Envelope& envelope) {
  const Claim claim = claim_of(request);
  if (auto fault = check_required_meta(claim)) return fault;
  const std::string version = *string_of(claim.version);
  if (envelope.http) {
    if (auto fault = check_version_header(envelope, version)) return fault;
  }
  if (auto fault = check_supported(version)) return fault;
  return envelope.http ? check_mirrors(request, envelope) : std::nullopt;
}

// All parts are optional, but those present must be valid.
std::optional<Fault> check_modern_notification(const Message& notification, const Envelope& envelope) {
  const auto claimed = string_of(claim_of(notification).version);
  const auto& header = envelope.protocol_version;
  if (claimed && header) {
    if (auto fault = check_version_header(envelope, *claimed)) return fault;
  }
  if (claimed || header) return check_supported(claimed ? *claimed : *header);
  return std::nullopt;
}

std::optional<Fault> check_legacy(const Message& message, const Envelope& envelope) {
  const auto& header = envelope.protocol_version;
  if (!envelope.http || !header || message.method == "initialize") return std::nullopt;  // initialize negotiates it itself
  if (is_legacy_version(header_text(*header).value_or(""))) return std::nullopt;
  return refused(kInvalidRequest,
                 format("MCP-Protocol-Version {} is not supported; {}, {}, {} and {} are", model::in_quotes(*header),
                        kModernVersion, kLegacyVersions[0], kLegacyVersions[1], kLegacyVersions[2]));
}

bool header_is_modern(const Envelope& envelope) {
  return envelope.protocol_version && is_of_modern_era(header_text(*envelope.protocol_version).value_or(""));
}

Era era_of(const Message& message, const Envelope& envelope) {
  if (envelope.era) return *envelope.era;
  return has_claim(message) || header_is_modern(envelope) ? Era::kModern : Era::kLegacy;
}

}  // namespace

bool has_claim(const Message& message) { return pick<1>(message.meta, {kVersionKey}).values[0].has_value(); }

std::optional<Era> era_of_first(const Message& request) {
  if (!has_claim(request)) return Era::kLegacy;
  if (string_of(claim_of(request).version) == kModernVersion) return Era::kModern;
  return std::nullopt;
}

Routed route(const Message& message, const Envelope& envelope) {
  const Era era = era_of(message, envelope);
  if (era == Era::kLegacy) return {era, check_legacy(message, envelope)};
  switch (message.kind) {
    case MessageKind::kRequest:
      return {era, check_modern_request(message, envelope)};
    case MessageKind::kNotification:
      return {era, check_modern_notification(message, envelope)};
    default:
      return {era, refused(kInvalidRequest, "responses are not accepted: this server sends no requests")};
  }
}

std::optional<Fault> check_array(const Incoming& incoming, const Envelope& envelope) {
  const auto none = [](std::string why) { return refused(kInvalidRequest, std::move(why)); };
  const std::string version = envelope.http
                                  ? header_text(envelope.protocol_version.value_or(std::string(kVersionWithBatches))).value_or("")
                              : envelope.negotiated.empty() ? std::string(kVersionWithBatches)
                                                            : envelope.negotiated;
  if (envelope.era == Era::kModern || version != kVersionWithBatches) {
    return none(format("arrays of messages are accepted only in version {}; send one message", kVersionWithBatches));
  }
  if (incoming.count == 0) return none("the array of messages is empty");
  if (incoming.count > kMaxBatch) return none(format("the array has {} messages; the limit is {}", incoming.count, kMaxBatch));
  for (const Message& message : incoming.messages) {
    if (message.kind == MessageKind::kInvalid) return none(format("one of the array's messages is malformed: {}", message.fault));
    if (has_claim(message)) return none("messages of the modern era must be sent one by one, not in an array");
    if (message.method == "initialize") return none("initialize is not allowed in an array");
  }
  return std::nullopt;
}

}  // namespace ladder::mcp
