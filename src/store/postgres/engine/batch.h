// A batch of statements in one round trip. Each statement returns a handle to its own result, so results cannot be
// mixed up. The handle has the rows once the batch has run.
//
//   Batch batch(connection);
//   const Answer count = batch.ask(kCount, stream);
//   LADDER_CHECK(batch.run());
//   count.rows().int8(0, 0);
//
// Not thread-safe, like the connection.
#pragma once

#include "store/postgres/engine/connection.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ladder::store::postgres {

class Answer {
 public:
  Answer() = default;  // not a handle to any statement

  bool is_asked() const { return slot_ != nullptr; }
  const Rows& rows() const { return slot_->value(); }  // only after the batch has run

 private:
  friend class Batch;
  explicit Answer(std::shared_ptr<std::optional<Rows>> slot) : slot_(std::move(slot)) {}

  std::shared_ptr<std::optional<Rows>> slot_;
};

class Batch {
 public:
  // Do not queue other statements on the connection until the batch has run.
  explicit Batch(Connection& connection) : connection_(connection) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  template <class... P>
  Answer ask(const Statement& statement, const P&... parameters) {
    connection_.add(statement, parameters...);
    return Answer(slots_.emplace_back(std::make_shared<std::optional<Rows>>()));
  }

  // Sends the statements and stores their results. Does nothing if the batch is empty.
  Status run() {
    if (slots_.empty()) return {};
    LADDER_TRY(auto answers, connection_.run());
    if (answers.size() != slots_.size()) {
      return fail(Code::kInternal, "PostgreSQL returned a different number of results than a batch has statements");
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i]->emplace(std::move(answers[i]));
    slots_.clear();
    return {};
  }

 private:
  Connection& connection_;
  std::vector<std::shared_ptr<std::optional<Rows>>> slots_;
};

}  // namespace ladder::store::postgres
