// A store for fault injection. It forwards every call to a real store and counts it, including the calls of its readers
// and stagings. Chosen calls fail with kStoreUnavailable before they reach the real store. As thread-safe as the store it wraps.
#pragma once

#include "store/auth_store.h"
#include "store/ledger_store.h"
#include "store/store.h"
#include "store/store_functions.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

namespace ladder::store::testing {

// Chooses the calls that fail. Shared by a store, its readers and its stagings.
class FaultPlan {
 public:
  // The n-th call from now (1 is the next one) and the `more` calls after it fail.
  void fail_call(std::int64_t n, std::int64_t more = 0);
  void never_fail() { first_ = 0; }
  std::int64_t calls() const { return calls_; }  // since the plan was created
  bool failed() const { return failed_; }        // true if any call has failed
  Status next(std::string_view call);            // counts a call and returns its error if it was chosen

 private:
  std::atomic<std::int64_t> calls_ = 0;
  std::atomic<std::int64_t> first_ = 0, last_ = 0;  // numbers of calls; first 0: none
  std::atomic<bool> failed_ = false;
};

// The same for the items of sign-in and authorization.
class FaultyAuthStore final : public AuthStore {
 public:
  FaultyAuthStore(AuthStore& store, std::shared_ptr<FaultPlan> plan) : store_(store), plan_(std::move(plan)) {}

  LADDER_AUTH_FUNCTIONS(LADDER_OVERRIDE)

 private:
  AuthStore& store_;
  std::shared_ptr<FaultPlan> plan_;
};

// The same for the disclosure ledger.
class FaultyLedgerStore final : public LedgerStore {
 public:
  FaultyLedgerStore(LedgerStore& store, std::shared_ptr<FaultPlan> plan) : store_(store), plan_(std::move(plan)) {}

  LADDER_LEDGER_FUNCTIONS(LADDER_OVERRIDE)

 private:
  LedgerStore& store_;
  std::shared_ptr<FaultPlan> plan_;
};

class FaultyReader : public Reader {
 public:
  FaultyReader(std::unique_ptr<Reader> reader, std::shared_ptr<FaultPlan> plan)
      : reader_(std::move(reader)), plan_(std::move(plan)) {}

  LADDER_READER_FUNCTIONS(LADDER_OVERRIDE)
  // Not counted.
  void expect_window(ValueId text_id, std::int64_t first, std::int64_t last) override {
    reader_->expect_window(text_id, first, last);
  }
  Result<bool> values_intact(const RecordRow& record) override { return reader_->values_intact(record); }
  Result<std::vector<AccessStatusRow>> access_statuses(OwnerNo owner, TokenNo token, std::span<const GrantNo> grants) override {
    LADDER_CHECK(plan_->next("access_statuses"));
    return reader_->access_statuses(owner, token, grants);
  }

 private:
  std::unique_ptr<Reader> reader_;
  std::shared_ptr<FaultPlan> plan_;
};

class FaultyStore : public Store {
 public:
  explicit FaultyStore(Store& store)
      : store_(store), plan_(std::make_shared<FaultPlan>()), auth_(store.auth(), plan_), ledger_(store.ledger(), plan_) {}

  FaultPlan& faults() { return *plan_; }

  std::string_view engine() const override { return store_.engine(); }
  bool is_remote() const override { return store_.is_remote(); }
  const std::vector<SealKeyRow>& seal_keys() const override { return store_.seal_keys(); }

  LADDER_STORE_FUNCTIONS(LADDER_OVERRIDE)
  Result<std::unique_ptr<Reader>> read(OwnerNo owner) override;
  Result<std::unique_ptr<Staging>> stage(OwnerNo owner, ValueId first, std::int64_t count, StreamNo stream) override;

  AuthStore& auth() override { return auth_; }
  LedgerStore& ledger() override { return ledger_; }
  std::string journal_folder() const override { return store_.journal_folder(); }

  Status prepare(const WriteTarget& target, RecordWrite& record) override;
  StoreFigures figures() const override { return store_.figures(); }
  Status measure() override { return store_.measure(); }

 private:
  Result<std::vector<std::string>> check_every_row(const CheckCallback& tell) override;
  Store& store_;
  std::shared_ptr<FaultPlan> plan_;
  FaultyAuthStore auth_;
  FaultyLedgerStore ledger_;
};

}  // namespace ladder::store::testing
