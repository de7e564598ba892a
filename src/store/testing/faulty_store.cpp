#include "store/testing/faulty_store.h"

#include "base/text/format.h"

#include <utility>

namespace ladder::store::testing {
namespace {

class FaultyReader final : public Reader {
 public:
  FaultyReader(std::unique_ptr<Reader> reader, std::shared_ptr<FaultPlan> plan)
      : reader_(std::move(reader)), plan_(std::move(plan)) {}

  Result<GuardedRecords> records(const Guard& guard, std::span<const StreamNo> streams, std::string_view key) override {
    LADDER_CHECK(plan_->next("records"));
    return reader_->records(guard, streams, key);
  }
  Result<std::vector<AccessStatusRow>> access_statuses(OwnerNo owner, TokenNo token, std::span<const GrantNo> grants) override {
    LADDER_CHECK(plan_->next("access_statuses"));
    return reader_->access_statuses(owner, token, grants);
  }
  Result<std::vector<std::string>> chunks(ValueId text_id, std::int64_t first, std::int64_t last) override {
    LADDER_CHECK(plan_->next("chunks"));
    return reader_->chunks(text_id, first, last);
  }
  Result<std::int64_t> each_chunk(ValueId text_id, std::int64_t first, std::int64_t last, const UseChunk& use) override {
    LADDER_CHECK(plan_->next("each_chunk"));
    return reader_->each_chunk(text_id, first, last, use);
  }
  void expect_window(ValueId text_id, std::int64_t first, std::int64_t last) override {
    reader_->expect_window(text_id, first, last);  // a hint, not a counted call
  }
  Result<std::optional<std::string>> directory_page(ValueId value, std::int64_t key) override {
    LADDER_CHECK(plan_->next("directory_page"));
    return reader_->directory_page(value, key);
  }
  Result<bool> values_intact(const RecordRow& record) override { return reader_->values_intact(record); }
  Result<StreamCounters> counters(StreamNo stream) override {
    LADDER_CHECK(plan_->next("counters"));
    return reader_->counters(stream);
  }
  Result<std::vector<RecordRow>> page(StreamNo stream, std::string_view after, bool descending, std::int64_t limit) override {
    LADDER_CHECK(plan_->next("page"));
    return reader_->page(stream, after, descending, limit);
  }
  Result<std::vector<RecordRow>> page_by_key(StreamNo stream, std::string_view after, bool descending,
                                             std::int64_t limit) override {
    LADDER_CHECK(plan_->next("page_by_key"));
    return reader_->page_by_key(stream, after, descending, limit);
  }
  Result<std::vector<ChangeRow>> changes(StreamNo stream, std::span<const FieldNo> fields, std::int64_t since, std::int64_t upto,
                                         std::int64_t limit) override {
    LADDER_CHECK(plan_->next("changes"));
    return reader_->changes(stream, fields, since, upto, limit);
  }
  Result<std::vector<IndexedRow>> index_page(IndexNo index, const IndexRange& range, bool descending,
                                             std::int64_t limit) override {
    LADDER_CHECK(plan_->next("index_page"));
    return reader_->index_page(index, range, descending, limit);
  }
  Result<std::optional<std::string>> last_order_key(StreamNo stream, const IndexRange& range) override {
    LADDER_CHECK(plan_->next("last_order_key"));
    return reader_->last_order_key(stream, range);
  }
  Result<std::int64_t> index_count(IndexNo index, const IndexRange& range, std::int64_t limit) override {
    LADDER_CHECK(plan_->next("index_count"));
    return reader_->index_count(index, range, limit);
  }
  Result<std::int64_t> order_count(StreamNo stream, const IndexRange& range, std::int64_t limit) override {
    LADDER_CHECK(plan_->next("order_count"));
    return reader_->order_count(stream, range, limit);
  }
  Result<std::vector<DayCount>> index_days(IndexNo index, std::int64_t first, std::int64_t last) override {
    LADDER_CHECK(plan_->next("index_days"));
    return reader_->index_days(index, first, last);
  }
  Result<std::vector<RecordRow>> records_with_blob(const Digest& blob, RecordNo after, std::int64_t limit) override {
    LADDER_CHECK(plan_->next("records_with_blob"));
    return reader_->records_with_blob(blob, after, limit);
  }
  Result<WordPage> search(const WordSearch& search) override {
    LADDER_CHECK(plan_->next("search"));
    return reader_->search(search);
  }

 private:
  std::unique_ptr<Reader> reader_;
  std::shared_ptr<FaultPlan> plan_;
};

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

Result<OwnerRow> FaultyStore::add_owner(std::string_view name, Instant now) {
  LADDER_CHECK(plan_->next("add_owner"));
  return store_.add_owner(name, now);
}

Result<std::optional<OwnerRow>> FaultyStore::find_owner(std::string_view name) {
  LADDER_CHECK(plan_->next("find_owner"));
  return store_.find_owner(name);
}

Result<std::vector<OwnerRow>> FaultyStore::owners() {
  LADDER_CHECK(plan_->next("owners"));
  return store_.owners();
}

Result<Catalog> FaultyStore::catalog(OwnerNo owner) {
  LADDER_CHECK(plan_->next("catalog"));
  return store_.catalog(owner);
}

Result<SourceRow> FaultyStore::put_source(OwnerNo owner, const SourceRow& source, std::span<const StreamFields> streams) {
  LADDER_CHECK(plan_->next("put_source"));
  return store_.put_source(owner, source, streams);
}

Result<ConnectionRow> FaultyStore::add_connection(OwnerNo owner, const ConnectionRow& connection,
                                                  std::span<const std::string> streams) {
  LADDER_CHECK(plan_->next("add_connection"));
  return store_.add_connection(owner, connection, streams);
}

Status FaultyStore::add_grants(OwnerNo owner, std::span<const NewGrant> grants, const NewToken& token) {
  LADDER_CHECK(plan_->next("add_grants"));
  return store_.add_grants(owner, grants, token);
}

Status FaultyStore::add_token(OwnerNo owner, const NewToken& token) {
  LADDER_CHECK(plan_->next("add_token"));
  return store_.add_token(owner, token);
}

Result<std::optional<TokenRow>> FaultyStore::find_token(const Digest& hash) {
  LADDER_CHECK(plan_->next("find_token"));
  return store_.find_token(hash);
}

Result<std::vector<GrantRow>> FaultyStore::grants(OwnerNo owner) {
  LADDER_CHECK(plan_->next("grants"));
  return store_.grants(owner);
}

Result<std::optional<GrantRow>> FaultyStore::find_grant(OwnerNo owner, std::string_view grant_id) {
  LADDER_CHECK(plan_->next("find_grant"));
  return store_.find_grant(owner, grant_id);
}

Result<GrantRow> FaultyStore::revoke_grant(OwnerNo owner, std::string_view grant_id, Instant now, Deadline wait_limit) {
  LADDER_CHECK(plan_->next("revoke_grant"));
  return store_.revoke_grant(owner, grant_id, now, wait_limit);
}

Result<AccessStatusRow> FaultyStore::access_status(const Guard& guard) {
  LADDER_CHECK(plan_->next("access_status"));
  return store_.access_status(guard);
}

Result<std::vector<TokenRow>> FaultyStore::owner_tokens(OwnerNo owner) {
  LADDER_CHECK(plan_->next("owner_tokens"));
  return store_.owner_tokens(owner);
}

Result<TokenRow> FaultyStore::revoke_owner_token(OwnerNo owner, TokenNo token, Instant now) {
  LADDER_CHECK(plan_->next("revoke_owner_token"));
  return store_.revoke_owner_token(owner, token, now);
}

Status FaultyStore::record_grant_uses(std::span<const GrantUse> uses) {
  LADDER_CHECK(plan_->next("record_grant_uses"));
  return store_.record_grant_uses(uses);
}

Result<std::optional<std::string>> FaultyStore::declaration(OwnerNo owner, std::string_view source_id, std::string_view version) {
  LADDER_CHECK(plan_->next("declaration"));
  return store_.declaration(owner, source_id, version);
}

Result<std::unique_ptr<Reader>> FaultyStore::read() {
  LADDER_CHECK(plan_->next("read"));
  LADDER_TRY(auto reader, store_.read());
  return std::make_unique<FaultyReader>(std::move(reader), plan_);
}

Result<ValueId> FaultyStore::reserve_values(std::int64_t count) {
  LADDER_CHECK(plan_->next("reserve_values"));
  return store_.reserve_values(count);
}

Result<std::unique_ptr<Staging>> FaultyStore::stage(ValueId first, std::int64_t count, StreamNo stream) {
  LADDER_CHECK(plan_->next("stage"));
  LADDER_TRY(auto staging, store_.stage(first, count, stream));
  return std::make_unique<FaultyStaging>(std::move(staging), plan_);
}

Status FaultyStore::prepare(const WriteTarget& target, RecordWrite& record) { return store_.prepare(target, record); }

Result<std::vector<Outcome>> FaultyStore::write(const WriteTarget& target, std::span<RecordWrite> records, Instant now) {
  LADDER_CHECK(plan_->next("write"));
  return store_.write(target, records, now);
}

Result<bool> FaultyStore::reindex(Deadline deadline) {
  LADDER_CHECK(plan_->next("reindex"));
  return store_.reindex(deadline);
}

Status FaultyStore::clear_word_index() {
  LADDER_CHECK(plan_->next("clear_word_index"));
  return store_.clear_word_index();
}

Status FaultyStore::add_blob(OwnerNo owner, const BlobRow& blob) {
  LADDER_CHECK(plan_->next("add_blob"));
  return store_.add_blob(owner, blob);
}

Status FaultyStore::add_blobs(OwnerNo owner, std::span<const BlobBytes> blobs) {
  LADDER_CHECK(plan_->next("add_blobs"));
  return store_.add_blobs(owner, blobs);
}

Result<std::optional<BlobRow>> FaultyStore::find_blob(OwnerNo owner, const Digest& digest) {
  LADDER_CHECK(plan_->next("find_blob"));
  return store_.find_blob(owner, digest);
}

Status FaultyStore::put_import(ConnectionNo connection, const ImportRow& import) {
  LADDER_CHECK(plan_->next("put_import"));
  return store_.put_import(connection, import);
}

Result<std::vector<ImportRow>> FaultyStore::imports(ConnectionNo connection) {
  LADDER_CHECK(plan_->next("imports"));
  return store_.imports(connection);
}

Status FaultyStore::delete_imports(ConnectionNo connection) {
  LADDER_CHECK(plan_->next("delete_imports"));
  return store_.delete_imports(connection);
}

Status FaultyStore::set_connection_status(OwnerNo owner, ConnectionNo connection, std::string_view status) {
  LADDER_CHECK(plan_->next("set_connection_status"));
  return store_.set_connection_status(owner, connection, status);
}

Result<bool> FaultyStore::drop_connection(OwnerNo owner, ConnectionNo connection, Deadline deadline) {
  LADDER_CHECK(plan_->next("drop_connection"));
  return store_.drop_connection(owner, connection, deadline);
}

Result<std::int64_t> FaultyStore::compact() {
  LADDER_CHECK(plan_->next("compact"));
  return store_.compact();
}

Status FaultyStore::keep_note(std::string_view name, std::string_view text) {
  LADDER_CHECK(plan_->next("keep_note"));
  return store_.keep_note(name, text);
}

Result<std::optional<std::string>> FaultyStore::note(std::string_view name) {
  LADDER_CHECK(plan_->next("note"));
  return store_.note(name);
}

Result<std::string> FaultyStore::describe() {
  LADDER_CHECK(plan_->next("describe"));
  return store_.describe();
}

Result<SweepReport> FaultyStore::sweep(Instant now, Deadline deadline) {
  LADDER_CHECK(plan_->next("sweep"));
  return store_.sweep(now, deadline);
}

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
