// The room that a caller has for an answer. It goes down with the request, so that a local server shortens the answer
// before it records it in the ledger. A remote server ignores it, and the caller shortens the answer itself.
#pragma once

#include "base/error/error.h"
#include "model/window_selector.h"

#include <cstddef>
#include <optional>

namespace ladder::api {

struct AggregateResult;
struct FieldWindow;
struct RecordsPage;
struct SearchPage;

class AnswerBudget {
 public:
  virtual ~AnswerBudget() = default;
  // Return how many records or hits of the page fit. The server ends the page there, after at least one, and continues
  // with its cursor. By default all of them fit.
  virtual std::size_t fitting_records(const RecordsPage& page);
  virtual std::size_t fitting_hits(const SearchPage& page);
  // Remove what the caller does not show. The server calls them last, and the ledger records what remains. An aggregate
  // that cannot fit is rejected.
  virtual void trim_records(RecordsPage& /*page*/) {}
  virtual void trim_hits(SearchPage& /*page*/) {}
  virtual Status trim_groups(AggregateResult& /*result*/) { return {}; }
  // Returns the arguments of a smaller window. The server shortens the window and calls again until it returns nullopt:
  // the window fits, or it cannot be smaller.
  virtual std::optional<model::WindowArguments> smaller_window(const FieldWindow& /*window*/) { return std::nullopt; }
};

// Return the number of records or hits that a server keeps on the page: all without a budget, otherwise at least one.
std::size_t records_to_keep(AnswerBudget* budget, const RecordsPage& page);
std::size_t hits_to_keep(AnswerBudget* budget, const SearchPage& page);

}  // namespace ladder::api
