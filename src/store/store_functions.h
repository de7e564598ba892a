// The functions of Store, AuthStore, LedgerStore and Reader that every implementation has, for classes that declare or forward
// all of them. store.h, auth_store.h and ledger_store.h document them. X(result, name, parameters, arguments).
#pragma once

// clang-format off
// Written once for both engines (catalog/catalog_store.h).
#define LADDER_CATALOG_FUNCTIONS(X) \
  X(Result<OwnerRow>, add_owner, (std::string_view name, Instant now), (name, now)) \
  X(Result<std::optional<OwnerRow>>, find_owner, (std::string_view name), (name)) \
  X(Result<std::optional<OwnerRow>>, owner, (OwnerNo owner), (owner)) \
  X(Result<std::vector<OwnerRow>>, owners, (), ()) \
  X(Status, set_owner_suspended, (OwnerNo owner, std::optional<Instant> at), (owner, at)) \
  X(Status, set_owner_limits, (OwnerNo owner, const OwnerLimits& limits), (owner, limits)) \
  X(Result<std::int64_t>, owner_records, (OwnerNo owner), (owner)) \
  X(Result<OwnerUsage>, owner_usage, (OwnerNo owner), (owner)) \
  X(Result<Catalog>, catalog, (OwnerNo owner), (owner)) \
  X(Result<SourceRow>, put_source, (OwnerNo owner, const SourceRow& source, std::span<const StreamFields> streams), (owner, source, streams)) \
  X(Result<ConnectionRow>, add_connection, (OwnerNo owner, const ConnectionRow& connection, std::span<const std::string> streams), \
    (owner, connection, streams)) \
  X(Status, set_connection_status, (OwnerNo owner, ConnectionNo connection, std::string_view status), (owner, connection, status)) \
  X(Status, set_connection_name, (OwnerNo owner, ConnectionNo connection, std::string_view name), (owner, connection, name)) \
  X(Result<std::optional<std::string>>, declaration, (OwnerNo owner, std::string_view source_id, std::string_view version), \
    (owner, source_id, version)) \
  X(Status, add_grants, (OwnerNo owner, std::span<const NewGrant> grants, const NewToken& token), (owner, grants, token)) \
  X(Status, add_token, (OwnerNo owner, const NewToken& token), (owner, token)) \
  X(Result<std::optional<TokenRow>>, find_token, (const Digest& hash), (hash)) \
  X(Result<std::vector<GrantRow>>, grants, (OwnerNo owner), (owner)) \
  X(Result<std::optional<GrantRow>>, find_grant, (OwnerNo owner, std::string_view grant_id), (owner, grant_id)) \
  X(Result<GrantRow>, revoke_grant, (OwnerNo owner, std::string_view grant_id, Instant now, Deadline wait_limit), \
    (owner, grant_id, now, wait_limit)) \
  X(Result<std::vector<BoundTokenRow>>, bound_tokens, (OwnerNo owner), (owner)) \
  X(Result<std::vector<TokenRow>>, owner_tokens, (OwnerNo owner), (owner)) \
  X(Result<TokenRow>, revoke_owner_token, (OwnerNo owner, TokenNo token, Instant now), (owner, token, now)) \
  X(Status, record_grant_uses, (std::span<const GrantUse> uses), (uses)) \
  X(Status, put_import, (OwnerNo owner, ConnectionNo connection, const ImportRow& import), (owner, connection, import)) \
  X(Result<std::vector<ImportRow>>, imports, (OwnerNo owner, ConnectionNo connection), (owner, connection)) \
  X(Status, delete_imports, (OwnerNo owner, ConnectionNo connection), (owner, connection)) \
  X(Status, keep_note, (std::string_view name, std::string_view text), (name, text)) \
  X(Result<std::optional<std::string>>, note, (std::string_view name), (name))

// Written for each engine.
#define LADDER_ENGINE_FUNCTIONS(X) \
  X(Result<AccessStatusRow>, access_status, (const Guard& guard), (guard)) \
  X(Result<ValueId>, reserve_values, (OwnerNo owner, std::int64_t count), (owner, count)) \
  X(Result<std::vector<Outcome>>, write, (const WriteTarget& target, std::span<RecordWrite> records, Instant now), (target, records, now)) \
  X(Result<bool>, reindex, (Deadline deadline), (deadline)) \
  X(Status, clear_word_index, (), ()) \
  X(Result<std::int64_t>, records_without_words, (), ()) \
  X(Status, add_blob, (OwnerNo owner, const BlobRow& blob), (owner, blob)) \
  X(Status, add_blobs, (OwnerNo owner, std::span<const BlobBytes> blobs), (owner, blobs)) \
  X(Status, drop_unused_blobs, (OwnerNo owner, std::span<const Digest> blobs, Instant now), (owner, blobs, now)) \
  X(Result<std::optional<BlobRow>>, find_blob, (OwnerNo owner, const Digest& digest), (owner, digest)) \
  X(Result<bool>, delete_owner, (OwnerNo owner, Deadline deadline), (owner, deadline)) \
  X(Result<std::vector<TableRows>>, owner_rows, (OwnerNo owner), (owner)) \
  X(Result<bool>, drop_connection, (OwnerNo owner, ConnectionNo connection, Deadline deadline), (owner, connection, deadline)) \
  X(Result<std::int64_t>, compact, (), ()) \
  X(Result<std::string>, describe, (), ()) \
  X(Result<SweepReport>, sweep, (Instant now, Deadline deadline), (now, deadline))  \
  X(Result<bool>, tidy_words, (Deadline deadline), (deadline))

#define LADDER_STORE_FUNCTIONS(X) LADDER_CATALOG_FUNCTIONS(X) LADDER_ENGINE_FUNCTIONS(X)

#define LADDER_AUTH_FUNCTIONS(X) \
  X(Result<std::optional<AuthItem>>, find, (std::string_view kind, std::string_view key), (kind, key)) \
  X(Result<std::vector<AuthItem>>, list, (std::string_view kind, OwnerNo owner), (kind, owner)) \
  X(Result<std::int64_t>, count, (std::string_view kind), (kind)) \
  X(Result<std::vector<OwnerNo>>, owners_with, (std::string_view kind), (kind)) \
  X(Result<bool>, apply, (const AuthChange& change), (change)) \
  X(Result<std::int64_t>, remove_expired, (Instant now), (now))

#define LADDER_LEDGER_FUNCTIONS(X) \
  X(Result<std::vector<LedgerItem>>, find, (std::span<const LedgerKey> keys), (keys)) \
  X(Result<std::vector<LedgerItem>>, scan, \
    (OwnerNo owner, std::string_view kind, std::string_view from, std::string_view to, std::int64_t limit, KeyOrder order), \
    (owner, kind, from, to, limit, order)) \
  X(Result<bool>, apply, (const LedgerChange& change), (change))

#define LADDER_READER_FUNCTIONS(X) \
  X(Result<GuardedRecords>, records, (const Guard& guard, std::span<const StreamNo> streams, std::string_view key), (guard, streams, key)) \
  X(Result<std::vector<std::string>>, chunks, (ValueId text_id, std::int64_t first, std::int64_t last), (text_id, first, last)) \
  X(Result<std::int64_t>, each_chunk, (ValueId text_id, std::int64_t first, std::int64_t last, const UseChunk& use), \
    (text_id, first, last, use)) \
  X(Result<std::optional<std::string>>, directory_page, (ValueId value, std::int64_t key), (value, key)) \
  X(Result<StreamCounters>, counters, (StreamNo stream), (stream)) \
  X(Result<std::vector<RecordRow>>, page, (StreamNo stream, std::string_view after, bool descending, std::int64_t limit), \
    (stream, after, descending, limit)) \
  X(Result<std::vector<RecordRow>>, page_by_key, (StreamNo stream, std::string_view after, bool descending, std::int64_t limit), \
    (stream, after, descending, limit)) \
  X(Result<std::vector<ChangeRow>>, changes, \
    (StreamNo stream, std::span<const FieldNo> fields, std::int64_t since, std::int64_t upto, std::int64_t limit), \
    (stream, fields, since, upto, limit)) \
  X(Result<std::vector<IndexedRow>>, index_page, (IndexNo index, const IndexRange& range, bool descending, std::int64_t limit), \
    (index, range, descending, limit)) \
  X(Result<std::int64_t>, index_count, (IndexNo index, const IndexRange& range, std::int64_t limit), (index, range, limit)) \
  X(Result<std::int64_t>, order_count, (StreamNo stream, const IndexRange& range, std::int64_t limit), (stream, range, limit)) \
  X(Result<std::optional<std::string>>, last_order_key, (StreamNo stream, const IndexRange& range), (stream, range)) \
  X(Result<std::vector<DayCount>>, index_days, (IndexNo index, std::int64_t first, std::int64_t last), (index, first, last)) \
  X(Result<std::vector<RecordRow>>, records_with_blob, (const Digest& blob, RecordNo after, std::int64_t limit), (blob, after, limit)) \
  X(Result<WordPage>, search, (const WordSearch& search), (search))
// clang-format on

// Declares an override.
#define LADDER_OVERRIDE(result, name, parameters, arguments) result name parameters override;
