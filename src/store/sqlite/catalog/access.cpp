// Stores and reads grants, tokens and their status.
#include "base/text/format.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/sqlite_store.h"

namespace ladder::store::sqlite {
namespace {

GrantRow grant_of(const Statement& row) {
  return {.no = row.integer_at(0),
          .owner = row.integer_at(1),
          .grant_id = row.string_at(2),
          .client_id = row.string_at(3),
          .body = row.string_at(8),
          .issued_at = row.integer_at(4),
          .expires_at = row.maybe_integer_at(5),
          .revoked_at = row.maybe_integer_at(6),
          .single_use = row.integer_at(7) != 0};
}

// Also reads the columns that only lists show.
GrantRow full_grant_of(const Statement& row) {
  GrantRow grant = grant_of(row);
  grant.named = row.string_at(9);
  grant.last_used_at = row.maybe_integer_at(10);
  return grant;
}

Status collect_grants(std::vector<GrantRow>& grants, Statement& statement, GrantRow (*read)(const Statement&)) {
  for (;;) {
    LADDER_TRY(const bool row, statement.step());
    if (!row) return {};
    grants.push_back(read(statement));
  }
}

constexpr const char* kOwnerTokenColumns =
    "SELECT t.token_no, t.owner_no, o.name, t.created_at, t.expires_at, t.revoked_at, t.hash FROM tokens t "
    "JOIN owners o ON o.owner_no = t.owner_no WHERE t.owner_no = ?1 AND t.kind = 0";

TokenRow owner_token_of(const Statement& row) {
  TokenRow token{.no = row.integer_at(0),
                 .owner = row.integer_at(1),
                 .owner_name = row.string_at(2),
                 .kind = TokenKind::kOwner,
                 .client_id = {},
                 .created_at = row.integer_at(3),
                 .expires_at = row.maybe_integer_at(4),
                 .revoked_at = row.maybe_integer_at(5),
                 .grants = {}};
  const auto hash = row.bytes_at(6);
  token.hash = crypto::to_digest(hash);
  return token;
}

Result<std::optional<GrantRow>> grant_by_id(Connection& connection, OwnerNo owner, std::string_view grant_id) {
  Statement statement = connection.use(Sql::kGrantById);
  LADDER_TRY(const bool row, statement.integer(1, owner).text(2, grant_id).step());
  if (!row) return std::nullopt;
  return full_grant_of(statement);
}

AccessStatusRow access_status_of(const Statement& row) {
  AccessStatusRow access_status;
  access_status.catalog_version = row.integer_at(0);
  access_status.token_found = !row.is_null(1);
  access_status.token_expires_at = row.maybe_integer_at(2);
  access_status.token_revoked = !row.is_null(3);
  access_status.grant_found = !row.is_null(4);
  access_status.grant_revoked = !row.is_null(5);
  return access_status;
}

}  // namespace

Result<GrantNo> insert_grant(Connection& connection, OwnerNo owner, const NewGrant& grant) {
  {
    Statement same = connection.prepare("SELECT 1 FROM grants WHERE owner_no = ?1 AND grant_id = ?2");
    LADDER_TRY(const bool taken, same.integer(1, owner).text(2, grant.grant_id).step());
    if (taken) return fail(Code::kConflict, format("the grant {} already exists", grant.grant_id));
  }
  LADDER_TRY(const GrantNo no, take_numbers(connection, "next_grant", 1));
  LADDER_CHECK(connection.use(Sql::kAddGrant)
                   .integer(1, owner)
                   .text(2, grant.grant_id)
                   .text(3, grant.client_id)
                   .integer(4, grant.issued_at)
                   .maybe_integer(5, grant.expires_at)
                   .integer(6, grant.single_use ? 1 : 0)
                   .blob(7, grant.body)
                   .integer(8, no)
                   .blob(9, grant.named)
                   .run());
  return no;
}

Result<TokenNo> insert_token(Connection& connection, OwnerNo owner, const NewToken& token) {
  {
    Statement known = connection.use(Sql::kOwnerByNo);
    LADDER_TRY(const bool row, known.integer(1, owner).step());
    if (!row) return fail(Code::kNotFound, "the owner does not exist in the store");
  }
  {
    Statement same = connection.use(Sql::kTokenByHash);
    LADDER_TRY(const bool taken, same.blob(1, crypto::view(token.hash)).step());
    if (taken) return fail(Code::kConflict, "this token already exists: create another");
  }
  LADDER_TRY(const TokenNo no, take_numbers(connection, "next_token", 1));
  LADDER_CHECK(connection.use(Sql::kAddToken)
                   .blob(1, crypto::view(token.hash))
                   .integer(2, owner)
                   .integer(3, static_cast<std::int64_t>(token.kind))
                   .text(4, token.client_id)
                   .integer(5, token.created_at)
                   .maybe_integer(6, token.expires_at)
                   .integer(7, no)
                   .run());
  return no;
}

Result<AccessStatusRow> read_access_status(Connection& connection, const Guard& guard) {
  Statement statement = connection.use(Sql::kAccessStatus);
  LADDER_TRY(const bool row, statement.integer(1, guard.owner).integer(2, guard.token).integer(3, guard.grant).step());
  if (row) return access_status_of(statement);
  AccessStatusRow unknown;
  unknown.catalog_version = -1;
  return unknown;
}

Status SqliteStore::add_grants(OwnerNo owner, std::span<const NewGrant> grants, const NewToken& token) {
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  LADDER_TRY(const TokenNo token_no, insert_token(*transaction, owner, token));
  for (const NewGrant& grant : grants) {
    LADDER_TRY(const GrantNo grant_no, insert_grant(*transaction, owner, grant));
    LADDER_CHECK(transaction->use(Sql::kBindGrant).integer(1, token_no).integer(2, grant_no).integer(3, owner).run());
  }
  LADDER_CHECK(transaction.commit());
  reserve_.refill();  // a later revocation needs disk space
  return {};
}

Status SqliteStore::add_token(OwnerNo owner, const NewToken& token) { return add_grants(owner, {}, token); }

Result<std::optional<TokenRow>> SqliteStore::find_token(const Digest& hash) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  ReadTransaction transaction(*reader);
  LADDER_CHECK(transaction.begin());
  TokenRow token;
  {
    Statement row = reader->use(Sql::kTokenByHash);
    LADDER_TRY(const bool found, row.blob(1, crypto::view(hash)).step());
    if (!found) return std::nullopt;
    token.no = row.integer_at(0);
    token.owner = row.integer_at(1);
    token.owner_name = row.string_at(2);
    token.kind = static_cast<TokenKind>(row.integer_at(3));
    token.client_id = row.string_at(4);
    token.created_at = row.integer_at(5);
    token.expires_at = row.maybe_integer_at(6);
    token.revoked_at = row.maybe_integer_at(7);
  }
  Statement bound = reader->use(Sql::kGrantsOfToken);
  bound.integer(1, token.no).integer(2, token.owner);
  LADDER_CHECK(collect_grants(token.grants, bound, grant_of));
  return token;
}

Result<std::vector<GrantRow>> SqliteStore::grants(OwnerNo owner) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  std::vector<GrantRow> grants;
  Statement statement = reader->use(Sql::kGrantsOfOwner);
  statement.integer(1, owner);
  LADDER_CHECK(collect_grants(grants, statement, full_grant_of));
  return grants;
}

Result<std::optional<GrantRow>> SqliteStore::find_grant(OwnerNo owner, std::string_view grant_id) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  return grant_by_id(*reader, owner, grant_id);
}

Result<GrantRow> SqliteStore::write_revocation(OwnerNo owner, std::string_view grant_id, Instant now, Deadline wait_limit) {
  LADDER_TRY(WriteTransaction transaction, writer_.begin(WriteKind::kUrgent, wait_limit));
  LADDER_CHECK(transaction->use(Sql::kRevokeGrant).integer(1, owner).text(2, grant_id).integer(3, now).run());
  LADDER_TRY(std::optional<GrantRow> grant, grant_by_id(*transaction, owner, grant_id));
  if (!grant) return fail(Code::kNotFound, format("there is no grant {}: `ladder grant list` shows them", grant_id));
  LADDER_CHECK(transaction.commit());
  return *std::move(grant);
}

// On a full disk another program may take the released space first, so this retries until the reserve is empty.
Result<GrantRow> SqliteStore::revoke_grant(OwnerNo owner, std::string_view grant_id, Instant now, Deadline wait_limit) {
  auto grant = write_revocation(owner, grant_id, now, wait_limit);
  while (!grant && means_disk_full(grant.error()) && reserve_.release())
    grant = write_revocation(owner, grant_id, now, wait_limit);
  return grant;
}

Result<AccessStatusRow> SqliteStore::access_status(const Guard& guard) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  return read_access_status(*reader, guard);
}

Result<std::vector<TokenRow>> SqliteStore::owner_tokens(OwnerNo owner) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  Statement rows = reader->prepare((std::string(kOwnerTokenColumns) + " ORDER BY t.token_no").c_str());
  rows.integer(1, owner);
  std::vector<TokenRow> tokens;
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return tokens;
    tokens.push_back(owner_token_of(rows));
  }
}

Result<TokenRow> SqliteStore::revoke_owner_token(OwnerNo owner, TokenNo token, Instant now) {
  LADDER_TRY(WriteTransaction transaction, writer_.begin(WriteKind::kUrgent));
  LADDER_CHECK(transaction
                   ->prepare("UPDATE tokens SET revoked_at = ?3 "
                             "WHERE owner_no = ?1 AND token_no = ?2 AND kind = 0 AND revoked_at IS NULL")
                   .integer(1, owner)
                   .integer(2, token)
                   .integer(3, now)
                   .run());
  TokenRow revoked;
  {
    Statement row = transaction->prepare((std::string(kOwnerTokenColumns) + " AND t.token_no = ?2").c_str());
    LADDER_TRY(const bool found, row.integer(1, owner).integer(2, token).step());
    if (!found) return fail(Code::kNotFound, "there is no such token: `ladder token list` shows them");
    revoked = owner_token_of(row);
  }
  LADDER_CHECK(transaction.commit());
  return revoked;
}

Status SqliteStore::record_grant_uses(std::span<const GrantUse> uses) {
  std::vector<GrantUse> due;
  {
    LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
    for (const GrantUse& use : uses) {
      Statement known = reader->prepare("SELECT 1 FROM grant_uses WHERE owner_no = ?1 AND grant_no = ?2 AND last_used_at > ?3");
      LADDER_TRY(const bool recent, known.integer(1, use.owner).integer(2, use.grant).integer(3, use.at - kGrantUseStep).step());
      if (!recent) due.push_back(use);
    }
  }
  if (due.empty()) return {};
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  for (const GrantUse& use : due) {
    LADDER_CHECK(
        transaction
            ->prepare(
                "INSERT INTO grant_uses(owner_no, grant_no, last_used_at) VALUES(?1, ?2, ?3) ON CONFLICT(owner_no, grant_no) "
                "DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)")
            .integer(1, use.owner)
            .integer(2, use.grant)
            .integer(3, use.at)
            .run());
  }
  return transaction.commit();
}

Result<std::optional<std::string>> SqliteStore::declaration(OwnerNo owner, std::string_view source_id, std::string_view version) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  Statement row = reader->prepare(
      "SELECT d.body FROM sources s JOIN declarations d ON d.owner_no = s.owner_no AND d.source_no = s.source_no "
      "WHERE s.owner_no = ?1 AND s.source_id = ?2 AND d.version = ?3");
  LADDER_TRY(const bool found, row.integer(1, owner).text(2, source_id).text(3, version).step());
  if (!found) return std::nullopt;
  return row.string_at(0);
}

}  // namespace ladder::store::sqlite
