// An RSS or Atom feed as the only folder of a source. It is fetched if it has changed, and the sandboxed importer reads it.
//
// A feed lists only its newest entries, so the records of entries that are no longer listed stay. No credentials are sent.
// Addresses in a private network, on this computer or reserved ones are not contacted, whatever a name resolves to; the owner may
// allow the first two for a feed, but a server on the Internet cannot redirect there.
#pragma once

#include "sync/synchronizer.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace ladder::sync {

inline constexpr std::size_t kMaxFeedBytes = std::size_t{16} * 1024 * 1024;  // the largest podcasts have some 10 MB

// kInvalidRequest unless it is an http or https address without a user name.
Status check_feed_address(std::string_view url);
// Returns the address that a reference in an answer of `base` means; nullopt if it cannot be followed, or leads from https to
// http.
std::optional<std::string> redirect_of(std::string_view base, std::string_view reference);

struct FetchedFeed {
  std::string body;
  std::string token;  // for the next fetch
};
// Returns nullopt if the feed has not changed since the fetch that gave the token. kRsUnreachable, kRsTimeout, kRsProtocol,
// kNotFound, kInvalidRequest (a forbidden address), kCancelled.
Result<std::optional<FetchedFeed>> fetch_feed(const Source& source, std::string_view token, const std::stop_token& stop);

ReadFolders feed_folder(std::stop_token stop);

}  // namespace ladder::sync
