// OAuth clients: registered (RFC 7591), described by a document at their own address (client ID metadata
// documents), or that the owner entered. What a client says of itself is a claim; where its answers go is a fact.
#pragma once

#include "auth/oauth_error.h"
#include "auth/uri.h"
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
  std::string name;  // its own claim; empty when it makes none
  std::string uri;   // of its home page; its own claim
  std::vector<std::string> redirect_uris;
  std::string application_type;
  Instant created_at = 0;
  Instant fetched_at = 0;   // of a document
  std::string fetch_fault;  // why the last fetch failed while an older copy is used
};

// A document of a client, fetched. Its own interface, so that tests need no network.
class DocumentFetcher {
 public:
  struct Document {
    std::string body;
    std::int64_t max_age_seconds = -1;  // of Cache-Control; -1: not said
  };
  virtual ~DocumentFetcher() = default;
  // kInvalidRequest whose message says why: name, address, TLS, status, type, size.
  virtual Result<Document> fetch(const std::string& url) = 0;
};

// Over https, to public addresses only (after the lookup), 5 s, 5 KiB, no redirects, no cookies.
std::unique_ptr<DocumentFetcher> make_document_fetcher();
// The same, held back: strangers name the addresses, so a few are fetched at a time, one host is called seldom, and what has just
// failed is not tried again at once.
std::unique_ptr<DocumentFetcher> make_patient_fetcher(std::unique_ptr<DocumentFetcher> inner, const Clock& clock);

// A registration request (RFC 7591).
struct Registration {
  Client client;
  std::vector<std::string> dropped;  // redirect URIs that are not acceptable
};

// Pure: invalid_redirect_uri, invalid_client_metadata.
OAuthResult<Registration> read_registration(std::string_view json);
Result<Client> read_document(std::string_view url, std::string_view json);  // kInvalidRequest

class Clients {
 public:
  Clients(store::Store& store, DocumentFetcher& fetcher, const Clock& clock)
      : items_(store.auth()), fetcher_(fetcher), clock_(clock) {}

  OAuthResult<Registration> add(std::string_view json, std::string_view address);  // 429 slow_down for too many
  // A client that the owner types in, with an id of his choice.
  Status enter(std::string_view client_id, std::string_view name, const std::vector<std::string>& redirect_uris);
  // The client, its document fetched when it is time. kNotFound, or kInvalidRequest for a document that cannot be had.
  Result<Client> find(std::string_view client_id);
  // The same as it is known, without asking anybody; nothing when it is not.
  Result<std::optional<Client>> recall(std::string_view client_id);
  Status note_use(std::string_view client_id);  // it does not expire as unused any more

 private:
  Result<Client> find_by_document(const std::string& url);

  store::AuthStore& items_;
  DocumentFetcher& fetcher_;
  const Clock& clock_;
};

// A token bucket: `burst` attempts at once, and one more after every `step`. A caller that used them all up slows down those who
// share its address to one attempt per step, and to no more than that.
struct AttemptLimit {
  std::int64_t burst = 0;
  Instant step = 0;
};
enum class Counting { kCount, kLook };  // kLook only says whether another attempt is allowed

// Counts attempts in the store, so that every process knows them; 429 slow_down with the time to wait when the bucket is empty.
OAuthResult<bool> count_attempt(store::AuthStore& items, Instant now, const std::string& key, const AttemptLimit& limit,
                                Counting counting = Counting::kCount);

// Says whether the answer may go there.
bool may_redirect(const Client& client, std::string_view redirect_uri);

enum class Trust { kKnown, kUnknown, kThisComputer, kCodeHolder };
// Of the address that gets the answer: on the list of hosts that came with Ladder, on this computer, or neither.
Trust trust_of(std::string_view redirect_uri);
// Names the address that gets the answer: "claude.ai", "a program on this computer".
std::string shown_origin(std::string_view redirect_uri);

}  // namespace ladder::auth
