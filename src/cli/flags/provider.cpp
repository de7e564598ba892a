#include "cli/flags/provider.h"

#include "base/limits.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/random.h"
#include "json/parse.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace ladder::cli {
namespace {

constexpr std::size_t kMaxCacheBytes = 64 * limits::kKiB;

std::unexpected<CredentialProblem> problem(CredentialFault fault, std::string message) {
  return std::unexpected(CredentialProblem{fault, std::move(message)});
}

std::string text_of(const boost::json::object& object, std::string_view name) {
  const boost::json::value* const found = object.if_contains(name);
  return found && found->is_string() ? std::string(found->as_string()) : std::string();
}

bool is_word(std::string text, std::string_view word) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text == word;
}

// Opens the file once, so that the checked file is the file that is read.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  struct stat facts() const {
    struct stat found{};
    ::fstat(descriptor_, &found);
    return found;
  }
  std::string text() const {
    std::string text(kMaxCacheBytes, '\0');
    std::size_t size = 0;
    for (ssize_t got = 1; got > 0 && size < text.size(); size += static_cast<std::size_t>(std::max<ssize_t>(got, 0))) {
      // The file is small and local, so other callers wait for at most two reads.
      got = ::read(descriptor_, text.data() + size, text.size() - size);  // NOLINT(clang-analyzer-unix.BlockInCriticalSection)
    }
    text.resize(size);
    return text;
  }

 private:
  int descriptor_;
};

std::expected<Credential, CredentialProblem> credential_of(const boost::json::object& document, const std::string& file,
                                                           Instant now) {
  const boost::json::value* const inner = document.if_contains("credential");
  if (inner == nullptr || !inner->is_object())
    return problem(CredentialFault::kInvalid, format("{} contains no credential", file));
  const boost::json::object& held = inner->as_object();
  bool marked_as_client = false;
  for (const char* const name : {"pdpp_token_kind", "token_kind", "kind", "role"}) {
    const std::string kind = text_of(held, name);
    if (is_word(kind, "owner")) return problem(CredentialFault::kOwner, format("{} contains an owner's token", file));
    marked_as_client = marked_as_client || is_word(kind, "client");
  }
  Credential credential{text_of(held, "access_token"), text_of(held, "grant_id"), marked_as_client};
  if (credential.grant_id.empty()) credential.grant_id = text_of(document, "grant_id");
  if (credential.access_token.starts_with(kOwnerTokenPrefix)) {
    return problem(CredentialFault::kOwner, format("{} contains an owner's token", file));
  }
  if (credential.access_token.empty()) return problem(CredentialFault::kInvalid, format("{} contains no access_token", file));
  if (const std::string expires = text_of(held, "expires_at"); !expires.empty()) {
    const auto at = parse_time(expires);
    if (!at) return problem(CredentialFault::kInvalid, format("the expires_at in {} is not a time", file));
    if (*at <= now) return problem(CredentialFault::kExpired, format("the token in {} expired at {}", file, expires));
  }
  return credential;
}

}  // namespace

std::string credential_file(const std::string& cache_root, const remote::Endpoint& endpoint) {
  std::string host = endpoint.authority;
  for (char& c : host) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  }
  return format("{}/clients/{}.json", cache_root, host);
}

std::expected<Credential, CredentialProblem> read_credential(const std::string& file, Instant now) {
  const OpenFile opened(file);
  if (!opened.is_open()) {
    const std::error_code why(errno, std::generic_category());
    return problem(CredentialFault::kMissing, format("no credential found: {}: {}", file, why.message()));
  }
  if ((opened.facts().st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return problem(CredentialFault::kExposed,
                   format("other users can read {}, which contains a token; to fix this: chmod 600 {}", file, file));
  }
  const auto document = json::parse(opened.text(), kMaxCacheBytes, limits::kMaxJsonDepth);
  if (!document || !document->is_object()) return problem(CredentialFault::kInvalid, format("{} is not a JSON object", file));
  return credential_of(document->as_object(), file, now);
}

std::expected<std::shared_ptr<CachedCredentials>, CredentialProblem> CachedCredentials::open(const std::string& file,
                                                                                             const Clock& clock) {
  auto credential = read_credential(file, clock.now());
  if (!credential) return std::unexpected(std::move(credential).error());
  return std::shared_ptr<CachedCredentials>(new CachedCredentials(file, clock, *std::move(credential)));
}

CachedCredentials::CachedCredentials(std::string file, const Clock& clock, Credential credential)
    : file_(std::move(file)),
      clock_(clock),
      grant_id_(std::move(credential.grant_id)),
      token_(std::move(credential.access_token)),
      marked_as_client_(credential.marked_as_client) {
  struct stat found{};
  if (::stat(file_.c_str(), &found) == 0) read_at_ = found.st_mtim;
}

Result<std::string> CachedCredentials::token() {
  const MutexLock lock(mutex_);
  struct stat found{};
  const bool is_there = ::stat(file_.c_str(), &found) == 0;
  if (is_there && (found.st_mtim.tv_sec != read_at_.tv_sec || found.st_mtim.tv_nsec != read_at_.tv_nsec)) {
    read_at_ = found.st_mtim;
    refresh();
  }
  return token_;
}

std::optional<std::string> CachedCredentials::instead_of(const std::string& refused) {
  const MutexLock lock(mutex_);
  refresh();
  return token_ == refused ? std::nullopt : std::optional(token_);
}

void CachedCredentials::refresh() {
  auto credential = read_credential(file_, clock_.now());
  if (!credential) return;
  token_ = std::move(credential->access_token);
  marked_as_client_ = credential->marked_as_client;
}

bool CachedCredentials::is_known_client(const std::string& token) {
  const MutexLock lock(mutex_);
  return marked_as_client_ && token == token_;
}

namespace {

constexpr std::uint8_t kKeyId = 1;
constexpr std::size_t kTextBytes = 2 * crypto::kSealKeyBytes;

crypto::Sealer sealer_of(const std::string& secret) { return crypto::Sealer({{kKeyId, secret}}); }

}  // namespace

const crypto::Sealer& CursorKeyFile::sealer() {
  const MutexLock lock(mutex_);
  if (!sealer_) {
    auto secret = read();
    if (!secret) secret = make();
    sealer_.emplace(sealer_of(secret.value_or(crypto::random_bytes(crypto::kSealKeyBytes))));
  }
  return *sealer_;
}

const crypto::Sealer* CursorKeyFile::if_there() {
  const MutexLock lock(mutex_);
  if (!sealer_) {
    if (const auto secret = read()) sealer_.emplace(sealer_of(*secret));
  }
  return sealer_ ? &*sealer_ : nullptr;
}

std::string CursorKeyFile::fence_key() const {
  const auto secret = read();
  return secret ? sealer_of(*secret).keyed_hash("fence", "") : crypto::random_bytes(crypto::kSealKeyBytes);
}

std::optional<std::string> CursorKeyFile::read() const {
  const int file = ::open(path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return std::nullopt;
  struct stat facts{};
  std::string text(kTextBytes, '\0');
  const bool is_ours = ::fstat(file, &facts) == 0 && (facts.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  // Reads the key while holding the lock that prevents a second process from creating it.
  // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection)
  const bool is_whole = is_ours && ::read(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  return is_whole ? from_hex(text) : std::nullopt;
}

// Writes a temporary file and links it into place. If another process was first, its key is used.
std::optional<std::string> CursorKeyFile::make() const {
  std::error_code error;
  if (!std::filesystem::is_directory(cache_root_, error)) {
    if (!may_make_ || !std::filesystem::create_directories(cache_root_, error)) return std::nullopt;
    std::filesystem::permissions(cache_root_, std::filesystem::perms::owner_all, error);
  }
  const std::string draft = path() + "." + crypto::random_hex(8);
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return std::nullopt;
  const std::string text = to_hex(crypto::random_bytes(crypto::kSealKeyBytes)) + "\n";
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
  ::close(file);
  if (written) static_cast<void>(!::link(draft.c_str(), path().c_str()));
  ::unlink(draft.c_str());
  return read();
}

namespace {

constexpr std::string_view kDefaultCacheRoot = ".pdpp";

std::optional<std::string> first_of(const Context& context, const std::optional<std::string>& flag, const char* variable,
                                    const char* alias) {
  if (flag) return flag;
  if (auto value = context.environment(variable)) return value;
  return context.environment(alias);
}

}  // namespace

void ProviderFlags::declare(Arguments& arguments) {
  arguments.value("--provider-url", "URL", url_,
                  "read from this PDPP resource server instead of a local store (LADDER_PROVIDER_URL)");
  arguments.value("--provider-ca", "FILE", ca_file_,
                  "PEM certificates to trust for --provider-url (LADDER_PROVIDER_CA; default: the system's)");
  arguments.value("--cache-root", "FOLDER", cache_root_,
                  "the folder with tokens for other servers (LADDER_CACHE_ROOT; default: .pdpp)");
}

Result<std::optional<remote::Endpoint>> ProviderFlags::endpoint(const Context& context) const {
  const auto url = first_of(context, url_, "LADDER_PROVIDER_URL", "PDPP_PROVIDER_URL");
  if (!url) return std::nullopt;
  LADDER_TRY(auto endpoint, remote::parse_endpoint(*url));
  return endpoint;
}

std::optional<std::string> ProviderFlags::named_root(const Context& context) const {
  return first_of(context, cache_root_, "LADDER_CACHE_ROOT", "PDPP_CACHE_ROOT");
}

std::expected<std::shared_ptr<remote::Credentials>, CredentialProblem> ProviderFlags::credentials(
    const Context& context, const remote::Endpoint& endpoint, const std::string& token) const {
  if (!token.empty()) return std::make_shared<remote::FixedToken>(token);
  const std::string root = named_root(context).value_or(std::string(kDefaultCacheRoot));
  return CachedCredentials::open(credential_file(root, endpoint), Clock::system());
}

Result<Provider> ProviderFlags::open(const Context& context, const remote::Endpoint& endpoint,
                                     std::shared_ptr<remote::Credentials> credentials) const {
  const auto root = named_root(context);
  const auto key = std::make_shared<CursorKeyFile>(root.value_or(std::string(kDefaultCacheRoot)), root.has_value());
  remote::RemoteOptions options;
  options.endpoint = endpoint;
  options.credentials = std::move(credentials);
  options.cursor_key = key;
  options.ca_file = first_of(context, ca_file_, "LADDER_PROVIDER_CA", "PDPP_PROVIDER_CA").value_or("");
  LADDER_TRY(auto port, remote::RemotePort::create(options));
  return Provider{std::move(port), key->fence_key()};
}

}  // namespace ladder::cli
