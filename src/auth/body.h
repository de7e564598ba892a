// The bodies of items (store/auth_store.h) as JSON: written by json::Writer, read by this. What is missing is empty, since an
// older Ladder may have written it.
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
  explicit Body(std::string_view json);  // of no object when it is no JSON
  explicit Body(boost::json::value tree) : tree_(std::move(tree)) {}

  std::string text(std::string_view name) const;
  std::int64_t number(std::string_view name) const;
  std::optional<std::int64_t> maybe_number(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  std::vector<Body> objects(std::string_view name) const;
  Body object(std::string_view name) const;
  std::string raw(std::string_view name) const;  // the member as JSON; empty when it is missing
  bool has(std::string_view name) const { return find(name) != nullptr; }
  const boost::json::value& tree() const { return tree_; }

 private:
  const boost::json::value* find(std::string_view name) const;
  boost::json::value tree_;
};

// The key under which an item that belongs to a secret is kept: who reads the store cannot use it.
std::string hash_key(std::string_view secret);

}  // namespace ladder::auth
