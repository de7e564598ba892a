// Who is asking, and under which grants. Only ResourceServer makes an Access, from a token or for the owner at the machine; every
// operation takes one. It holds immutable facts; whether they still stand is read again with the data (design D16).
#pragma once

#include "base/time.h"
#include "grant/grant.h"
#include "store/rows.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ladder::rs {

struct HeldGrant {
  store::GrantNo no = 0;
  grant::Grant grant;
  // Set when the owner has revoked it here, written or not: every read under way looks at it.
  std::shared_ptr<std::atomic<bool>> refused = std::make_shared<std::atomic<bool>>(false);
};

class Access {
 public:
  store::OwnerNo owner() const { return owner_; }
  const std::string& owner_name() const { return owner_name_; }
  bool is_owner() const { return is_owner_; }
  const std::string& client_id() const { return client_id_; }
  const std::vector<std::shared_ptr<const HeldGrant>>& grants() const { return grants_; }
  store::TokenNo token() const { return token_; }  // 0 for the owner at the machine

  // When the call that it is used for arrived: time spent waiting counts. Unless told, a call begins with its work.
  void set_arrived(std::chrono::steady_clock::time_point at) { arrived_ = at; }
  Deadline deadline(int milliseconds) const;

 private:
  friend class ResourceServer;
  Access() = default;

  store::OwnerNo owner_ = 0;
  std::string owner_name_;
  bool is_owner_ = false;
  std::string client_id_;
  store::TokenNo token_ = 0;
  std::vector<std::shared_ptr<const HeldGrant>> grants_;
  std::optional<std::chrono::steady_clock::time_point> arrived_;
};

}  // namespace ladder::rs
