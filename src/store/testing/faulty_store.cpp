#include "store/testing/faulty_store.h"

#include "base/text/format.h"

#include <utility>

namespace ladder::store::testing {
namespace {

class FaultyStaging final : public Staging {
 public:
  FaultyStaging(std::unique_ptr<Staging> staging, std::shared_ptr<FaultPlan> plan)
      : staging_(std::move(staging)), plan_(std::move(plan)) {}

  Status begin_text(ValueId value, std::string_view field) override {
    LADDER_CHECK(plan_->next("begin_text"));
    return staging_->begin_text(value, field);
  }
  Status put_chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes) override {
    LADDER_CHECK(plan_->next("put_chunk"));
    return staging_->put_chunk(value, chunk_no, bytes);
  }
  Status put_directory_page(ValueId value, std::int64_t first, std::string_view page) override {
    LADDER_CHECK(plan_->next("put_directory_page"));
    return staging_->put_directory_page(value, first, page);
  }
  Status finish() override {
    LADDER_CHECK(plan_->next("finish"));
    return staging_->finish();
  }

 private:
  std::unique_ptr<Staging> staging_;
  std::shared_ptr<FaultPlan> plan_;
};

}  // namespace

void FaultPlan::fail_call(std::int64_t n, std::int64_t more) {
  const std::int64_t first = calls_ + n;
  last_ = first + more;
  first_ = first;
}

Status FaultPlan::next(std::string_view call) {
  const std::int64_t number = ++calls_;
  const std::int64_t first = first_;
  if (first == 0 || number < first || number > last_) return {};
  failed_ = true;
  return fail(Code::kStoreUnavailable, format("call {} of this test, {}, was made to fail", number, call));
}

#define LADDER_FORWARD(result, name, parameters, arguments) \
  result FaultyReader::name parameters {                    \
    LADDER_CHECK(plan_->next(#name));                       \
    return reader_->name arguments;                         \
  }
LADDER_READER_FUNCTIONS(LADDER_FORWARD)
#undef LADDER_FORWARD

#define LADDER_FORWARD(result, name, parameters, arguments) \
  result FaultyStore::name parameters {                     \
    LADDER_CHECK(plan_->next(#name));                       \
    return store_.name arguments;                           \
  }
LADDER_STORE_FUNCTIONS(LADDER_FORWARD)
#undef LADDER_FORWARD

Result<std::unique_ptr<Reader>> FaultyStore::read(OwnerNo owner) {
  LADDER_CHECK(plan_->next("read"));
  LADDER_TRY(auto reader, store_.read(owner));
  return std::make_unique<FaultyReader>(std::move(reader), plan_);
}

Result<std::unique_ptr<Staging>> FaultyStore::stage(OwnerNo owner, ValueId first, std::int64_t count, StreamNo stream) {
  LADDER_CHECK(plan_->next("stage"));
  LADDER_TRY(auto staging, store_.stage(owner, first, count, stream));
  return std::make_unique<FaultyStaging>(std::move(staging), plan_);
}

Status FaultyStore::prepare(const WriteTarget& target, RecordWrite& record) { return store_.prepare(target, record); }

Result<std::vector<std::string>> FaultyStore::check_every_row(const CheckCallback& tell) {
  LADDER_CHECK(plan_->next("check_invariants"));
  return store_.check_invariants(tell);
}

Result<std::optional<AuthItem>> FaultyAuthStore::find(std::string_view kind, std::string_view key) {
  LADDER_CHECK(plan_->next("find"));
  return store_.find(kind, key);
}
Result<std::vector<AuthItem>> FaultyAuthStore::list(std::string_view kind, OwnerNo owner) {
  LADDER_CHECK(plan_->next("list"));
  return store_.list(kind, owner);
}
Result<std::int64_t> FaultyAuthStore::count(std::string_view kind) {
  LADDER_CHECK(plan_->next("count"));
  return store_.count(kind);
}
Result<bool> FaultyAuthStore::apply(const AuthChange& change) {
  LADDER_CHECK(plan_->next("apply"));
  return store_.apply(change);
}
Result<std::int64_t> FaultyAuthStore::remove_expired(Instant now) {
  LADDER_CHECK(plan_->next("remove_expired"));
  return store_.remove_expired(now);
}

Result<std::vector<LedgerItem>> FaultyLedgerStore::find(std::span<const LedgerKey> keys) {
  LADDER_CHECK(plan_->next("find"));
  return store_.find(keys);
}
Result<std::vector<LedgerItem>> FaultyLedgerStore::scan(OwnerNo owner, std::string_view kind, std::string_view from,
                                                        std::string_view to, std::int64_t limit, KeyOrder order) {
  LADDER_CHECK(plan_->next("scan"));
  return store_.scan(owner, kind, from, to, limit, order);
}
Result<bool> FaultyLedgerStore::apply(const LedgerChange& change) {
  LADDER_CHECK(plan_->next("apply"));
  return store_.apply(change);
}

}  // namespace ladder::store::testing
