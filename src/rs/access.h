// Who is asking, and under which grants. Only ResourceServer makes an Access, from a token or for the owner at the machine; every
// operation takes one. It holds immutable facts; whether they still stand is read again with the data (design D16).
#pragma once

#include "grant/grant.h"
#include "store/rows.h"

#include <memory>
#include <string>
#include <vector>

namespace ladder::rs {

struct HeldGrant {
  store::GrantNo no = 0;
  grant::Grant grant;
};

class Access {
 public:
  store::OwnerNo owner() const { return owner_; }
  const std::string& owner_name() const { return owner_name_; }
  bool is_owner() const { return is_owner_; }
  const std::string& client_id() const { return client_id_; }
  const std::vector<std::shared_ptr<const HeldGrant>>& grants() const { return grants_; }
  store::TokenNo token() const { return token_; }  // 0 for the owner at the machine

 private:
  friend class ResourceServer;
  Access() = default;

  store::OwnerNo owner_ = 0;
  std::string owner_name_;
  bool is_owner_ = false;
  std::string client_id_;
  store::TokenNo token_ = 0;
  std::vector<std::shared_ptr<const HeldGrant>> grants_;
};

}  // namespace ladder::rs
