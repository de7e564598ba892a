// The resource server: the only way to data. Every operation takes an Access and checks it before a byte is read; what a grant
// does not allow never leaves this class. Thread-safe; holds no state beyond caches of immutable things.
#pragma once

#include "api/blob.h"
#include "api/field_window.h"
#include "api/records.h"
#include "api/resource_port.h"
#include "api/schema.h"
#include "api/search.h"
#include "base/error/error.h"
#include "base/limits.h"
#include "base/time/time.h"
#include "crypto/seal.h"
#include "grant/named_fields.h"
#include "server/access/access.h"
#include "server/access/grant_cache.h"
#include "server/catalog/catalog.h"
#include "server/changes/watch.h"
#include "server/ingest/ingest.h"
#include "server/ledger/ledger.h"
#include "server/owner/erase.h"
#include "server/owner/export.h"
#include "server/search/search_plan.h"
#include "server/window/window_cursor.h"
#include "store/auth_store.h"
#include "store/backup.h"
#include "store/store.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::server {

// A --stream of `ladder grant create`: without a connection it covers every active connection that has the stream.
struct GrantSelection {
  std::string connection_id;        // empty: all
  std::string stream;               // "*" with a connection: every stream of it
  std::vector<std::string> fields;  // empty: all declared
  std::optional<Instant> since, until;
  std::vector<std::string> records;  // canonical keys; empty: all
};

struct GrantTerms {
  std::optional<Instant> expires_at = {};
  bool single_use = false;
  std::string purpose_code = {};  // empty: https://pdpp.dev/purpose/agent_context
  std::string purpose_description = {};
};

// Its own terms apply to every source that `by_source` does not list.
struct GrantRequest : GrantTerms {
  std::string client_id;
  std::vector<GrantSelection> streams;
  std::map<std::string, GrantTerms> by_source = {};  // by the source's id
};

struct IssuedGrants {
  std::vector<std::string> grant_ids;  // one per source
  std::string token;                   // shown once; only its hash is kept
};

// Grants as they would be issued: resolved, checked and not kept. What they show is read through draft_access().
struct DraftGrants {
  std::vector<grant::Grant> grants;  // one per source
  std::vector<store::NewGrant> rows;
  std::optional<Instant> ends_at;  // of a token bound to all of them
};

// A grant that takes the place of another.
struct Reissue {
  std::string old_id;
  std::optional<grant::Grant> grant;  // nothing: the old one ends
  store::NewGrant row = {};
};

struct GrantSummary {
  store::GrantRow row;
  grant::Grant grant;
  std::string status;  // active, expired or revoked
  std::vector<grant::FieldOrigin>
      origins;  // one per stream, in their order: what was named and what was added; none of a revocation

  bool is_widened() const;  // a field that is no key was added, and nobody named it
};

// When an owner's token ends: after a year unless said otherwise.
struct TokenEnd {
  std::optional<Instant> at = {};
  bool never = false;
};

// An owner's token, without the token itself.
struct OwnerToken {
  std::string token_id;  // token_id() of server/access/token.h
  Instant created_at = 0;
  std::optional<Instant> expires_at, revoked_at;
  std::string status;  // active, expired or revoked
};

struct AddedSource {
  std::string source_id;
  std::string key;
  std::vector<std::string> unenforced;  // schema keywords that are accepted but not enforced
  bool indexed = false;                 // every record is in the indexes it asks for; else reindex() has more to do
  // Required fields that are no part of their stream's key: every grant of the stream has them, whatever it names.
  struct StreamFields {
    std::string stream;
    std::vector<std::string> fields;
  };
  std::vector<StreamFields> always_granted = {};
};

struct ConnectionSummary {
  std::string connection_id, source_key, source_id, display_name, status;
  Instant created_at = 0;
  struct StreamCount {
    std::string stream;
    std::int64_t records = 0;
  };
  std::vector<StreamCount> streams;
};

struct TokenFacts {
  bool active = false;
  std::string inactive_reason;  // token_expired, token_revoked, grant_expired or grant_revoked; empty when the token is unknown
  store::TokenKind kind = store::TokenKind::kClient;
  std::string subject, client_id;
  std::optional<Instant> expires_at;
  std::vector<grant::Grant> grants;                           // of an active client token, those that stand
  std::vector<std::vector<grant::FieldOrigin>> origins = {};  // of each of them
};

class ResourceServer {
 public:
  ResourceServer(store::Store& store, const Clock& clock, LedgerOptions ledger = {});

  // --- access ---
  // kAuthentication; kGrantRevoked or kGrantExpired when no grant stands. What another process revoked may pass here for a
  // second; no operation does anything with it.
  Result<Access> authenticate(std::string_view token);
  // Recalls from memory whose token it was when it was used last: tells whose turn it is, never what may be done.
  std::optional<KnownCaller> recall(std::string_view token) const;
  Result<Access> owner_at_machine(std::string_view owner_name);  // whoever can open the store file is its owner; kNotSetUp
  // 32 secret bytes of the store: every process over it fences an owner's text alike (design D13).
  std::string fence_key() const { return sealer_.keyed_hash("mcp-fence", {}); }
  // Throws no error for a live access; used before the first byte of an answer that took long (design D16).
  Status check_access_still_valid(const Access& access);

  // --- owner's set-up (kPermission for a client's access) ---
  Result<AddedSource> add_source(const Access& access, std::string_view declaration_json, std::string_view key);
  Result<ConnectionSummary> add_connection(const Access& access, std::string_view source_key, std::string_view display_name,
                                           std::string_view connection_id);
  Result<std::vector<ConnectionSummary>> connections(const Access& access);
  Result<ConnectionSummary> connection(const Access& access, std::string_view connection_id);
  Result<IssuedGrants> create_grants(const Access& access, const GrantRequest& request);
  // Makes the grants that create_grants would issue now, and keeps nothing.
  Result<DraftGrants> draft_grants(const Access& access, const GrantRequest& request);
  // An Access that reads what a client with these grants would read, by the same code (design D26). It holds no token, so that
  // nobody but its maker can have it, and it must not outlive the answer it is made for.
  Result<Access> draft_access(const Access& access, const DraftGrants& draft);
  // A grant anew under an id of its own, for reissue(): kInvalidRequest when it is wider than `old` in anything but its end.
  Result<Reissue> draft_reissue(const Access& access, const GrantSummary& old, grant::Grant changed);
  // Drafts take the place of their grants in one transaction, together with `along`: whoever has a token goes on with it. Their
  // budgets go over, with what was shown today; `chars_a_day` sets another for all of them together. False when an item of
  // `along` has changed meanwhile, kConflict when a grant has ended meanwhile: nothing was done.
  Result<bool> reissue(const Access& access, std::span<const Reissue> drafts, std::optional<std::int64_t> chars_a_day,
                       store::AuthChange along);
  // An Access that reads what this client reads now, by the same code: the grants of it that stand. Where two of them give some
  // of the same records, the newer one counts. Like a draft it holds no token: nothing that is read with it is a disclosure, and
  // it must not outlive the answer it is made for. Without a grant it reads nothing.
  Result<Access> access_as_client(const Access& access, std::string_view client_id);
  // Ends every client's access at once: this process refuses from memory first, and the store tells all others. How many grants
  // stood.
  Result<std::int64_t> end_all_access(const Access& access);
  // Lets changes of tokens and grants by another part of this process hold from the next request on.
  void forget_accesses() { accesses_.forget_all(); }
  // kInvalidRequest for an end that has passed.
  Result<std::string> create_owner_token(const Access& access, const TokenEnd& end = {});
  Result<std::vector<OwnerToken>> owner_tokens(const Access& access);
  Result<OwnerToken> revoke_owner_token(const Access& access, std::string_view token_id);  // kNotFound
  Result<std::vector<GrantSummary>> grants(const Access& access);
  Result<GrantSummary> grant(const Access& access, std::string_view grant_id);
  // Ends a grant at once: this process refuses it from the first moment on, reads under way included, and then writes it down,
  // which every other process over the store sees. When it cannot be written within the wait limit (kStoreUnavailable) this
  // process goes on refusing it, and write_revocations() tries again.
  Result<GrantSummary> revoke_grant(const Access& access, std::string_view grant_id,
                                    Deadline wait_limit = Deadline::after(std::chrono::milliseconds(limits::kWriterQueueMs)));
  bool refuses_from_memory(const Access& access, std::string_view grant_id) const {
    return revocations_.has(access.owner(), grant_id);
  }
  bool has_unwritten_revocations() const { return !revocations_.empty(); }
  Status write_revocations();

  // When grants were last used, to about an hour. A use is noted in memory; keep_uses() writes what is new and may wait for other
  // writers, so no request does it.
  void note_use(const Access& access);
  Status keep_uses();

  // --- ingest (owner only); see ingest.h ---
  Result<IngestReport> ingest(const Access& access, const IngestTarget& target, LineSource& lines, IngestObserver& observer);
  // Content-addressed; the facts of what is stored now, which keeps the MIME type it came with first.
  Result<api::Blob> put_blob(const Access& access, std::string_view mime_type, ByteSource& bytes);
  // Several at once, which for small ones costs hardly more than one. A database that went away is waited for as the observer
  // says.
  struct NewBlob {
    std::string mime_type, bytes;
  };
  Status put_blobs(const Access& access, std::span<const NewBlob> blobs, IngestObserver& observer);
  Result<store::SweepReport> sweep(const Access& access, Deadline deadline);

  // The account of a part of an import: a text of its own making, at most kMaxImportBytes. kConnectionNotFound.
  static constexpr std::size_t kMaxImportBytes = 16 * 1024 * 1024;
  Status keep_import(const Access& access, std::string_view connection_id, std::string_view unit, std::string_view body);
  Result<std::vector<store::ImportRow>> imports(const Access& access, std::string_view connection_id);

  // --- export (owner only); see export.h ---
  Result<std::vector<SourceDocument>> sources(const Access& access);
  // kConnectionNotFound, kStreamNotDeclared, and whatever `out` fails with.
  Status export_stream(const Access& access, std::string_view connection_id, std::string_view stream, RecordsOut& out);

  // Erases one record for good; fine when it is not there. No read finds it any more; true: its bytes are gone from the store's
  // files as well, false: they go with the next sweeps.
  Result<bool> erase_record(const Access& access, const model::RecordRef& record);
  // Says whether the bytes of everything that was erased are gone, and goes on with removing them for a moment.
  Result<bool> erasures_cleared(const Access& access);
  // Every record of a stream in one connection, in short transactions; returns how many there were. `stop` ends it between two.
  Result<std::int64_t> erase_stream(const Access& access, std::string_view connection_id, std::string_view stream,
                                    std::stop_token stop = {});
  // Everything of a connection for good, and itself; see erase.h. kConnectionNotFound; kCancelled when the observer wants to
  // stop: the same again goes on. Grants that name no other connection are revoked.
  Result<Erasure> erase_connection(const Access& access, std::string_view connection_id, ErasureObserver& observer);
  Status check_store();  // the store answers, and is of the schema that this program knows
  // A sentence for every rule of the store that does not hold, and what the store is, for people. Takes as long as reading it.
  Result<std::vector<std::string>> check_integrity(const store::TellStep& tell = {}) { return store_.check_invariants(tell); }
  Result<std::string> describe_store() { return store_.describe(); }
  Result<std::optional<store::BackupNote>> last_backup(const Access& access);  // owner only; nothing: none is known
  // Figures of this process for whoever runs it; none of them tells anything of an owner.
  struct Figures {
    store::StoreFigures store;
    LedgerFigures ledger;
    IngestFigures ingest;
  };
  Figures figures() const { return {store_.figures(), ledger_.figures(), ingest_counts_.figures()}; }
  // Has the store index and search what the declarations of all owners ask for by the rules of this program; after a migration.
  Status renew_sources();
  Result<bool> reindex(const Access& access, Deadline deadline);  // goes on with indexes that are being built; true: all are
  Status empty_words(const Access& access);                       // the word index; reindex() makes it anew from the records

  // Tells what a token of this owner is good for (RFC 7662). Nothing is an error: what does not stand is inactive.
  Result<TokenFacts> introspect(const Access& access, std::string_view token);

  // --- the disclosure ledger (owner only; ledger/ledger.h says what each returns) ---
  Result<LedgerPage> ledger(const Access& access, const LedgerQuery& query);
  Result<std::vector<SeenRecord>> ledger_seen(const Access& access, const LedgerQuery& query);
  Result<std::vector<SeenSum>> ledger_sums(const Access& access);
  Result<std::vector<LedgerUse>> ledger_uses(const Access& access, std::int64_t first_day, std::int64_t last_day);
  struct LedgerState {
    LedgerSettings settings;
    std::vector<LedgerDay> days;
    std::vector<ErasedCount> erased;
  };
  Result<LedgerState> ledger_state(const Access& access);
  Status set_ledger(const Access& access, const LedgerSettings& settings);
  Result<std::map<std::string, ReadBudget>> budgets(const Access& access);
  // Characters a day that a grant may be shown, and bytes of files that are not text; nullopt: as many as it asks for. kNotFound.
  Status set_budget(const Access& access, std::string_view grant_id, std::optional<std::int64_t> chars_a_day,
                    std::optional<std::int64_t> bytes_a_day = {});
  // One budget that grants share. Also of a draft that is not issued yet, so that no read comes before its budget.
  Status share_budget(const Access& access, std::span<const std::string> grant_ids, std::optional<std::int64_t> chars_a_day);
  Result<std::vector<std::string>> check_ledger(const Access& access);
  // Journals into the store, and what has expired out of it. Whoever serves clients does the first every second.
  Status sweep_ledger() { return ledger_.sweep(); }
  Status expire_ledger();

  // --- reads ---
  // A page of a stream, or of its changes. `stop` ends long work with kCancelled, here and below.
  Result<api::RecordsPage> records(const Access& access, const api::RecordsRequest& request, std::stop_token stop = {});
  Result<api::Record> record(const Access& access, const api::RecordRequest& request);
  Result<api::AggregateResult> aggregate(const Access& access, const api::AggregateRequest& request, std::stop_token stop = {});
  // Hits over everything the caller may read, best first, with the text that proves them. kInvalidRequest for words that can't be
  // looked for, kStreamNotAllowed, kConnectionNotFound, kDeadline; cursors as for records.
  Result<api::SearchPage> search(const Access& access, const api::SearchRequest& request, std::stop_token stop = {});
  // kBlobNotFound unless a record that the caller may see names it in a granted blob_ref.
  Result<api::Blob> blob(const Access& access, const api::BlobRequest& request);
  Result<api::SchemaView> schema(const Access& access, const api::SchemaRequest& request);
  // Says whether a window may take long to find: a search, or a cursor that goes on with one.
  bool may_search(const model::WindowArguments& window) const;
  Result<api::FieldWindow> field_window(const Access& access, const api::FieldWindowRequest& request, std::stop_token stop = {});
  // Watches the caller's data for changes; see watch.h. Must not outlive the server.
  std::unique_ptr<api::Watch> watch(const Access& access);

 private:
  Status require_owner(const Access& access);  // kPermission for a client, kAuthentication for a token that no longer stands
  Status check_unclaimed(const Access& access, std::string_view connection_id);  // kConflict when a grant that stands names it
  Result<std::vector<GrantSummary>> summarize(store::OwnerNo owner, std::vector<store::GrantRow> rows);
  Result<api::RecordsPage> changes(const Access& access, const api::RecordsRequest& request, std::stop_token stop);

  store::Store& store_;
  const Clock& clock_;
  crypto::Sealer sealer_;
  CatalogCache catalogs_;
  Ledger ledger_;
  GrantCache parsed_grants_;
  AccessCache accesses_;
  Revocations revocations_;
  GrantUses uses_;
  WindowHints window_hints_;
  SearchPlans search_plans_;
  StreamVersions stream_versions_;
  IngestCounts ingest_counts_;
};

// The port of one caller in this process.
class LocalPort final : public api::ResourcePort {
 public:
  LocalPort(ResourceServer& server, Access access) : server_(server), access_(std::move(access)) {}

  Result<api::SchemaView> schema(const api::SchemaRequest& request, std::stop_token) override {
    return server_.schema(access_, request);
  }
  Result<api::RecordsPage> records(const api::RecordsRequest& request, std::stop_token stop) override {
    return server_.records(access_, request, stop);
  }
  Result<api::Record> record(const api::RecordRequest& request, std::stop_token) override {
    return server_.record(access_, request);
  }
  Result<api::AggregateResult> aggregate(const api::AggregateRequest& request, std::stop_token stop) override {
    return server_.aggregate(access_, request, stop);
  }
  Result<api::SearchPage> search(const api::SearchRequest& request, std::stop_token stop) override {
    return server_.search(access_, request, stop);
  }
  Result<api::FieldWindow> field_window(const api::FieldWindowRequest& request, std::stop_token stop) override {
    return server_.field_window(access_, request, stop);
  }
  Result<api::Blob> blob(const api::BlobRequest& request, std::stop_token) override { return server_.blob(access_, request); }
  std::unique_ptr<api::Watch> watch() override { return server_.watch(access_); }
  std::unique_ptr<api::ResourcePort> for_call(std::string_view name, std::string_view request_id) override {
    Access named = access_;
    named.set_call({access_.call().door, std::string(name), std::string(request_id)});
    return std::make_unique<LocalPort>(server_, std::move(named));
  }

 private:
  ResourceServer& server_;
  Access access_;
};

}  // namespace ladder::server
