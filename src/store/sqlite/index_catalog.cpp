#include "store/sqlite/index_catalog.h"

#include "store/sqlite/store_impl.h"

#include <map>
#include <utility>
#include <vector>

namespace ladder::store::sqlite {
namespace {

using WantedKinds = std::map<std::pair<std::string, std::string>, IndexKind>;  // by stream and field

WantedKinds wanted_kinds(std::span<const Store::StreamFields> streams) {
  WantedKinds kinds;
  for (const Store::StreamFields& stream : streams) {
    for (const Store::IndexedField& field : stream.indexed) kinds[{stream.stream, field.name}] = field.kind;
  }
  return kinds;
}

struct Missing {
  StreamNo stream = 0;
  FieldNo field = 0;
  std::int64_t kind = 0;
  bool ready = false;
};

Result<std::vector<IndexNo>> unwanted_indexes(Connection& connection, SourceNo source) {
  std::vector<IndexNo> unwanted;
  Statement rows = connection.use(Sql::kUnwantedIndexes);
  rows.integer(1, source);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return unwanted;
    unwanted.push_back(rows.integer_at(0));
  }
}

Result<std::vector<Missing>> missing_indexes(Connection& connection, SourceNo source) {
  std::vector<Missing> missing;
  Statement rows = connection.use(Sql::kMissingIndexes);
  rows.integer(1, source);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return missing;
    missing.push_back({rows.integer_at(0), rows.integer_at(1), rows.integer_at(2), rows.integer_at(3) == 0});
  }
}

}  // namespace

Status set_index_kinds(Connection& connection, SourceNo source, std::span<const Store::StreamFields> streams) {
  const WantedKinds wanted = wanted_kinds(streams);
  std::vector<std::pair<FieldNo, std::int64_t>> changed;
  {
    Statement rows = connection.use(Sql::kIndexKinds);
    rows.integer(1, source);
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      const auto kind = wanted.find({rows.string_at(1), rows.string_at(2)});
      const std::int64_t number = kind == wanted.end() ? 0 : static_cast<std::int64_t>(kind->second);
      if (rows.integer_at(3) != number) changed.emplace_back(rows.integer_at(0), number);
    }
  }
  for (const auto& [field, kind] : changed) {
    LADDER_CHECK(connection.use(Sql::kSetIndexKind).integer(1, field).integer(2, kind).run());
  }
  return {};
}

Result<bool> match_indexes(Connection& connection, SourceNo source) {
  LADDER_TRY(const std::vector<IndexNo> unwanted, unwanted_indexes(connection, source));
  for (const IndexNo index : unwanted) {
    LADDER_CHECK(connection.use(Sql::kDropIndex).integer(1, index).run());
    LADDER_CHECK(connection.use(Sql::kAddDeadIndex).integer(1, index).run());
  }
  LADDER_TRY(const std::vector<Missing> missing, missing_indexes(connection, source));
  for (const Missing& index : missing) {
    LADDER_TRY(const IndexNo no, take_numbers(connection, "next_index", 1));
    LADDER_CHECK(connection.use(Sql::kAddIndex)
                     .integer(1, no)
                     .integer(2, index.stream)
                     .integer(3, index.field)
                     .integer(4, index.kind)
                     .integer(5, index.ready ? 1 : 0)
                     .run());
  }
  return !unwanted.empty() || !missing.empty();
}

}  // namespace ladder::store::sqlite
