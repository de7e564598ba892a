// Looks up names in the owner's store, for completions and for suggestions. It never fails: without a store the lists are
// empty.
#pragma once

#include "cli/commands/completions.h"
#include "cli/invocation/session.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

class StoreNames {
 public:
  // `words` are a command line, which may select the store (--db, --owner).
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

// Advice for a failed command line with an unknown connection, stream, field, source or fixed word: "did you mean
// 'mail-gmail'?" if a known name is close, else with `lists` the valid names if they are few; "" if every name is known. It reads
// the store as its owner, so it returns "" for a command line that reads as a client.
std::string name_advice(const std::vector<std::string>& words, const Context& context, bool lists);

}  // namespace ladder::cli
