#include "import/formats/table/infer.h"
#include "import/testing/archive_maker.h"
#include "import/testing/collecting_sink.h"
#include "import/testing/memory_tree.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace ladder::imports {
namespace {

using testing::CollectingSink;
using testing::MemoryTree;
namespace fs = std::filesystem;

class TableTest : public ::testing::Test {
 protected:
  TableTest() : folder_(fs::temp_directory_path() / format("ladder-table-{}", getpid())) {}
  ~TableTest() override { fs::remove_all(folder_); }

  // Infers a declaration from the file and reads the file with it.
  CollectingSink infer_and_read(const std::string& name, const std::string& text) {
    testing::save(folder_ / name, text);
    const auto declaration = infer_declaration((folder_ / name).string());
    EXPECT_TRUE(declaration) << (declaration ? "" : declaration.error().message);
    declaration_ = declaration.value_or("");
    return read(name, text);
  }

  // Uses the declaration that was inferred last.
  CollectingSink read(const std::string& name, const std::string& text) {
    MemoryTree tree(testing::Files{{name, text}});
    Request request;
    request.manifest = declaration_;
    CollectingSink sink = read_all(table_format(), tree, request);
    EXPECT_EQ(sink.faults, std::vector<std::string>{}) << declaration_;
    return sink;
  }

  fs::path folder_;
  std::string declaration_;
};

TEST_F(TableTest, ReadsABankCsv) {
  const CollectingSink sink =
      infer_and_read("Spending 2024.csv",
                     "Datum;Betrag (EUR);Zweck;Nummer;Bestätigt\r\n31.12.2024;-1.234,50;\"Miete; \"\"alt\"\"\";00017;yes\r\n"
                     "01.01.2025;3,00;Caf\xE9 am Eck;00018;no\r\n01.01.2025;;Zinsen;00018;no\r\n");
  ASSERT_EQ(sink.records.size(), 3U) << declaration_;
  const std::string row =
      R"x("Datum":"2024-12-31","Betrag (EUR)":-1234.50,"Zweck":"Miete; \"alt\"","Nummer":"00017","Bestätigt":true})x";
  EXPECT_NE(sink.records[0].data.find(row), std::string::npos) << sink.records[0].data;
  EXPECT_NE(sink.records[1].data.find("Caf\xC3\xA9"), std::string::npos);
  EXPECT_NE(sink.records[2].data.find("\"Betrag (EUR)\":null"), std::string::npos);
  EXPECT_TRUE(sink.records[0].time);
  EXPECT_EQ(sink.records[0].stream, "spending-2024");
}

TEST_F(TableTest, DecimalSeparatorsAreInferredPerColumn) {
  const auto amounts = [this](const std::string& first, const std::string& second) {
    std::string seen;
    const CollectingSink sink = infer_and_read("t.csv", "what;amount\ntea;" + first + "\nmilk;" + second + "\n");
    for (const testing::Collected& record : sink.records) {
      const std::size_t at = record.data.find("\"amount\":") + 9;
      seen += record.data.substr(at, record.data.find_first_of(",}", at) - at) + " ";
    }
    return seen;
  };
  EXPECT_EQ(amounts("19.99", "5.00"), "19.99 5.00 ");
  EXPECT_EQ(amounts("1.5", "2"), "1.5 2 ");
  EXPECT_EQ(amounts("1,234.5", "2"), "1234.5 2 ");
  EXPECT_EQ(amounts("19,99", "5,00"), "19.99 5.00 ");
  EXPECT_EQ(amounts("1.234,50", "2"), "1234.50 2 ");
  EXPECT_EQ(amounts("1.234.567", "2,5"), "1234567 2.5 ");
  EXPECT_EQ(amounts("0.125", "1.250"), "0.125 1.250 ") << "three digits after a point do not make it a thousands separator";
  EXPECT_EQ(amounts("1.2.24", "13.2.24"), "\"2024-02-01\" \"2024-02-13\" ");
}

TEST_F(TableTest, UnnamedAndDuplicateColumnsAreKept) {
  const CollectingSink index = infer_and_read("t.csv", ",city,sold\n0,Rome,1.5\n1,Oslo,2\n");
  ASSERT_EQ(index.records.size(), 2U) << declaration_;
  EXPECT_NE(index.records[0].data.find("\"column_1\":0,\"city\":\"Rome\",\"sold\":1.5"), std::string::npos)
      << index.records[0].data;
  const CollectingSink twice = infer_and_read("t.csv", "name,name,,day\na,b,c,2024-01-31\nd,e,f,2024-02-01\n");
  ASSERT_EQ(twice.records.size(), 2U) << declaration_;
  EXPECT_NE(twice.records[1].data.find("\"name\":\"d\",\"name_2\":\"e\",\"column_3\":\"f\",\"day\":\"2024-02-01\""),
            std::string::npos)
      << twice.records[1].data;
  const CollectingSink ended = infer_and_read("t.csv", "a;b;c;\n1;x;y;\n2;z;w;\n");
  ASSERT_EQ(ended.records.size(), 2U) << declaration_;
  EXPECT_NE(ended.records[0].data.find("\"a\":1,\"b\":\"x\",\"c\":\"y\"}"), std::string::npos) << ended.records[0].data;
  EXPECT_EQ(infer_and_read("t.csv", "\"\",\"x\",\"y\"\n\"1\",1.5,\"a\"\n\"2\",2.5,\"b\"\n").records.size(), 2U) << "y is no data";
  EXPECT_EQ(infer_and_read("t.csv", "Account;DE12\n\nday;what;;\n01.01.2024;a;b;c\n").records.size(), 1U) << declaration_;
  EXPECT_NE(declaration_.find("\"column_4\""), std::string::npos) << declaration_;
  EXPECT_EQ(infer_and_read("t.csv", "Region,2023,2024\nNorth,1,2\n").records.size(), 1U) << "years may be names";
}

TEST_F(TableTest, InvalidColumnNamesAreReplaced) {
  using namespace std::string_literals;
  const CollectingSink sink = infer_and_read("t.csv", "V\0\0,a/b\n1,x\n2,y\n"s);
  ASSERT_EQ(sink.records.size(), 2U) << declaration_;
  EXPECT_NE(sink.records[1].data.find("\"V__\":2,\"a_b\":\"y\""), std::string::npos) << sink.records[1].data;
  const CollectingSink alike = infer_and_read("t.csv", "t_2,t,t,a/b,a_b,a/b\n1,2,3,4,5,6\n");
  ASSERT_EQ(alike.records.size(), 1U) << declaration_;
  EXPECT_NE(alike.records[0].data.find("\"t_2\":1,\"t\":2,\"t_2_2\":3,\"a_b\":4,\"a_b_2\":5,\"a_b_2_2\":6"), std::string::npos)
      << alike.records[0].data;
  EXPECT_EQ(infer_and_read("t.csv", "row_id,row_id_2\nx,1\nx,1\n").records.size(), 2U) << declaration_;
  EXPECT_NE(declaration_.find("\"row_id_3\""), std::string::npos) << declaration_;
  const CollectingSink digest = infer_and_read("t.csv", "#digest,n\n7,x\n");
  ASSERT_EQ(digest.records.size(), 1U) << declaration_;
  EXPECT_NE(digest.records[0].data.find("\"column_1\":7,\"n\":\"x\""), std::string::npos) << digest.records[0].data;
  const CollectingSink taken = infer_and_read("t.csv", "blob_ref,n\nx,1\n");
  ASSERT_EQ(taken.records.size(), 1U) << declaration_;
  EXPECT_NE(taken.records[0].data.find("\"blob_ref_text\":\"x\""), std::string::npos) << taken.records[0].data;
}

TEST_F(TableTest, ObjectsAreStoredByteForByte) {
  const CollectingSink array = infer_and_read(
      "x.json",
      "[{\"id\": 12345678901234567890, "
      "\"n\":1.10,\"at\":\"2024-01-01T00:00:00+01:00\",\n\"deep\":{\"a\":[1]}},{\"id\":2,\"n\":2.0,\"at\":null,\"deep\":null}]");
  ASSERT_EQ(array.records.size(), 2U);
  EXPECT_EQ(array.records[0].data,
            "{\"id\": 12345678901234567890, \"n\":1.10,\"at\":\"2024-01-01T00:00:00+01:00\", \"deep\":{\"a\":[1]}}");
  const CollectingSink lines = infer_and_read("x.ndjson", "{\"id\":\"a\",\"t\":\"x\"}\n\nnot json\n{\"id\":\"b\",\"t\":\"y\"}\n");
  EXPECT_EQ(lines.records.size(), 2U);
  ASSERT_EQ(lines.losses.size(), 1U);
  EXPECT_EQ(lines.losses[0].place.byte, 20);
}

std::string utf16(std::string_view ascii) {
  std::string out = "\xFF\xFE";
  for (const char c : ascii) out.append(1, c).append(1, '\0');
  return out;
}

TEST_F(TableTest, ReadsUtf16) {
  for (const auto& [name, text] :
       testing::Files{{"rows.csv", "id,name\r\na1,Tea\r\nb2,Milk\r\n"},
                      {"rows.ndjson", "{\"id\":\"a1\",\"name\":\"Tea\"}\n{\"id\":\"b2\",\"name\":\"Milk\"}\n"},
                      {"rows.json", "[{\"id\":\"a1\",\"name\":\"Tea\"},{\"id\":\"b2\",\"name\":\"Milk\"}]"}}) {
    const CollectingSink sink = infer_and_read(name, utf16(text));
    ASSERT_EQ(sink.records.size(), 2U) << name << declaration_;
    EXPECT_NE(sink.records[1].data.find("\"name\":\"Milk\""), std::string::npos) << sink.records[1].data;
  }
}

TEST_F(TableTest, RowsWithoutAKeyAreIdentifiedByContent) {
  const std::string text = "what,how much\ntea,1\ntea,1\nmilk,2\n";
  const CollectingSink one = infer_and_read("t.csv", text), two = infer_and_read("t.csv", text + "tea,1\n");
  ASSERT_EQ(one.records.size(), 3U);
  EXPECT_NE(one.records[0].data, one.records[1].data);
  ASSERT_EQ(two.records.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(one.records[i].data, two.records[i].data);
}

TEST_F(TableTest, ABadCellLosesOnlyItsRow) {
  infer_and_read("t.csv", "id,n\na,1\nb,2\n");
  const CollectingSink sink = read("t.csv", "id,n\na,1\nb,x\nc,3\n");
  EXPECT_EQ(sink.records.size(), 2U);
  ASSERT_EQ(sink.losses.size(), 1U);
  EXPECT_EQ(sink.losses[0].place.byte, 9);
  EXPECT_EQ(sink.losses[0].reason, "column n: 'x' is no whole number");
}

TEST_F(TableTest, TheHeaderIsTheRowWithMostColumnNames) {
  const CollectingSink sink =
      infer_and_read("t.csv", "day;total\n\nday;total;what;no\n01.02.2024;1,5;tea;7\n02.02.2024;2;milk;8\n");
  ASSERT_EQ(sink.records.size(), 2U) << declaration_;
  EXPECT_NE(sink.records[0].data.find("\"day\":\"2024-02-01\",\"total\":1.5,\"what\":\"tea\",\"no\":7"), std::string::npos)
      << sink.records[0].data;
  EXPECT_TRUE(sink.losses.empty());
  const CollectingSink less = read("t.csv", "day;total\nday;total;what\n01.02.2024;1,5;tea\n");
  ASSERT_EQ(less.records.size(), 1U) << "the rows are looked through for a better head, and then read from there";
  EXPECT_NE(less.records[0].data.find("\"what\":\"tea\""), std::string::npos) << less.records[0].data;
}

// German banks write pairs of a name and a value above the table.
TEST_F(TableTest, PairsAboveATableAreNotItsHeader) {
  const CollectingSink sink =
      infer_and_read("konto.csv",
                     "Umsatzanzeige;Datei erstellt am: 01.11.2026\n\nIBAN;DE12 3456\nKontoname;Girokonto\n"
                     "Saldo;1.234,56;EUR\n\nSortierung;Datum absteigend\n\n"
                     "Buchung;Empfänger;Zweck;Saldo;Währung;Betrag;Währung\n"
                     "01.11.2026;Laden;Einkauf;1.234,56;EUR;-12,34;EUR\n"
                     "31.10.2026;Miete;Wohnung;1.246,90;EUR;-800,00;EUR\n");
  ASSERT_EQ(sink.records.size(), 2U) << declaration_;
  EXPECT_NE(sink.records[0].data.find(R"("Buchung":"2026-11-01","Empfänger":"Laden","Zweck":"Einkauf","Saldo":1234.56)"),
            std::string::npos)
      << sink.records[0].data;
  EXPECT_NE(sink.records[1].data.find("\"Betrag\":-800.00"), std::string::npos) << sink.records[1].data;
}

TEST_F(TableTest, TelephoneNumbersAreText) {
  const CollectingSink sink = infer_and_read("t.csv", "who,phone,change\nAnn,+34 600 000 000,+12\nBob,+49 170 1234567,-3\n");
  ASSERT_EQ(sink.records.size(), 2U);
  EXPECT_NE(sink.records[0].data.find(R"("phone":"+34 600 000 000","change":12)"), std::string::npos) << sink.records[0].data;
}

TEST_F(TableTest, DatesWithTheYearFirstNeedNoOrder) {
  infer_and_read("t.csv", "day,what\n2024-01-02,tea\n2024-01-03,milk\n");
  EXPECT_NE(declaration_.find("\"format\": \"date\""), std::string::npos) << declaration_;
  EXPECT_EQ(declaration_.find("x_ladder_date"), std::string::npos) << declaration_;
}

TEST_F(TableTest, EmptyLinesAboveATableAreIgnored) {
  EXPECT_EQ(infer_and_read("t.csv", "\n\r\nday;what\n01.02.2024;a, b, c\n").records.size(), 1U) << declaration_;
  EXPECT_NE(declaration_.find("\"what\""), std::string::npos) << declaration_;
}

TEST_F(TableTest, ARowWithoutAKeyIsReported) {
  infer_and_read("t.csv", "id,n\na,1\nb,2\n");
  const CollectingSink sink = read("t.csv", "n,id\n1,a\n2,\n3\n4,d\n");
  EXPECT_EQ(sink.records.size(), 2U);
  ASSERT_EQ(sink.losses.size(), 2U);
  EXPECT_EQ(sink.losses[1].place.byte, 12);
  EXPECT_EQ(sink.losses[1].reason, "column id: the cell is empty");
}

TEST_F(TableTest, MembersWithInvalidNamesAreNotDeclared) {
  const CollectingSink sink = infer_and_read("t.json", "[{\"row\\u007fid\":\"a\",\"n\":1},{\"row\\u007fid\":\"b\",\"n\":2}]");
  ASSERT_EQ(sink.records.size(), 2U) << declaration_;
  EXPECT_EQ(declaration_.find("row_id\": {\"type\": \"string\", \"description\""), std::string::npos) << declaration_;
  EXPECT_NE(sink.records[1].data.find("\"row\\u007fid\":\"b\",\"n\":2"), std::string::npos) << sink.records[1].data;
  EXPECT_EQ(infer_and_read("t.json", "[{\"a/b\":1}]").records.size(), 1U) << declaration_;
}

TEST_F(TableTest, MembersOfMixedTypesHaveNoDeclaredType) {
  const CollectingSink sink = infer_and_read(
      "t.json", R"([{"a":"x","b":true,"c":1,"d":1e5,"at":"2024-01-01"},{"a":1,"b":"yes","c":"2","d":2,"at":"","id":"late"}])");
  EXPECT_EQ(sink.records.size(), 2U) << declaration_;
  for (const char* mixed : {"a", "b", "c"})
    EXPECT_NE(declaration_.find(format("\"{}\": {{\"description\"", mixed)), std::string::npos) << mixed << declaration_;
  EXPECT_NE(declaration_.find("\"d\": {\"type\": \"number\""), std::string::npos) << declaration_;
  EXPECT_NE(declaration_.find("\"at\": {\"type\": \"string\", \"description\""), std::string::npos) << declaration_;
  EXPECT_NE(declaration_.find("\"primary_key\": [\"row_id\"]"), std::string::npos)
      << "not every object has an id" << declaration_;
}

TEST_F(TableTest, ARejectedObjectDoesNotAffectOthers) {
  testing::save(folder_ / "t.json", R"([{"id":"a","n":1,"n":null},{"id":"b","n":2}])");
  const auto declaration = infer_declaration((folder_ / "t.json").string());
  ASSERT_TRUE(declaration);
  EXPECT_NE(declaration->find("\"n\": {\"type\": \"integer\""), std::string::npos) << *declaration;
  EXPECT_NE(declaration->find("\"primary_key\": [\"id\"]"), std::string::npos) << *declaration;
  testing::save(folder_ / "t.json", R"([{"n":1,"n":2}])");
  EXPECT_FALSE(infer_declaration((folder_ / "t.json").string()));
}

TEST_F(TableTest, ObjectsAreDetectedWhateverTheFileName) {
  const CollectingSink sink = infer_and_read("t.csv", "{\"id\":\"a\",\"t\":\"x\"}\n{\"id\":\"b\",\"t\":\"y\"}\n");
  ASSERT_EQ(sink.records.size(), 2U) << declaration_;
  EXPECT_EQ(sink.records[1].data, "{\"id\":\"b\",\"t\":\"y\"}");
}

TEST_F(TableTest, ClaimsNothingWithoutADeclaration) {
  MemoryTree tree(testing::Files{{"t.csv", "id,n\na,1\n"}});
  EXPECT_TRUE(table_format().detect(tree, {}).empty());
  EXPECT_FALSE(table_format().declaration({}));
  testing::save(folder_ / "no.csv", "just text\n");
  EXPECT_FALSE(infer_declaration((folder_ / "no.csv").string()));
}

}  // namespace
}  // namespace ladder::imports
