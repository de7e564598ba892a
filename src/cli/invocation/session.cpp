// Opens the store; `create` also creates its folder, accessible only by its owner.
#include "cli/invocation/session.h"

#include "auth/authorization.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "base/text/visible_text.h"
#include "store/engines/open_store.h"
#include "store/store.h"

#include <filesystem>
#include <system_error>

namespace ladder::cli {
namespace {

Status make_folder_of(const std::string& location) {
  if (store::is_postgres_address(location)) return {};
  const std::filesystem::path folder = std::filesystem::path(location).parent_path();
  std::error_code error;
  if (folder.empty() || std::filesystem::is_directory(folder, error)) return {};
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return fail(Code::kStoreUnavailable,
              format("cannot create the folder '{}': {}; choose another location with --db", folder.string(), error.message()),
              "db");
}

Status check_owner_name(std::string_view name) {
  if (!name.empty() && name.size() <= limits::kMaxNameBytes && utf8::is_valid(name) &&
      name.find('\0') == std::string_view::npos) {
    return {};
  }
  return fail(Code::kInvalidRequest, format("--owner must be 1 to {} bytes of UTF-8", limits::kMaxNameBytes), "owner");
}

store::OpenOptions open_options(const Settings& settings) { return {.connections = settings.db_connections}; }

// Places the journals of the disclosure ledger. For a file, the store chooses a path next to it. For a remote
// database, the journals are in a local folder per database address; without such a folder, entries are written
// directly to the database.
server::LedgerOptions ledger_options(const Settings& settings, LedgerMode mode) {
  server::LedgerOptions options;
  options.durable = mode == LedgerMode::kDurable;
  options.in_store = mode == LedgerMode::kStore;
  if (!store::is_postgres_address(settings.location) || settings.state_folder.empty()) return options;
  options.folder = settings.state_folder + "/ledger-" + location_digest(settings.location);
  return options;
}

}  // namespace

Result<LedgerMode> parse_ledger_mode(const std::optional<std::string>& word) {
  if (!word || *word == "usual") return LedgerMode::kUsual;
  if (*word == "durable") return LedgerMode::kDurable;
  if (*word == "store") return LedgerMode::kStore;
  return fail(Code::kInvalidRequest, "--ledger must be usual, durable or store", "ledger");
}

Session::Session(std::unique_ptr<store::Store> store, const Settings& settings, server::LedgerOptions ledger)
    : store_(std::move(store)),
      server_(*store_, Clock::system(), std::move(ledger)),
      authorization_(std::make_unique<auth::AuthorizationServer>(
          server_, *store_, auth::make_rate_limited_fetcher(auth::make_document_fetcher(), Clock::system()), Clock::system())),
      sync_store_(*store_, Clock::system()),
      notify_store_(*store_, Clock::system()),
      backup_plans_(*store_, Clock::system()),
      owner_name_(settings.owner),
      default_owner_(settings.default_owner) {}

Session::~Session() = default;

Result<std::optional<server::Access>> Session::administrator() {
  auto access = owner();
  if (access) return std::optional(*std::move(access));
  const bool is_optional =
      (access.error().code == Code::kNotSetUp && default_owner_) || access.error().code == Code::kOwnerSuspended;
  if (is_optional) return std::nullopt;
  return std::unexpected(std::move(access).error());
}

Result<std::unique_ptr<Session>> Session::open(const Settings& settings, LedgerMode ledger) {
  LADDER_TRY(auto store, store::open_store(settings.location, store::OpenMode::kExisting, open_options(settings)));
  return std::unique_ptr<Session>(new Session(std::move(store), settings, ledger_options(settings, ledger)));
}

Result<std::unique_ptr<Session>> Session::open_or_create(Console& console, const Settings& settings, LedgerMode ledger) {
  auto session = open(settings, ledger);
  std::error_code unknown;
  if (session || session.error().code != Code::kNotSetUp || !settings.default_location ||
      std::filesystem::exists(settings.location, unknown)) {
    return session;
  }
  LADDER_CHECK(create(settings));
  console.err(format("Created the store {}, owner {}\n", visible_label(settings.location), visible_label(settings.owner)));
  return open(settings, ledger);
}

Result<std::unique_ptr<Session>> Session::create(const Settings& settings) {
  LADDER_CHECK(check_owner_name(settings.owner));
  LADDER_CHECK(make_folder_of(settings.location));
  LADDER_TRY(auto store, store::open_store(settings.location, store::OpenMode::kCreate, open_options(settings)));
  LADDER_CHECK(store->add_owner(settings.owner, Clock::system().now()));
  std::unique_ptr<Session> session(new Session(std::move(store), settings, ledger_options(settings, LedgerMode::kUsual)));
  LADDER_CHECK(session->server().sources().refresh());
  return session;
}

// Printed commands repeat --db and --owner if they were given as flags, so that they can be copied. Only the password
// of a postgres:// address is omitted.

std::vector<std::string> Context::store_words() const {
  std::vector<std::string> words;
  if (settings.db_by_flag) words.insert(words.end(), {"--db", shown_location(settings.location)});
  if (settings.owner_by_flag) words.insert(words.end(), {"--owner", settings.owner});
  return words;
}

std::string Context::store_flags() const { return shell_words(store_words()); }

}  // namespace ladder::cli
