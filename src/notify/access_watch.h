// Finds what apps do that the owner wants to know: requests for access, first and unusually large reads, access that ends soon.
// It reads only names and counts, never records.
#pragma once

#include "auth/authorization.h"
#include "notify/notice.h"

#include <deque>
#include <set>
#include <string>
#include <vector>

namespace ladder::notify {

class AccessWatch {
 public:
  explicit AccessWatch(auth::AuthorizationServer& authorization) : authorization_(authorization) {}

  // Returns a message for everything that is the case now. The caller sends each one once, by its key. First reads before
  // `since` are left out.
  Result<std::vector<Notice>> look(const server::Access& owner, Instant since);

 private:
  Status add_requests(const server::Access& owner, std::vector<Notice>& notices);
  Status add_reads(const server::Access& owner, Instant since, std::vector<Notice>& notices);
  Status add_ends(const server::Access& owner, std::vector<Notice>& notices);
  Result<std::string> name_of(const std::string& client_id);

  auth::AuthorizationServer& authorization_;
  std::set<std::string> unopened_told_;   // ids
  std::deque<Instant> unopened_told_at_;  // in the last hour
};

}  // namespace ladder::notify
