// The names in the owner's store, for completions and for suggestions on a mistyped one. Never a failure: without a store there
// are none.
#pragma once

#include "cli/completion.h"
#include "cli/context.h"

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

  // See Lookup in completion.h.
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
  const port::SchemaView& schema();

  const Context& context_;
  const std::vector<std::string>& words_;
  bool tried_ = false;
  std::unique_ptr<Session> session_;
  std::optional<rs::Access> owner_;
  std::optional<port::SchemaView> schema_;
};

}  // namespace ladder::cli
