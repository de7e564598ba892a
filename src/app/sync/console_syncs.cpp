#include "app/sync/console_syncs.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/visible_text.h"
#include "sync/feed_sync.h"
#include "sync/known_hosts.h"

#include <algorithm>
#include <limits>

namespace ladder::app {
namespace {

using State = console::SyncedSource::State;

State state_of(const sync::Source& source, const sync::SourceStatus& status, bool is_running) {
  if (source.paused) return State::kPaused;
  if (is_running || sync::is_asked(source, status)) return State::kRunning;
  if (status.failures > 0) return State::kFailing;
  if (status.waiting_removals > 0) return State::kAsks;
  return status.succeeded_at == 0 ? State::kNew : State::kCurrent;
}

// Returns the name, with a number if another source has it.
std::string numbered(const std::string& base, const std::vector<sync::Source>& known) {
  std::string name = base;
  for (int i = 2; std::ranges::find(known, name, &sync::Source::name) != known.end(); ++i) name = format("{}-{}", base, i);
  return name;
}

// "ann@gmail.com" → "gmail", "ann" at "imap.northside.example" → "northside".
std::string free_name(const sync::Source& source, const std::vector<sync::Source>& known) {
  if (source.kind == sync::Kind::kCalDav || source.kind == sync::Kind::kCardDav)
    return numbered(source.kind == sync::Kind::kCalDav ? "calendar" : "contacts", known);
  const std::size_t at = source.user.rfind('@');
  std::string domain = at == std::string::npos ? source.server.host : source.user.substr(at + 1);
  if (source.kind == sync::Kind::kFeed) {  // "https://www.news.example:8080/feed" → "www.news.example"
    domain = source.address.substr(source.address.find("://") + 3);
    domain = domain.substr(0, domain.find_first_of(":/?#"));
  }
  std::ranges::transform(domain, domain.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const std::string_view prefix : {"imap.", "mail.", "www.", "feeds.", "rss.", "blog."}) {
    if (domain.starts_with(prefix)) domain.erase(0, prefix.size());
  }
  const bool is_address = domain.find_first_not_of("0123456789.:") == std::string::npos;
  return numbered(
      is_address || domain.empty() ? (source.kind == sync::Kind::kFeed ? "feed" : "mail") : domain.substr(0, domain.find('.')),
      known);
}

console::SyncKind shown_kind(sync::Kind kind) {
  switch (kind) {
    case sync::Kind::kMaildir:
      return console::SyncKind::kMailFolder;
    case sync::Kind::kFolder:
      return console::SyncKind::kFolder;
    case sync::Kind::kCalDav:
      return console::SyncKind::kCalendar;
    case sync::Kind::kCardDav:
      return console::SyncKind::kContacts;
    case sync::Kind::kFeed:
      return console::SyncKind::kFeed;
    case sync::Kind::kProgram:
      return console::SyncKind::kProgram;
    case sync::Kind::kImap:
      break;
  }
  return console::SyncKind::kMail;
}

Result<sync::Source> source_of(const console::NewSync& wanted) {
  sync::Source source;
  source.user = wanted.user;
  source.paused = true;
  if (wanted.kind == console::SyncKind::kFeed) {
    source.kind = sync::Kind::kFeed;
    source.user.clear();
    source.address = wanted.address;
    source.every_seconds = sync::default_every_seconds(source.kind);
    if (const Status fits = sync::check_feed_address(source.address); !fits)
      return fail(fits.error().code, fits.error().message, "address");
    return source;
  }
  if (source.user.empty()) return fail(Code::kInvalidRequest, "enter your email address or user name", "user");
  if (wanted.kind != console::SyncKind::kMail) {
    source.kind = wanted.kind == console::SyncKind::kCalendar ? sync::Kind::kCalDav : sync::Kind::kCardDav;
    source.address = wanted.address;
    if (source.address.empty()) return fail(Code::kInvalidRequest, "enter the address of the server", "address");
    return source;
  }
  source.server.host = wanted.host.empty() ? sync::host_for(wanted.user) : wanted.host;
  if (source.server.host.empty())
    return fail(Code::kInvalidRequest, format("the mail server of {} is not known; enter it", visible_label(source.user)),
                "host");
  source.server.security = wanted.security == "starttls" ? sync::imap::Security::kStartTls
                           : wanted.security == "plain"  ? sync::imap::Security::kPlain
                                                         : sync::imap::Security::kTls;
  const bool is_tls = source.server.security == sync::imap::Security::kTls;
  const auto port = parse_number(wanted.port.empty() ? (is_tls ? "993" : "143") : wanted.port);
  if (!port || *port < 1 || *port > std::numeric_limits<std::uint16_t>::max())
    return fail(Code::kInvalidRequest, "the port must be a number from 1 to 65535", "port");
  source.server.port = static_cast<std::uint16_t>(*port);
  return source;
}

std::unexpected<Error> only_administrator() {
  return fail(Code::kPermission, "only the owner who runs this server adds and changes synced sources here; ask the operator");
}

}  // namespace

Result<console::SyncedSource> ConsoleSyncs::shown(const server::Access& owner, const sync::Source& source) {
  LADDER_TRY(const sync::SourceStatus status, store_.status(owner, source.name));
  console::SyncedSource out;
  out.state = state_of(source, status, !source.paused && runner_.is_running(owner, source.name));
  out.kind = shown_kind(source.kind);
  out.name = source.name;
  out.account = sync::place_of(source);
  out.connection = source.connection;
  out.messages = status.messages;
  out.added = status.added;
  out.tried_at = status.tried_at;
  out.succeeded_at = status.succeeded_at;
  out.due_at = status.due_at;
  out.failures = status.failures;
  out.error = status.error;
  out.error_code = status.error_code;
  out.waiting_removals = status.waiting_removals;
  out.every_seconds = source.every_seconds;
  out.keep_deleted = source.keep_deleted;
  out.uses_command = source.secret_kind == sync::SecretKind::kCommand;
  return out;
}

Result<std::vector<console::SyncedSource>> ConsoleSyncs::list(const server::Access& owner) {
  LADDER_TRY(const auto sources, store_.list(owner));
  std::vector<console::SyncedSource> all;
  for (const sync::Source& source : sources) {
    LADDER_TRY(console::SyncedSource one, shown(owner, source));
    all.push_back(std::move(one));
  }
  return all;
}

Result<console::SyncedSource> ConsoleSyncs::find(const server::Access& owner, std::string_view name) {
  LADDER_TRY(const sync::Source source, store_.find(owner, name));
  return shown(owner, source);
}

Result<sync::Source> ConsoleSyncs::changeable(const server::Access& owner, std::string_view name) {
  if (!may_add(owner)) return only_administrator();
  return store_.find(owner, name);
}

Result<SourceTest> ConsoleSyncs::sign_in(const server::Access& owner, const sync::Source& source,
                                         const std::optional<std::string>& password) {
  if (is_testing_.test_and_set()) return fail(Code::kConflict, "another sign-in is being tested now; try again in a few seconds");
  auto found = runner_.test(owner, source, password, {});
  is_testing_.clear();
  return found;
}

Result<std::string> ConsoleSyncs::add(const server::Access& owner, const console::NewSync& wanted) {
  if (!may_add(owner)) return only_administrator();
  LADDER_TRY(sync::Source source, source_of(wanted));
  LADDER_TRY(const auto known, store_.list(owner));
  source.name = wanted.name.empty() ? free_name(source, known) : wanted.name;
  source.connection = sync::connection_prefix(source.kind) + source.name;
  const std::string password = sync::has_secret(source.kind) ? wanted.password : "";
  if (sync::has_secret(source.kind) && password.empty()) return fail(Code::kInvalidRequest, "enter the password", "password");
  LADDER_CHECK(store_.check_new(owner, source));
  LADDER_CHECK(sign_in(owner, source, password));
  LADDER_CHECK(store_.add(owner, source, password));
  return source.name;
}

Result<console::SyncTest> ConsoleSyncs::test(const server::Access& owner, std::string_view name) {
  LADDER_TRY(const sync::Source source, changeable(owner, name));
  LADDER_TRY(const SourceTest found, sign_in(owner, source, std::nullopt));
  console::SyncTest result;
  result.announces = found.announces;
  for (const SourceTest::Folder& folder : sync::has_folders(source.kind) ? found.folders : std::vector<SourceTest::Folder>())
    result.folders.push_back({folder.name, folder.messages, folder.is_synced});
  return result;
}

Status ConsoleSyncs::choose(const server::Access& owner, std::string_view name, const console::SyncChoices& choices) {
  LADDER_TRY(sync::Source source, changeable(owner, name));
  if (sync::has_folders(source.kind)) source.folders = choices.folders;
  source.every_seconds = choices.every_seconds;
  source.keep_deleted = choices.keep_deleted;
  source.paused = false;
  source.asked_at = store_.now();
  source.confirmed_removals = 0;
  return store_.update(owner, source);
}

Status ConsoleSyncs::set_paused(const server::Access& owner, std::string_view name, bool paused) {
  LADDER_CHECK(changeable(owner, name));
  return store_.set_paused(owner, name, paused);
}

Status ConsoleSyncs::run_now(const server::Access& owner, std::string_view name, std::int64_t confirmed_removals) {
  LADDER_CHECK(changeable(owner, name));
  LADDER_TRY(const sync::SourceStatus status, store_.status(owner, name));
  confirmed_removals = std::min(confirmed_removals, status.waiting_removals);
  // A changed source is restarted; a run that is under way finds everything anyway.
  if (confirmed_removals == 0 && runner_.is_running(owner, name)) return {};
  return store_.ask_for_run(owner, name, confirmed_removals);
}

Status ConsoleSyncs::set_password(const server::Access& owner, std::string_view name, const std::string& password) {
  LADDER_TRY(sync::Source source, changeable(owner, name));
  if (!sync::has_secret(source.kind)) return fail(Code::kInvalidRequest, "this source has no password", "password");
  if (password.empty()) return fail(Code::kInvalidRequest, "enter the password", "password");
  source.secret_kind = sync::SecretKind::kValue;
  source.login = sync::imap::Login::kPassword;
  LADDER_CHECK(sign_in(owner, source, password));
  return store_.set_secret(owner, source, password);
}

Status ConsoleSyncs::remove(const server::Access& owner, std::string_view name) {
  LADDER_CHECK(changeable(owner, name));
  return runner_.remove(owner, name);
}

}  // namespace ladder::app
