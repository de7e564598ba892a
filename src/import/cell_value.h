// A cell of a table as the JSON value that its column declares.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports {

enum class CellType { kText, kInteger, kNumber, kBoolean, kDate, kTime };

struct CellRule {
  CellType type = CellType::kText;
  char decimal = '.';      // of numbers: "." or ","; the other one parts thousands
  std::string date_order;  // of dates that are not written year first: "DMY" or "MDY"
};

// JSON text, or why it cannot be ("'12,x' is no number"). An empty cell is nullopt.
std::expected<std::optional<std::string>, std::string> cell_json(std::string_view utf8, const CellRule& rule);

}  // namespace ladder::imports
