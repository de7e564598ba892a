// The closed list of errors, and the value that carries one. Every interface (REST, MCP, command line) uses these
// codes; the list exists only here. The text of an Error is safe for the client; `log_detail` is for the operator's log
// and is never sent.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder {

// code, wire name, HTTP status, meaning in one line.
#define LADDER_ERROR_CODES(X)                                                                                           \
  X(kInvalidRequest, "invalid_request", 400, "malformed or unsupported input, or parameters that exclude each other")   \
  X(kInvalidArgument, "invalid_argument", 400, "an argument conflicts with another")                                    \
  X(kInvalidArguments, "invalid_arguments", 400, "a tool's arguments do not fit its input schema")                      \
  X(kInvalidFilter, "invalid_filter", 400, "a tool's filter is not field → value or field → {gte, gt, lte, lt}")        \
  X(kInvalidCursor, "invalid_cursor", 400, "the cursor is unknown, malformed or tampered with")                         \
  X(kCursorMismatch, "cursor_mismatch", 400, "the cursor belongs to another record, field or grant")                    \
  X(kStaleCursor, "stale_cursor", 409, "the field changed since the cursor was made")                                   \
  X(kCursorExpired, "cursor_expired", 410, "the cursor was sealed with a retired key, or its history was deleted")      \
  X(kInvalidId, "invalid_id", 400, "a malformed record id, or one in conflict with the other arguments")                \
  X(kInvalidHandle, "invalid_handle", 400, "a malformed handle")                                                        \
  X(kConflictingConnection, "conflicting_connection_id", 400, "the id names another connection than connection_id")     \
  X(kInvalidSort, "invalid_sort", 400, "records can be sorted by the cursor field only, in one direction")              \
  X(kInvalidExpand, "invalid_expand", 400, "the relation is not declared for expansion, or its limit is out of bounds") \
  X(kUnknownField, "unknown_field", 400, "the stream declares no such field")                                           \
  X(kInvalidFieldPath, "invalid_field_path", 400, "not a field name or JSON Pointer")                                   \
  X(kInvalidWindow, "invalid_window", 400, "window selectors out of bounds or excluding each other")                    \
  X(kUnsupportedVersion, "unsupported_version", 400, "an unsupported protocol or grant version")                        \
  X(kInvalidRecord, "invalid_record", 400, "the record violates its stream's schema or a limit")                        \
  X(kInvalidRecordIdentity, "invalid_record_identity", 400, "the record's key disagrees with its primary key fields")   \
  X(kInvalidUtf8, "invalid_utf8", 400, "the text is not valid UTF-8")                                                   \
  X(kMalformedNdjson, "malformed_ndjson", 400, "the line is not one JSON object")                                       \
  X(kConnectorInvalid, "connector_invalid", 400, "the source declaration is not valid")                                 \
  X(kConnectionInactive, "connector_instance_inactive", 400, "the connection is not active")                            \
  X(kAuthentication, "authentication_error", 401, "missing or invalid token")                                           \
  X(kPermission, "permission_error", 403, "this kind of token may not do that")                                         \
  X(kFieldNotGranted, "field_not_granted", 403, "the field is outside the grant")                                       \
  X(kInsufficientScope, "insufficient_scope", 403, "a related stream is outside the grant")                             \
  X(kStreamNotAllowed, "grant_stream_not_allowed", 403, "the stream is outside the grant or does not exist")            \
  X(kGrantExpired, "grant_expired", 403, "the grant has expired")                                                       \
  X(kGrantRevoked, "grant_revoked", 403, "the owner has revoked the grant")                                             \
  X(kGrantInvalid, "grant_invalid", 403, "the grant is malformed")                                                      \
  X(kOwnerSuspended, "owner_suspended", 403, "the operator has suspended access to the owner's data")                   \
  X(kOwnerLimit, "owner_limit_reached", 403, "the owner has reached a limit that the operator has set")                 \
  X(kGrantConsumed, "grant_consumed", 403, "the single token of a single-use grant has been issued already")            \
  X(kNotFound, "not_found", 404, "no such record, stream or source that this token may see")                            \
  X(kStreamNotDeclared, "stream_not_declared", 404, "the source declares no such stream")                               \
  X(kConnectionNotFound, "connection_not_found", 404, "no such connection that this token may see")                     \
  X(kBlobNotFound, "blob_not_found", 404, "no such blob that this token may see")                                       \
  X(kFieldNotFound, "field_not_found", 404, "the record has no such field or nested value")                             \
  X(kQueryNotFound, "query_not_found", 404, "the text does not occur (again) in the field")                             \
  X(kAmbiguousConnection, "ambiguous_connection", 409, "several connections match: name one")                           \
  X(kAmbiguousSchemaDetail, "ambiguous_schema_detail", 409, "several sources have the stream: name a connection")       \
  X(kConnectionNotWritable, "connector_instance_not_writable", 409, "the connection does not accept records")           \
  X(kConflict, "conflict", 409, "it exists already and is different")                                                   \
  X(kResourceLimit, "resource_limit", 413, "larger than the named limit")                                               \
  X(kRateLimited, "rate_limit_exceeded", 429, "too many requests; try again after the time that Retry-After names")     \
  X(kFieldNotText, "field_not_text", 422, "the value is not text, an object or an array")                               \
  X(kRsUnreachable, "rs_unreachable", 502, "the resource server cannot be reached")                                     \
  X(kRsProtocol, "rs_protocol_error", 502, "the resource server's response is invalid")                                 \
  X(kRsTimeout, "rs_timeout", 504, "the resource server did not answer in time")                                        \
  X(kIngestStorage, "ingest_batch_storage_error", 503, "the store failed during the batch; send the same batch again")  \
  X(kStoreUnavailable, "store_unavailable", 503, "the store cannot be used now")                                        \
  X(kDeadline, "deadline_exceeded", 503, "the work took longer than its deadline")                                      \
  X(kCancelled, "cancelled", 503, "the client disconnected")                                                            \
  X(kNotSetUp, "not_set_up", 503, "there is no usable store yet")                                                       \
  X(kDamagedData, "damaged_data", 500, "stored data has a wrong checksum and is not returned")                          \
  X(kInternal, "api_error", 500, "an internal error")

enum class Code : std::uint8_t {
#define LADDER_ENUM(name, wire, status, meaning) name,
  LADDER_ERROR_CODES(LADDER_ENUM)
#undef LADDER_ENUM
};

struct CodeInfo {
  Code code;
  std::string_view wire;  // the name in all protocols
  int http_status;
  std::string_view meaning;  // one line, for docs
};

const CodeInfo& info(Code code);
std::span<const CodeInfo> all_codes();

// A connection to retry with after kAmbiguousConnection.
struct ConnectionChoice {
  std::string connection_id;
  std::string connector_key;
  std::string stream;
  std::string display_name;  // empty if it has none that is safe to show
};

// Details that only some errors carry.
struct ErrorDetails {
  std::string record;      // the requested id
  std::string field_path;  // the requested field
  std::string digest;      // kStaleCursor: the current digest of the field
  std::int64_t size_chars = -1;
  std::int64_t resume_offset_chars = -1;  // kStaleCursor: where to continue
  std::vector<ConnectionChoice> available_connections;
  std::string rule;                       // a more specific name within the code, e.g. "source.declaration.duplicate_stream_name"
  std::string request_id = {};            // the request id of the server that returned the error
  std::int64_t retry_after_seconds = -1;  // kRateLimited, kStoreUnavailable: when to retry
};

struct Error {
  Code code = Code::kInternal;
  std::string message;     // what is wrong and how to fix it; safe for the client
  std::string param = {};  // the invalid argument, if any
  std::string log_detail = {};
  std::shared_ptr<ErrorDetails> more = {};

  std::string_view wire() const { return info(code).wire; }
  int http_status() const { return info(code).http_status; }
  ErrorDetails& details();  // allocated on first use; never shared with an earlier copy
};

// Result<T>: a value or an Error. LADDER_TRY unwraps one or returns its error from the enclosing function.
template <class T>
using Result = std::expected<T, Error>;
using Status = std::expected<void, Error>;

inline std::unexpected<Error> fail(Code code, std::string message, std::string param = {}) {
  return std::unexpected<Error>(Error{code, std::move(message), std::move(param)});
}

}  // namespace ladder

#define LADDER_CONCAT_(a, b) a##b
#define LADDER_CONCAT(a, b) LADDER_CONCAT_(a, b)

// LADDER_TRY(auto row, store.read(key));  or, for a Status:  LADDER_CHECK(store.write(row));
#define LADDER_TRY(declaration, expression) LADDER_TRY_(declaration, expression, LADDER_CONCAT(ladder_try_, __LINE__))
#define LADDER_TRY_(declaration, expression, temporary)                 \
  auto temporary = (expression);                                        \
  if (!temporary) return std::unexpected(std::move(temporary).error()); \
  declaration = *std::move(temporary)
#define LADDER_CHECK(expression)                                                                                  \
  do {                                                                                                            \
    if (auto ladder_check = (expression); !ladder_check) return std::unexpected(std::move(ladder_check).error()); \
  } while (false)
