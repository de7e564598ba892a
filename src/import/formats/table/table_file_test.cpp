#include "import/formats/table/table_file.h"
#include "base/text/format.h"
#include "import/formats/table/table_plan.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

TEST(Csv, ReadsWhatSpreadsheetsWrite) {
  const std::string text = "a;b\r\n\r\n\"x;\"\"y\"\"\n z\";2\n3;4\"5\n\"open;1\n2";
  BytesInMemory bytes(text);
  CsvRows rows(bytes, guess_separator(text));
  std::string seen;
  while (rows.next().value()) {
    seen += format("{}{}:", rows.torn() ? "torn " : "", rows.offset());
    for (const std::string& cell : rows.cells()) seen += format("<{}>", cell);
  }
  EXPECT_EQ(seen, "0:<a><b>7:<x;\"y\"\n z><2>22:<3><4\"5>torn 28:<open;1\n2>");
  EXPECT_EQ(guess_separator("a\tb,c\n1\t2,3\n"), '\t');
}

TEST(Csv, SkipsEmptyRows) {
  const std::string text = ";;\na;b;c\n;;\n  ; ;\t\n\"\";\"\";\"\n\"\n1;;\n\n;;3\n;;\n;;";
  BytesInMemory bytes(text);
  CsvRows rows(bytes, ';');
  std::string seen;
  while (rows.next().value()) {
    seen += format("{}:", rows.offset());
    for (const std::string& cell : rows.cells()) seen += format("<{}>", cell);
  }
  EXPECT_EQ(seen, "3:<a><b><c>29:<1><><>34:<><><3>");
}

TEST(CellValue, IsWhatItsColumnDeclares) {
  const auto value = [](std::string_view cell, const CellRule& rule) {
    const auto made = cell_json(cell, rule);
    return !made ? "!" + made.error() : made->value_or("-");
  };
  EXPECT_EQ(value("1.234,50", {CellType::kNumber, ',', ""}), "1234.50");
  EXPECT_EQ(value("(1,234.5)", {CellType::kNumber, '.', ""}), "-1234.5");
  EXPECT_EQ(value("1,234,567", {CellType::kInteger, '.', ""}), "1234567");
  EXPECT_EQ(value("12,34,567.5", {CellType::kNumber, '.', ""}), "1234567.5");
  EXPECT_EQ(value("1'234", {CellType::kNumber, '.', ""}), "1234");
  EXPECT_EQ(value("19.99", {CellType::kNumber, ',', ""}), "!'19.99' is no number");
  EXPECT_EQ(value("19,99", {CellType::kNumber, '.', ""}), "!'19,99' is no number");
  EXPECT_EQ(value("1.2.24", {CellType::kNumber, ',', ""}), "!'1.2.24' is no number");
  EXPECT_EQ(value("12345678901234567890", {CellType::kInteger, '.', ""}), "12345678901234567890");
  EXPECT_EQ(value("007", {CellType::kInteger, '.', ""}), "7");
  EXPECT_EQ(value("1.5", {CellType::kInteger, '.', ""}), "!'1.5' is no whole number");
  EXPECT_EQ(value("31.12.2024", {CellType::kDate, '.', "DMY"}), "\"2024-12-31\"");
  EXPECT_EQ(value("12/31/24 1:05 PM", {CellType::kTime, '.', "MDY"}), "\"2024-12-31T13:05:00.000Z\"");
  EXPECT_EQ(value("31.2.2024", {CellType::kDate, '.', "DMY"}), "!'31.2.2024' is no date");
  EXPECT_EQ(value("", {CellType::kText, '.', ""}), "-");
  EXPECT_EQ(value("Yes", {CellType::kBoolean, '.', ""}), "true");
  EXPECT_EQ(value("1e5", {CellType::kNumber, '.', ""}), "1e5");
  EXPECT_EQ(value("x", {CellType::kNumber, '.', ""}), "!'x' is no number");
}

}  // namespace
}  // namespace ladder::imports
