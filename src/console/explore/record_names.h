// Names records for the owner: the title as its source declares it, read with the owner's access. Each is read once for a page.
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
    std::string text;      // a line
    bool is_title = true;  // else the beginning of its text, or its id
    bool is_gone = false;  // there is no such record any more
  };
  Result<Name> at(const model::RecordRef& record);
  std::size_t reads() const { return names_.size(); }

  struct Stream {
    std::string label;        // "Messages"; the stream's name when none is declared
    std::string source;       // how the connection is called
    std::string source_key;   // "mail"
    std::string title, text;  // names of fields; empty when none is declared
  };
  // Empty parts but for the names that are known, of a stream that is gone.
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

// The text of a member of a record's data; empty when it is absent or no string.
std::string text_member(std::string_view data, std::string_view name);

}  // namespace ladder::console
