// A store for fault injection. It forwards every call to a real store and counts it, including the calls of its readers
// and stagings. Chosen calls fail with kStoreUnavailable before they reach the real store. As thread-safe as the store it wraps.
#pragma once

#include "store/auth_store.h"
#include "store/ledger_store.h"
#include "store/store.h"

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

  Result<std::optional<AuthItem>> find(std::string_view kind, std::string_view key) override;
  Result<std::vector<AuthItem>> list(std::string_view kind, OwnerNo owner) override;
  Result<std::int64_t> count(std::string_view kind) override;
  Result<bool> apply(const AuthChange& change) override;
  Result<std::int64_t> remove_expired(Instant now) override;

 private:
  AuthStore& store_;
  std::shared_ptr<FaultPlan> plan_;
};

// The same for the disclosure ledger.
class FaultyLedgerStore final : public LedgerStore {
 public:
  FaultyLedgerStore(LedgerStore& store, std::shared_ptr<FaultPlan> plan) : store_(store), plan_(std::move(plan)) {}

  Result<std::vector<LedgerItem>> find(std::span<const LedgerKey> keys) override;
  Result<std::vector<LedgerItem>> scan(OwnerNo owner, std::string_view kind, std::string_view from, std::string_view to,
                                       std::int64_t limit, KeyOrder order) override;
  Result<bool> apply(const LedgerChange& change) override;

 private:
  LedgerStore& store_;
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

  Result<OwnerRow> add_owner(std::string_view name, Instant now) override;
  Result<std::optional<OwnerRow>> find_owner(std::string_view name) override;
  Result<std::vector<OwnerRow>> owners() override;
  Result<Catalog> catalog(OwnerNo owner) override;
  Result<SourceRow> put_source(OwnerNo owner, const SourceRow& source, std::span<const StreamFields> streams) override;
  Result<ConnectionRow> add_connection(OwnerNo owner, const ConnectionRow& connection,
                                       std::span<const std::string> streams) override;

  Status add_grants(OwnerNo owner, std::span<const NewGrant> grants, const NewToken& token) override;
  Status add_token(OwnerNo owner, const NewToken& token) override;
  Result<std::optional<TokenRow>> find_token(const Digest& hash) override;
  Result<std::vector<GrantRow>> grants(OwnerNo owner) override;
  Result<std::optional<GrantRow>> find_grant(OwnerNo owner, std::string_view grant_id) override;
  Result<GrantRow> revoke_grant(OwnerNo owner, std::string_view grant_id, Instant now, Deadline wait_limit) override;
  Result<AccessStatusRow> access_status(const Guard& guard) override;
  Result<std::vector<TokenRow>> owner_tokens(OwnerNo owner) override;
  Result<TokenRow> revoke_owner_token(OwnerNo owner, TokenNo token, Instant now) override;
  Status record_grant_uses(std::span<const GrantUse> uses) override;
  Result<std::optional<std::string>> declaration(OwnerNo owner, std::string_view source_id, std::string_view version) override;

  AuthStore& auth() override { return auth_; }
  LedgerStore& ledger() override { return ledger_; }
  std::string journal_folder() const override { return store_.journal_folder(); }

  Result<std::unique_ptr<Reader>> read(OwnerNo owner) override;

  Result<ValueId> reserve_values(OwnerNo owner, std::int64_t count) override;
  Result<std::unique_ptr<Staging>> stage(OwnerNo owner, ValueId first, std::int64_t count, StreamNo stream) override;
  Status prepare(const WriteTarget& target, RecordWrite& record) override;
  Result<std::vector<Outcome>> write(const WriteTarget& target, std::span<RecordWrite> records, Instant now) override;
  Result<bool> reindex(Deadline deadline) override;
  Status clear_word_index() override;
  Status add_blob(OwnerNo owner, const BlobRow& blob) override;
  Status add_blobs(OwnerNo owner, std::span<const BlobBytes> blobs) override;
  Result<std::optional<BlobRow>> find_blob(OwnerNo owner, const Digest& digest) override;
  Status put_import(OwnerNo owner, ConnectionNo connection, const ImportRow& import) override;
  Result<std::vector<ImportRow>> imports(OwnerNo owner, ConnectionNo connection) override;
  Status delete_imports(OwnerNo owner, ConnectionNo connection) override;
  Status set_connection_status(OwnerNo owner, ConnectionNo connection, std::string_view status) override;
  Result<bool> drop_connection(OwnerNo owner, ConnectionNo connection, Deadline deadline) override;
  Result<std::int64_t> compact() override;
  Status keep_note(std::string_view name, std::string_view text) override;
  Result<std::optional<std::string>> note(std::string_view name) override;
  Result<std::string> describe() override;
  StoreFigures figures() const override { return store_.figures(); }

  Result<SweepReport> sweep(Instant now, Deadline deadline) override;

 private:
  Result<std::vector<std::string>> check_every_row(const CheckCallback& tell) override;
  Store& store_;
  std::shared_ptr<FaultPlan> plan_;
  FaultyAuthStore auth_;
  FaultyLedgerStore ledger_;
};

}  // namespace ladder::store::testing
