// The names in the owner's store, for completions and for suggestions on a mistyped one. Never a failure: without a store there
// are none.
#pragma once

#include "cli/app/session.h"
#include "cli/commands/completions.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

class StoreNames {
 public:
  // `words` are a command line, which may say where the store is (--db, --owner).
  StoreNames(const Context& context, const std::vector<std::string>& words);

  // See Lookup in completions.h.
  std::vector<Candidate> find(Values values, std::string_view before);

 private:
  bool open();
  std::optional<std::string> value_of(std::string_view flag) const;
  std::vector<Candidate> connections();
  std::vector<Candidate> sources();
  std::vector<Candidate> grants();
  std::vector<Candidate> tokens();
  std::vector<Candidate> clients();
  std::vector<Candidate> streams();
  std::vector<Candidate> streams_of_connections(std::string_view behind);
  std::vector<Candidate> fields_of(std::string_view record, std::string_view behind);
  std::vector<Candidate> field_list(std::string_view stream, std::string_view typed);
  const api::SchemaView& schema();

  const Context& context_;
  const std::vector<std::string>& words_;
  bool tried_ = false;
  std::unique_ptr<Session> session_;
  std::optional<server::Access> owner_;
  std::optional<api::SchemaView> schema_;
};

// Suggestions on a mistyped name: of a connection, a stream, a field, a source, or a word from a fixed set.

// For a command line that failed: "mail-gmail" for the one name in it that is not there and nearly is; empty when every name is
// there or none is near. Looks into the store as its owner, so it answers nothing for a command line that reads as a client.
std::string did_you_mean(const std::vector<std::string>& words, const Context& context);

}  // namespace ladder::cli
