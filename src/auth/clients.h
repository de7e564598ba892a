// OAuth clients: registered (RFC 7591), described by a client ID metadata document at their own URL, or entered by
// the owner. A client's name is only a claim; its redirect URI is verified.
#pragma once

#include "auth/oauth_error.h"
#include "auth/uri/uri.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "store/auth_store.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

inline constexpr std::size_t kMaxRedirects = 10;
inline constexpr Instant kUnusedClientLife = 30 * kDay;

struct Client {
  std::string client_id;
  std::string kind;  // "dynamic", "document" or "entered"
  std::string name;  // as claimed by the client; may be empty
  std::string uri;   // home page, as claimed by the client
  std::vector<std::string> redirect_uris;
  std::string application_type;
  Instant created_at = 0;
  Instant fetched_at = 0;   // when the document was fetched
  std::string fetch_fault;  // why the last fetch failed, if an older copy is used
};

// Fetches client metadata documents. An interface, so that tests need no network.
class DocumentFetcher {
 public:
  struct Document {
    std::string body;
    std::int64_t max_age_seconds = -1;  // from Cache-Control; -1: not given
  };
  virtual ~DocumentFetcher() = default;
  // Returns kInvalidRequest with the reason: name, address, TLS, status, type or size.
  virtual Result<Document> fetch(const std::string& url) = 0;
};

// Fetches over https from public addresses only (checked after DNS lookup), with limits of 5 s and 5 KiB, no
// redirects and no cookies.
std::unique_ptr<DocumentFetcher> make_document_fetcher();
// Adds rate limits, because any client can choose the URL: few concurrent fetches, few per host, and a delay after a
// failure.
std::unique_ptr<DocumentFetcher> make_rate_limited_fetcher(std::unique_ptr<DocumentFetcher> inner, const Clock& clock);

// A registration request (RFC 7591).
struct Registration {
  Client client;
  std::vector<std::string> dropped;  // unacceptable redirect URIs
};

// Parse without I/O. Errors: invalid_redirect_uri, invalid_client_metadata.
OAuthResult<Registration> read_registration(std::string_view json);
Result<Client> read_document(std::string_view url, std::string_view json);  // kInvalidRequest

class Clients {
 public:
  Clients(store::Store& store, DocumentFetcher& fetcher, const Clock& clock)
      : items_(store.auth()), fetcher_(fetcher), clock_(clock) {}

  OAuthResult<Registration> add(std::string_view json, std::string_view address);  // 429 slow_down for too many
  // Adds a client with an id chosen by the owner.
  Status enter(std::string_view client_id, std::string_view name, const std::vector<std::string>& redirect_uris);
  // Returns the client, refreshing its document if needed. kNotFound, or kInvalidRequest if the document can't be
  // fetched.
  Result<Client> find(std::string_view client_id);
  // Returns the stored client without fetching; nullopt if it is unknown.
  Result<std::optional<Client>> recall(std::string_view client_id);
  Status note_use(std::string_view client_id);  // keeps it from expiring as unused

 private:
  Result<Client> find_by_document(const std::string& url);

  store::AuthStore& items_;
  DocumentFetcher& fetcher_;
  const Clock& clock_;
};

// A token bucket: `burst` attempts, refilled by one every `step`. Callers share the bucket of their address, so one
// that drains it slows the others down to one attempt per step.
struct AttemptLimit {
  std::int64_t burst = 0;
  Instant step = 0;
};
enum class Counting { kCount, kLook };  // kLook only checks whether another attempt is allowed

// Counts attempts in the store, across processes. Returns 429 slow_down with the wait time if the bucket is empty.
OAuthResult<bool> count_attempt(store::AuthStore& items, Instant now, const std::string& key, const AttemptLimit& limit,
                                Counting counting = Counting::kCount);

// Returns true if the client may use this redirect URI.
bool may_redirect(const Client& client, std::string_view redirect_uri);

enum class Trust { kKnown, kUnknown, kThisComputer, kCodeHolder };
// Classifies the redirect URI: a host known to Ladder, this computer, or neither.
Trust trust_of(std::string_view redirect_uri);
// Returns a display name for the redirect URI: "claude.ai", "an app on this computer".
std::string shown_origin(std::string_view redirect_uri);
// Returns the heading of an app: "“Claude Code” on this computer", else the address. The name is unverified, so it is quoted.
std::string app_title(std::string_view redirect_uri, std::string_view name);

}  // namespace ladder::auth
