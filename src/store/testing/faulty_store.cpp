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

// Forwards every function of a list to a member of the class.
#define LADDER_FORWARD(type, member, result, name, parameters, arguments) \
  result type::name parameters {                                          \
    LADDER_CHECK(plan_->next(#name));                                     \
    return member name arguments;                                         \
  }
#define LADDER_FORWARD_STORE(...) LADDER_FORWARD(FaultyStore, store_., __VA_ARGS__)
#define LADDER_FORWARD_AUTH(...) LADDER_FORWARD(FaultyAuthStore, store_., __VA_ARGS__)
#define LADDER_FORWARD_LEDGER(...) LADDER_FORWARD(FaultyLedgerStore, store_., __VA_ARGS__)
#define LADDER_FORWARD_READER(...) LADDER_FORWARD(FaultyReader, reader_->, __VA_ARGS__)
LADDER_STORE_FUNCTIONS(LADDER_FORWARD_STORE)
LADDER_AUTH_FUNCTIONS(LADDER_FORWARD_AUTH)
LADDER_LEDGER_FUNCTIONS(LADDER_FORWARD_LEDGER)
LADDER_READER_FUNCTIONS(LADDER_FORWARD_READER)

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

}  // namespace ladder::store::testing
