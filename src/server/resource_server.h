// The resource server is the only way to data. Every operation takes an Access and checks it before reading; data
// outside the grant never leaves this class. Thread-safe; its only state is caches.
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
#include "store/engines/backup.h"
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

// A --stream argument of `ladder grant create`. Without a connection it covers every active connection that has the
// stream.
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

// The inherited terms apply to every source that is not in `by_source`.
struct GrantRequest : GrantTerms {
  std::string client_id;
  std::vector<GrantSelection> streams;
  std::map<std::string, GrantTerms> by_source = {};  // keyed by source id
};

struct IssuedGrants {
  std::vector<std::string> grant_ids;  // one per source
  std::string token;                   // shown once; only its hash is kept
};

// Grants as they would be issued: resolved and checked, but not stored. draft_access() reads what they would show.
struct DraftGrants {
  std::vector<grant::Grant> grants;  // one per source
  std::vector<store::NewGrant> rows;
  std::optional<Instant> ends_at;  // expiry of a token bound to all of them
};

// A grant that replaces another.
struct Reissue {
  std::string old_id;
  std::optional<grant::Grant> grant;  // nullopt: the old grant is revoked without a replacement
  store::NewGrant row = {};
};

struct GrantSummary {
  store::GrantRow row;
  grant::Grant grant;
  std::string status;                       // active, expired or revoked
  std::vector<grant::FieldOrigin> origins;  // requested and added fields, one per stream in order; empty for a revocation

  bool is_widened() const;  // a non-key field was added that was not requested
};

// The expiry of an owner token; one year by default.
struct TokenExpiry {
  std::optional<Instant> at = {};
  bool never = false;
};

// Describes an owner token without the token itself.
struct OwnerToken {
  std::string token_id;  // see token_id() in server/access/token.h
  Instant created_at = 0;
  std::optional<Instant> expires_at, revoked_at;
  std::string status;  // active, expired or revoked
};

struct AddedSource {
  std::string source_id;
  std::string key;
  std::vector<std::string> unenforced;  // schema keywords that are accepted but not enforced
  bool indexed = false;                 // every requested index is complete; otherwise call reindex()
  // Required fields outside the stream's key. Every grant of the stream includes them.
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

struct TokenInfo {
  bool active = false;
  std::string inactive_reason;  // token_expired, token_revoked, grant_expired or grant_revoked; empty for an unknown token
  store::TokenKind kind = store::TokenKind::kClient;
  std::string subject, client_id;
  std::optional<Instant> expires_at;
  std::vector<grant::Grant> grants;                           // the active grants of an active client token
  std::vector<std::vector<grant::FieldOrigin>> origins = {};  // one list per grant
};

class ResourceServer {
 public:
  ResourceServer(store::Store& store, const Clock& clock, LedgerOptions ledger = {});

  // --- access ---
  // Returns kAuthentication, or kGrantRevoked or kGrantExpired if no grant is active. A revocation by another process
  // may be missed here for a second; every operation checks again when it reads.
  Result<Access> authenticate(std::string_view token);
  // Returns the cached owner of a recently used token. Use it for fair scheduling only, never for authorization.
  std::optional<KnownCaller> recall(std::string_view token) const;
  Result<Access> local_owner(
      std::string_view owner_name);  // any process that can open the store file acts as its owner; kNotSetUp
  // Returns 32 secret bytes of the store, so that every process on it fences an owner's text the same way (design
  // D13).
  std::string fence_key() const { return sealer_.keyed_hash("mcp-fence", {}); }
  // Succeeds if the access is still valid. Call it before the first byte of a slow response (design D16).
  Status check_access_still_valid(const Access& access);

  // --- owner's set-up (kPermission for a client's access) ---
  Result<AddedSource> add_source(const Access& access, std::string_view declaration_json, std::string_view key);
  Result<ConnectionSummary> add_connection(const Access& access, std::string_view source_key, std::string_view display_name,
                                           std::string_view connection_id);
  Result<std::vector<ConnectionSummary>> connections(const Access& access);
  Result<ConnectionSummary> connection(const Access& access, std::string_view connection_id);
  Result<IssuedGrants> create_grants(const Access& access, const GrantRequest& request);
  // Resolves the grants that create_grants would issue now, without storing them.
  Result<DraftGrants> draft_grants(const Access& access, const GrantRequest& request);
  // Returns an Access that reads what a client with these grants would read, through the same code (design D26). It
  // holds no token, and it must not outlive the response it is built for.
  Result<Access> draft_access(const Access& access, const DraftGrants& draft);
  // Builds a changed grant under a new id for reissue(). Returns kInvalidRequest if it is wider than `old` in
  // anything but its expiry.
  Result<Reissue> draft_reissue(const Access& access, const GrantSummary& old, grant::Grant changed);
  // Replaces grants by drafts and applies `along`, in one transaction; existing tokens stay valid. Budgets and
  // today's usage carry over; `chars_a_day` sets a new budget shared by all of them. Returns false if an item of
  // `along` has changed, and kConflict if a grant has ended; nothing is changed then.
  Result<bool> reissue(const Access& access, std::span<const Reissue> drafts, std::optional<std::int64_t> chars_a_day,
                       store::AuthChange along);
  // Returns an Access that reads what this client can read now, through the same code. If two active grants cover the
  // same records, the newer one wins. The Access holds no token, so its reads are not disclosures, and it must not
  // outlive the response it is built for. Without an active grant it reads nothing.
  Result<Access> access_as_client(const Access& access, std::string_view client_id);
  // Revokes every client's access: first in this process's memory, then in the store for all other processes. Returns
  // how many grants were active.
  Result<std::int64_t> revoke_all_access(const Access& access);
  // Applies token and grant changes made elsewhere in this process from the next request on.
  void forget_accesses() { accesses_.forget_all(); }
  // Returns kInvalidRequest if the expiry has passed.
  Result<std::string> create_owner_token(const Access& access, const TokenExpiry& end = {});
  Result<std::vector<OwnerToken>> owner_tokens(const Access& access);
  Result<OwnerToken> revoke_owner_token(const Access& access, std::string_view token_id);  // kNotFound
  Result<std::vector<GrantSummary>> grants(const Access& access);
  Result<GrantSummary> grant(const Access& access, std::string_view grant_id);
  // Revokes a grant. This process refuses it immediately, including reads in progress, and then writes the revocation
  // for other processes. If the write fails within the wait limit (kStoreUnavailable), this process still refuses the
  // grant and write_revocations() retries.
  Result<GrantSummary> revoke_grant(const Access& access, std::string_view grant_id,
                                    Deadline wait_limit = Deadline::after(std::chrono::milliseconds(limits::kWriterQueueMs)));
  bool refuses_from_memory(const Access& access, std::string_view grant_id) const {
    return revocations_.has(access.owner(), grant_id);
  }
  bool has_unwritten_revocations() const { return !revocations_.empty(); }
  Status write_revocations();

  // Tracks when grants were last used, to about an hour. note_use() only updates memory; flush_grant_uses() writes and may
  // wait for other writers, so it is never called during a request.
  void note_use(const Access& access);
  Status flush_grant_uses();

  // --- ingest (owner only); see ingest.h ---
  Result<IngestReport> ingest(const Access& access, const IngestTarget& target, LineSource& lines, IngestObserver& observer);
  // Stores a content-addressed blob. Returns the stored metadata; an existing blob keeps its first MIME type.
  Result<api::Blob> put_blob(const Access& access, std::string_view mime_type, ByteSource& bytes);
  // Stores several blobs in one call, which is much faster for small ones. The observer decides how long to wait for
  // a lost database.
  struct NewBlob {
    std::string mime_type, bytes;
  };
  Status put_blobs(const Access& access, std::span<const NewBlob> blobs, IngestObserver& observer);
  Result<store::SweepReport> sweep(const Access& access, Deadline deadline);

  // The report of one part of an import, in the importer's own format, at most kMaxImportBytes. kConnectionNotFound.
  static constexpr std::size_t kMaxImportBytes = 16 * 1024 * 1024;
  Status put_import(const Access& access, std::string_view connection_id, std::string_view unit, std::string_view body);
  Result<std::vector<store::ImportRow>> imports(const Access& access, std::string_view connection_id);

  // --- export (owner only); see export.h ---
  Result<std::vector<SourceDocument>> sources(const Access& access);
  // kConnectionNotFound, kStreamNotDeclared, or any error of `out`.
  Status export_stream(const Access& access, std::string_view connection_id, std::string_view stream, RecordsOut& out);

  // Erases one record permanently; succeeds if it does not exist. Returns true if its bytes are already removed from
  // the store's files, and false if later sweeps remove them.
  Result<bool> erase_record(const Access& access, const model::RecordRef& record);
  // Removes erased bytes for a short time. Returns true once all of them are gone.
  Result<bool> clear_erasures(const Access& access);
  // Erases every record of a stream in one connection, in short transactions, and returns their number. `stop` is
  // checked between transactions.
  Result<std::int64_t> erase_stream(const Access& access, std::string_view connection_id, std::string_view stream,
                                    std::stop_token stop = {});
  // Erases a connection and all its data permanently; see erase.h. Returns kConnectionNotFound, or kCancelled if the
  // observer stops it; calling it again resumes. Grants that name no other connection are revoked.
  Result<Erasure> erase_connection(const Access& access, std::string_view connection_id, ErasureObserver& observer);
  Status check_store();  // the store responds and has the schema version of this program
  // Returns a readable sentence for every violated invariant. Takes as long as reading the whole store.
  Result<std::vector<std::string>> check_integrity(const store::CheckCallback& tell = {}) {
    return store_.check_invariants(tell);
  }
  Result<std::string> describe_store() { return store_.describe(); }
  Result<std::optional<store::BackupNote>> last_backup(const Access& access);  // owner only; nullopt: no backup is known
  // Process metrics for the operator. They contain no owner data.
  struct Figures {
    store::StoreFigures store;
    LedgerFigures ledger;
    IngestFigures ingest;
  };
  Figures figures() const { return {store_.figures(), ledger_.figures(), ingest_counts_.figures()}; }
  // Rebuilds the index and search configuration from all owners' declarations. Run it after a migration.
  Status refresh_sources();
  Result<bool> reindex(const Access& access, Deadline deadline);  // continues building indexes; true: all are complete
  Status clear_word_index(const Access& access);                  // clears the word index; reindex() rebuilds it from the records

  // Describes a token of this owner (RFC 7662). An invalid or unknown token is inactive, not an error.
  Result<TokenInfo> introspect(const Access& access, std::string_view token);

  // --- the disclosure ledger (owner only; see ledger/ledger.h for the results) ---
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
  // Limits the characters and the non-text file bytes a grant may read per day; nullopt removes the limit. kNotFound.
  Status set_budget(const Access& access, std::string_view grant_id, std::optional<std::int64_t> chars_a_day,
                    std::optional<std::int64_t> bytes_a_day = {});
  // Sets one budget shared by several grants. Works for drafts too, so that the budget exists before the first read.
  Status share_budget(const Access& access, std::span<const std::string> grant_ids, std::optional<std::int64_t> chars_a_day);
  Result<std::vector<std::string>> check_ledger(const Access& access);
  // sweep_ledger() moves the journals into the store; a server calls it every second. expire_ledger() deletes expired
  // entries.
  Status sweep_ledger() { return ledger_.sweep(); }
  Status expire_ledger();

  // --- reads ---
  // Reads a page of a stream, or of its changes. `stop` ends long work with kCancelled, here and below.
  Result<api::RecordsPage> records(const Access& access, const api::RecordsRequest& request, std::stop_token stop = {});
  Result<api::Record> record(const Access& access, const api::RecordRequest& request);
  Result<api::AggregateResult> aggregate(const Access& access, const api::AggregateRequest& request, std::stop_token stop = {});
  // Searches everything the caller may read; returns hits, best first, with the text that matched. kInvalidRequest
  // for words that can't be searched, kStreamNotAllowed, kConnectionNotFound, kDeadline; cursors as for records.
  Result<api::SearchPage> search(const Access& access, const api::SearchRequest& request, std::stop_token stop = {});
  // Returns kBlobNotFound unless a record visible to the caller refers to the blob in a granted blob_ref.
  Result<api::Blob> blob(const Access& access, const api::BlobRequest& request);
  Result<api::SchemaView> schema(const Access& access, const api::SchemaRequest& request);
  // Returns true if finding the window may be slow: a search, or a cursor that continues one.
  bool may_search(const model::WindowArguments& window) const;
  Result<api::FieldWindow> field_window(const Access& access, const api::FieldWindowRequest& request, std::stop_token stop = {});
  // Watches the caller's data for changes; see watch.h. Must not outlive the server.
  std::unique_ptr<api::Watch> watch(const Access& access);

 private:
  Status require_owner(const Access& access);  // kPermission for a client, kAuthentication for an invalid token
  Status check_unclaimed(const Access& access, std::string_view connection_id);  // kConflict if an active grant names it
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
    named.set_call({access_.call().transport, std::string(name), std::string(request_id)});
    return std::make_unique<LocalPort>(server_, std::move(named));
  }

 private:
  ResourceServer& server_;
  Access access_;
};

}  // namespace ladder::server
