// Looks up record titles for display, with the owner's access. Each title is read once per page.
#pragma once

#include "model/record_id.h"
#include "server/resource_server.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace ladder::console {

class RecordNames {
 public:
  static Result<RecordNames> of(server::ResourceServer& server, const server::Access& owner);

  struct Name {
    std::string text;      // one line
    bool is_title = true;  // otherwise the start of the text, or the id
    bool is_gone = false;  // the record was deleted
  };
  Result<Name> at(const model::RecordRef& record);
  std::size_t reads() const { return names_.size(); }

  struct Stream {
    std::string label;        // "Messages"; the stream name if undeclared
    std::string source;       // display name of the connection
    std::string source_key;   // "mail"
    std::string title, text;  // field names; empty if undeclared
  };
  // For a deleted stream, only the known names are set.
  Stream stream(const model::RecordRef& record) const;

  struct Source {
    std::string connection_id, name;
  };
  const std::vector<Source>& sources() const { return sources_; }

 private:
  RecordNames(server::ResourceServer& server, const server::Access& owner) : server_(&server), owner_(&owner) {}

  server::ResourceServer* server_;
  const server::Access* owner_;
  std::map<std::pair<std::string, std::string>, Stream> streams_;  // by connection id and stream
  std::vector<Source> sources_;
  std::map<std::string, Name> names_;  // by id
};

// Returns a string member of the record data, or an empty string.
std::string text_member(std::string_view data, std::string_view name);

}  // namespace ladder::console
