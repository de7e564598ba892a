// An IMAP client that only reads. Every command ends before its deadline, and every size is bounded (response.h).
//
// Servers differ in what they support, and what they announce before and after the login differs too. IMAP4rev2 is never
// enabled: some servers of Microsoft 365 announce it and fail afterwards.
#pragma once

#include "base/error/error.h"
#include "http/stream.h"
#include "sync/imap/command.h"
#include "sync/imap/response.h"
#include "sync/imap/uid_set.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::sync::imap {

enum class Security : std::uint8_t { kTls, kStartTls, kPlain };  // kPlain only to this machine

struct Server {
  std::string host;
  std::uint16_t port = 993;
  Security security = Security::kTls;
  std::string ca_file = {};  // PEM certificates to trust; empty: the system's
};

enum class Login : std::uint8_t { kPassword, kToken };  // kToken: an OAuth access token (XOAUTH2)

struct Credentials {
  std::string user, secret;
  Login login = Login::kPassword;
};

struct MailboxStatus {
  std::uint64_t messages = 0, uid_next = 0, modseq = 0;  // modseq is 0 if the server has none
  std::uint32_t uid_validity = 0;
};

struct Mailbox {
  std::string wire_name;             // as the server writes it
  std::string name;                  // for people
  std::set<std::string> attributes;  // in lower case: "\\noselect", "\\sent"
  std::optional<MailboxStatus> status = {};
};

// One message of a FETCH response. `body` is valid during the callback.
struct Fetched {
  Uid uid = 0;
  std::optional<std::set<std::string>> flags = {};  // in lower case
  std::optional<std::uint64_t> size = {}, modseq = {};
  std::optional<std::string_view> body = {};
  std::string thread = {};                              // Gmail's
  std::optional<std::vector<std::string>> labels = {};  // Gmail's
};
// Parses the data of a FETCH response. kRsProtocol if it has no UID.
Result<Fetched> read_fetch(const Response& response);

using TakeFetched = std::function<Status(const Fetched&)>;

// The report of an opened mailbox. The last two are set if the state was known and the server supports QRESYNC.
struct Opened {
  MailboxStatus status;
  UidSet vanished = {};
  bool resynced = false;  // the changes since the known state were reported
};

class Client {
 public:
  // Connects, encrypts and signs in. kRsUnreachable, kRsTimeout, kRsProtocol, kCancelled; kAuthentication if the server rejects
  // the credentials. Texts of the server are not shown with it, since they may repeat the credentials.
  static Result<std::unique_ptr<Client>> open(const Server& server, const Credentials& credentials, std::stop_token stop);
  // The same over a given stream that is connected already; for tests.
  static Result<std::unique_ptr<Client>> open(std::unique_ptr<http::Stream> stream, const Server& server,
                                              const Credentials& credentials, std::stop_token stop);

  bool has(std::string_view capability) const { return capabilities_.contains(std::string(capability)); }
  bool is_gmail() const { return has("X-GM-EXT-1"); }
  bool knows_changes() const { return has("CONDSTORE") || has("QRESYNC"); }

  Result<std::vector<Mailbox>> list();
  // Opens a mailbox for reading. kNotFound or kInvalidRequest if only this one cannot be opened. `changed` receives the messages
  // whose flags changed since `known`.
  Result<Opened> examine(std::string_view wire_name, const KnownState* known, const TakeFetched& changed);
  Status fetch_sizes(Uid first, const TakeFetched& take);
  Status fetch_flags(Uid last, std::uint64_t changed_since, const TakeFetched& take);
  // Returns false if the server refuses because of one of the messages (NO); what was received before was taken.
  Result<bool> fetch_messages(const UidSet& uids, const TakeFetched& take);
  Result<UidSet> search_all();
  // Waits until the opened mailbox changes. Returns false if nothing happened until the deadline.
  Result<bool> idle(std::chrono::steady_clock::time_point deadline);
  Status noop();
  void log_out();  // best effort

 private:
  using TakeData = std::function<Status(const Response&)>;

  Client(std::unique_ptr<http::Stream> stream, const Server& server, std::stop_token stop)
      : stream_(std::move(stream)), server_(server), stop_(std::move(stop)) {}
  Status greet(const Credentials& credentials);
  Status encrypt();
  Status sign_in(const Credentials& credentials);
  Status authenticate(std::string_view mechanism, const std::string& first_answer);
  Status login(const Credentials& credentials);
  Status update_capabilities();
  Status enable();
  Result<std::string> send(const Command& command);  // returns its tag
  Status run(const Command& command, const TakeData& take, bool* was_refused = nullptr);
  Result<Response> next_response();
  Status finish(const Command& command, const Response& response) const;
  Status note(const Response& response);
  void read_capabilities(std::string_view words);
  http::WaitLimit wait_limit() const;
  Status write(std::string_view bytes);

  std::unique_ptr<http::Stream> stream_;
  const Server server_;
  const std::stop_token stop_;
  ResponseSplitter splitter_;
  std::set<std::string> capabilities_;
  bool has_capabilities_ = false;
  bool qresync_ = false;  // enabled
  int commands_ = 0;
};

// Returns an error of the stream as the caller sees it, with a remedy.
Error error_of(const http::ClientError& error, const Server& server);

}  // namespace ladder::sync::imap
