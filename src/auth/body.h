// Reads the JSON bodies of items (store/auth_store.h), which json::Writer writes. Missing members read as empty,
// since an older Ladder may have written the item.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

class Body {
 public:
  explicit Body(std::string_view json);  // invalid JSON reads as an empty object
  explicit Body(boost::json::value tree) : tree_(std::move(tree)) {}

  std::string text(std::string_view name) const;
  std::int64_t number(std::string_view name) const;
  std::optional<std::int64_t> maybe_number(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  std::vector<Body> objects(std::string_view name) const;
  Body object(std::string_view name) const;
  std::string raw(std::string_view name) const;  // the member as JSON; empty if it is missing
  bool has(std::string_view name) const { return find(name) != nullptr; }
  const boost::json::value& tree() const { return tree_; }

 private:
  const boost::json::value* find(std::string_view name) const;
  boost::json::value tree_;
};

// Returns the key of an item that belongs to a secret. The secret can't be recovered from the store.
std::string hash_key(std::string_view secret);

}  // namespace ladder::auth
