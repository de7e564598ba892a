// How the owner arranges the sources on the console: which are hidden from lists and search, and which are shown as one. Nothing
// in the store moves: each connection keeps its records, and an app keeps access to the connections that it was given.
#pragma once

#include "base/error/error.h"
#include "server/resource_server.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::console {

class Arrangement {
 public:
  static constexpr std::string_view kGroupPrefix = "group:";  // begins the value of a source filter that names a group

  static Result<Arrangement> of(server::ResourceServer& server, const server::Access& owner);

  bool is_hidden(std::string_view connection_id) const;
  std::string group_of(std::string_view connection_id) const;      // empty: shown by itself
  std::vector<std::string> members(std::string_view group) const;  // connection ids
  // The connections that a source filter means: a connection id, or kGroupPrefix and the name of a group.
  std::vector<std::string> connections_of(std::string_view source) const;
  bool hides_any() const;

  // --- changes, in the store ---
  static Status set_hidden(server::ResourceServer& server, const server::Access& owner, std::string_view connection_id,
                           bool hidden);
  // An empty group shows the connection by itself again. kInvalidRequest for a name of several lines or over 80 characters.
  static Status set_group(server::ResourceServer& server, const server::Access& owner, std::string_view connection_id,
                          std::string_view group);

 private:
  struct Look {
    bool hidden = false;
    std::string group = {};
  };
  static Status put(server::ResourceServer& server, const server::Access& owner, std::string_view connection_id,
                    const Look& look);

  std::map<std::string, Look, std::less<>> looks_;  // by connection id
};

}  // namespace ladder::console
