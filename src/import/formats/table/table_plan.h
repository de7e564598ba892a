// Converts table cells to the JSON values that their columns declare.
#pragma once

#include "base/error/error.h"
#include "model/declaration/declaration.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

enum class CellType { kText, kInteger, kNumber, kBoolean, kDate, kTime };

struct CellRule {
  CellType type = CellType::kText;
  char decimal = '.';      // of numbers: "." or ","; the other one separates thousands
  std::string date_order;  // of dates that do not start with the year: "DMY" or "MDY"
};

// Returns JSON text, or why the cell is invalid ("'12,x' is no number"). An empty cell returns nullopt.
std::expected<std::optional<std::string>, std::string> cell_json(std::string_view utf8, const CellRule& rule);

// How the rows of a file become records of a declared stream. The owner's declaration may contain these additional properties:
//
//   "x_ladder_column": "Betrag (EUR)"   the column, if its name differs from the field; "#digest" is a digest of the row
//   "x_ladder_decimal": ","             the decimal separator
//   "x_ladder_date": "DMY"              or "MDY": of dates that do not start with the year
inline constexpr std::string_view kDigestColumn = "#digest";

struct TableColumn {
  std::string field;
  std::string column;
  CellRule rule;
  bool is_digest = false;
  bool nullable = false;
  bool required = false;  // a row without it is lost
};

struct TablePlan {
  const model::Stream* stream = nullptr;
  std::vector<TableColumn> columns;  // in declared order

  const TableColumn* digest() const;  // nullptr if the rows have a key
};

// Returns the stream for a file: the only one, or the one with the file's name. nullptr if there is none.
const model::Stream* stream_for(const model::SourceDeclaration& declaration, std::string_view file_stem);

Result<TablePlan> plan_table(const model::Stream& stream);

}  // namespace ladder::imports
