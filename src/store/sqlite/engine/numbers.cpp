#include "store/sqlite/engine/numbers.h"

#include <algorithm>

namespace ladder::store::sqlite {
namespace {

constexpr std::int64_t kFirstBlock = 256;
constexpr std::int64_t kMaxBlock = 1 << 20;

Result<std::int64_t> next_size(Connection& connection, StreamNo stream, NumberKind kind) {
  Statement last = connection.use(Sql::kLastBlock);
  LADDER_TRY(const bool row, last.integer(1, stream).integer(2, static_cast<std::int64_t>(kind)).step());
  return row ? std::min(last.integer_at(0) * 2, kMaxBlock) : kFirstBlock;
}

Result<std::int64_t> take_known_text(Connection& connection, StreamNo stream) {
  Statement taken = connection.use(Sql::kTakeText);
  LADDER_TRY(const bool row, taken.integer(1, stream).step());
  return row ? taken.integer_at(0) : 0;
}

void next_value(sqlite3_context* context, int, sqlite3_value** values) {
  Connection& connection = *static_cast<Connection*>(sqlite3_user_data(context));
  const auto* const name = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  const auto number = take_numbers(connection, std::string("next_") + (name ? name : ""), 1);
  if (number) return sqlite3_result_int64(context, *number);
  sqlite3_result_error(context, number.error().log_detail.c_str(), -1);
  const int rc = sqlite3_extended_errcode(connection.handle());
  sqlite3_result_error_code(context, rc == SQLITE_OK || rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_ERROR : rc);
}

}  // namespace

Status define_nextval(Connection& connection) {
  const int rc = sqlite3_create_function(connection.handle(), "nextval", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, &connection,
                                         next_value, nullptr, nullptr);
  if (rc != SQLITE_OK) return std::unexpected(sqlite_error(connection.handle(), rc, "defining nextval"));
  return {};
}

Result<std::int64_t> take_numbers(Connection& connection, std::string_view counter, std::int64_t count) {
  Statement statement = connection.use(Sql::kTakeNumbers);
  LADDER_TRY(const bool row, statement.text(1, counter).integer(2, count).step());
  if (!row) return fail(Code::kInternal, "a counter is missing from the store");
  return statement.integer_at(0);
}

Result<std::int64_t> take_numbers(Connection& connection, OwnerCounter counter, std::int64_t count) {
  Statement statement = connection.use(Sql::kTakeOwned);
  statement.text(1, counter == OwnerCounter::kRecords ? "record_no" : "value_id").integer(2, count);
  LADDER_TRY(const bool row, statement.step());
  return row ? statement.integer_at(0) : 0;
}

Result<NumberBlock> take_block(Connection& connection, StreamNo stream, NumberKind kind) {
  NumberBlock block;
  LADDER_TRY(block.size, next_size(connection, stream, kind));
  LADDER_TRY(block.first, take_numbers(connection, OwnerCounter::kRecords, block.size));
  LADDER_CHECK(connection.use(Sql::kAddBlock)
                   .integer(1, block.first)
                   .integer(2, block.size)
                   .integer(3, stream)
                   .integer(4, static_cast<std::int64_t>(kind))
                   .run());
  return block;
}

Result<std::int64_t> take_text(Connection& connection, StreamNo stream) {
  LADDER_TRY(const std::int64_t known, take_known_text(connection, stream));
  if (known != 0) return known;
  LADDER_TRY(const NumberBlock block, take_block(connection, stream, NumberKind::kTexts));
  LADDER_CHECK(connection.use(Sql::kSetTexts).integer(1, stream).integer(2, block.first + 1).integer(3, block.end()).run());
  return block.first;
}

}  // namespace ladder::store::sqlite
