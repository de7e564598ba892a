#include "sync/source.h"

#include "auth/body.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "json/writer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ladder::sync {
namespace {

constexpr std::int64_t kFirstWaitSeconds = 60, kLongestWaitSeconds = 60 * 60, kLongestRejectedSeconds = 24 * 60 * 60;

imap::Security security_of(std::string_view word) {
  return word == "plain" ? imap::Security::kPlain : word == "starttls" ? imap::Security::kStartTls : imap::Security::kTls;
}

constexpr std::array kKinds = {
    std::pair{Kind::kImap, std::string_view("imap")},       std::pair{Kind::kMaildir, std::string_view("maildir")},
    std::pair{Kind::kFolder, std::string_view("folder")},   std::pair{Kind::kCalDav, std::string_view("caldav")},
    std::pair{Kind::kCardDav, std::string_view("carddav")}, std::pair{Kind::kFeed, std::string_view("feed")},
    std::pair{Kind::kProgram, std::string_view("program")}};

}  // namespace

std::string_view word_for(Kind kind) {
  for (const auto& [known, word] : kKinds) {
    if (known == kind) return word;
  }
  return "imap";
}

std::optional<Kind> kind_of(std::string_view word) {
  for (const auto& [kind, known] : kKinds) {
    if (known == word) return kind;
  }
  return std::nullopt;
}

std::string connection_prefix(Kind kind) {
  switch (kind) {
    case Kind::kCalDav:
      return "calendar-";
    case Kind::kCardDav:
      return "contacts-";
    case Kind::kFeed:
      return "feed-";
    case Kind::kProgram:
      return "program-";
    default:
      return "mail-";
  }
}

std::string place_of(const Source& source) {
  if (source.kind == Kind::kProgram) return source.program;
  if (source.kind == Kind::kFeed) return source.address.substr(0, source.address.find('?'));  // the rest may be a secret
  const std::string& where = source.kind == Kind::kImap ? source.server.host : source.address;
  return source.user.empty() ? where : format("{} at {}", source.user, where);
}

std::string_view word_for(imap::Security security) {
  switch (security) {
    case imap::Security::kStartTls:
      return "starttls";
    case imap::Security::kPlain:
      return "plain";
    case imap::Security::kTls:
      break;
  }
  return "tls";
}

std::string to_body(const Source& source) {
  json::Writer out;
  out.begin_object().member("kind", word_for(source.kind)).member("host", source.server.host);
  out.optional_member("address", source.address).optional_member("program", source.program);
  out.member("net", source.net).member("allows_private", source.allows_private);
  out.member("port", std::int64_t{source.server.port}).member("security", word_for(source.server.security));
  out.optional_member("ca", source.server.ca_file).member("user", source.user);
  out.member("login", source.login == imap::Login::kToken ? "token" : "password");
  out.member("secret_kind", source.secret_kind == SecretKind::kCommand ? "command" : "value");
  out.member("secret", source.sealed_secret).member("connection", source.connection);
  out.key("folders").begin_array();
  for (const std::string& folder : source.folders) out.string(folder);
  out.end_array().member("every", source.every_seconds).member("keep_deleted", source.keep_deleted);
  out.member("paused", source.paused).member("created_at", source.created_at);
  out.member("asked_at", source.asked_at).member("confirmed_removals", source.confirmed_removals).end_object();
  return out.take();
}

Source source_of(std::string_view name, std::string_view json) {
  const auth::Body body(json);
  Source source;
  source.name = name;
  source.kind = kind_of(body.text("kind")).value_or(Kind::kImap);
  source.address = body.text("address");
  source.program = body.text("program");
  source.net = body.flag("net");
  source.allows_private = body.flag("allows_private");
  source.server = {body.text("host"), static_cast<std::uint16_t>(body.number("port")), security_of(body.text("security")),
                   body.text("ca")};
  source.user = body.text("user");
  source.login = body.text("login") == "token" ? imap::Login::kToken : imap::Login::kPassword;
  source.secret_kind = body.text("secret_kind") == "command" ? SecretKind::kCommand : SecretKind::kValue;
  source.sealed_secret = body.text("secret");
  source.connection = body.text("connection");
  source.folders = body.texts("folders");
  source.every_seconds = body.number("every");
  source.keep_deleted = body.flag("keep_deleted");
  source.paused = body.flag("paused");
  source.created_at = body.number("created_at");
  source.asked_at = body.number("asked_at");
  source.confirmed_removals = body.number("confirmed_removals");
  return source;
}

std::string to_body(const SourceStatus& status) {
  json::Writer out;
  out.begin_object().member("tried_at", status.tried_at).member("succeeded_at", status.succeeded_at);
  out.member("due_at", status.due_at).member("failures", status.failures);
  out.member("error_code", status.error_code).member("error", status.error);
  out.member("messages", status.messages).member("added", status.added);
  out.member("waiting_removals", status.waiting_removals).member("account", status.account).key("removed").begin_array();
  for (const auto& [when, count] : status.removed) out.string(format("{} {}", when, count));
  out.end_array().end_object();
  return out.take();
}

SourceStatus status_of(std::string_view json) {
  const auth::Body body(json);
  SourceStatus status;
  status.tried_at = body.number("tried_at");
  status.succeeded_at = body.number("succeeded_at");
  status.due_at = body.number("due_at");
  status.failures = body.number("failures");
  status.error_code = body.text("error_code");
  status.error = body.text("error");
  status.messages = body.number("messages");
  status.added = body.number("added");
  status.waiting_removals = body.number("waiting_removals");
  status.account = body.text("account");
  for (const std::string& removed : body.texts("removed")) {
    const std::size_t space = std::min(removed.find(' '), removed.size());
    const auto when = parse_number(std::string_view(removed).substr(0, space));
    const auto count = parse_number(std::string_view(removed).substr(std::min(space + 1, removed.size())));
    if (when && count) status.removed.emplace_back(*when, *count);
  }
  return status;
}

std::int64_t wait_seconds(std::int64_t every_seconds, std::int64_t failures, bool is_rejected) {
  std::int64_t wait = is_rejected ? every_seconds : std::min(every_seconds, kFirstWaitSeconds);
  const std::int64_t longest = std::max(every_seconds, is_rejected ? kLongestRejectedSeconds : kLongestWaitSeconds);
  for (std::int64_t i = 1; i < failures && wait < longest; ++i) wait *= 2;
  return std::min(wait, longest);
}

}  // namespace ladder::sync
