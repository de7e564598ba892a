// A cell of a table as the JSON value that its column declares.
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
  char decimal = '.';      // of numbers: "." or ","; the other one parts thousands
  std::string date_order;  // of dates that are not written year first: "DMY" or "MDY"
};

// JSON text, or why it cannot be ("'12,x' is no number"). An empty cell is nullopt.
std::expected<std::optional<std::string>, std::string> cell_json(std::string_view utf8, const CellRule& rule);

// How the rows of a file become records of a declared stream: the owner's declaration, with a few words of our own in its
// properties:
//
//   "x_ladder_column": "Betrag (EUR)"   the column, when it is not called as the field; "#digest" is made from the whole row
//   "x_ladder_decimal": ","             what parts the whole from its fraction
//   "x_ladder_date": "DMY"              or "MDY": of dates that are not written year first
inline constexpr std::string_view kDigestColumn = "#digest";

struct TableColumn {
  std::string field;
  std::string column;
  CellRule rule;
  bool is_digest = false;
  bool nullable = false;
  bool required = false;  // a row without it is no record
};

struct TablePlan {
  const model::Stream* stream = nullptr;
  std::vector<TableColumn> columns;  // in declared order

  const TableColumn* digest() const;  // nullptr when the rows have a key of their own
};

// The stream of a file: the only one, or the one that is called as the file. nullptr when there is none.
const model::Stream* stream_for(const model::SourceDeclaration& declaration, std::string_view file_stem);

Result<TablePlan> plan_table(const model::Stream& stream);

}  // namespace ladder::imports
