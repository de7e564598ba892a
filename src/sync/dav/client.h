// A CalDAV and CardDAV client that only reads: it has no method that changes anything at the server.
//
// Changes are found with sync tokens (RFC 6578) where the server has them, otherwise by comparing entity tags. Every response is
// bounded. Credentials are sent only with TLS or to this computer, and only to the server that the owner named, or to another one
// of its domain that it refers to.
#pragma once

#include "base/error/error.h"
#include "http/client.h"
#include "sync/dav/xml.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::sync::dav {

enum class Service : std::uint8_t { kCalendars, kContacts };
enum class Method : std::uint8_t { kOptions, kPropfind, kReport, kGet };

struct Account {
  std::string address;  // https://host[/path]; http only to this computer
  std::string user, secret;
  bool is_token = false;  // the secret is an access token, not a password
  std::string ca_file = {};
};

// A calendar or an address book.
struct Collection {
  std::string url;           // absolute
  std::string name;          // for people
  std::string token;         // changes whenever an item does; empty if the server has none
  bool has_reports = false;  // it supports sync-collection
};

struct Item {
  std::string path;  // percent-encoded, on the server of its collection
  std::string etag;
};

struct Collections {
  std::vector<Collection> found;
  bool is_cut = false;  // the server did not list all of them
};

struct Changes {
  std::vector<Item> items;
  std::vector<std::string> gone;  // paths
  bool is_complete = false;       // `items` has all items of the collection
  bool is_cut = false;            // the server left some out, although it should have listed them
  std::string token;
};

class Client {
 public:
  static Result<std::unique_ptr<Client>> open(Account account, Service service, std::stop_token stop);  // kInvalidRequest

  // Finds the collections of the account: by the given address, its principal, or /.well-known. kAuthentication, kNotFound,
  // kRsUnreachable, kRsTimeout, kRsProtocol, kCancelled.
  Result<Collections> discover();
  // Returns the changes since the token. All items if it is empty or no longer valid.
  Result<Changes> changes(const Collection& collection, const std::string& token);
  // Calls `take(path, etag, content)` for every item that still exists. Returns false if the server left out some that may exist.
  using TakeContent = std::function<Status(std::string_view path, std::string_view etag, std::string_view content)>;
  Result<bool> fetch(const Collection& collection, std::span<const std::string> paths, const TakeContent& take);

 private:
  struct Answer {
    std::string url;  // after redirects
    int status = 0;
    std::string body;
  };
  Client(Account account, Service service, std::stop_token stop)
      : account_(std::move(account)), service_(service), stop_(std::move(stop)) {}
  Result<Answer> ask(Method method, std::string url, std::string_view depth, const std::string& body);
  Result<http::Client*> server_of(const std::string& origin);
  Result<Element> properties(std::string& url, std::string_view depth, std::string_view wanted);  // updates `url`
  Result<Collections> collections_at(const std::string& url);
  Result<std::string> home_of(std::string url);
  Result<Changes> list_all(const Collection& collection);
  Result<bool> report_changes(const Collection& collection, std::string token, Changes& changes);

  const Account account_;
  const Service service_;
  const std::stop_token stop_;
  std::map<std::string, std::unique_ptr<http::Client>> servers_;  // by origin
};

// Returns the URL that a reference in a response of `base` means; nullopt if credentials may not be sent there.
std::optional<std::string> resolve(std::string_view base, std::string_view reference);

}  // namespace ladder::sync::dav
