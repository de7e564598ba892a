#include "import/formats/statements/statement_records.h"
#include "import/testing/reading.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(Statements, AmountsOfAllCountries) {
  for (const auto& [text, amount] : std::vector<std::pair<std::string, double>>{{"12.5", 12.5},
                                                                                {"-1.234,56", -1234.56},
                                                                                {"1,234.56", 1234.56},
                                                                                {"+ 7", 7},
                                                                                {"1.234.567", 1234567},
                                                                                {"12,", 12},
                                                                                {"-.5", -0.5},
                                                                                {"1'000.25", 1000.25}}) {
    EXPECT_EQ(statements::amount_of(text), amount) << text;
  }
  for (const char* text : {"", "abc", "1e5", "-"}) EXPECT_EQ(statements::amount_of(text), std::nullopt) << text;
}

TEST(Statements, OfxOfBothGenerations) {
  const std::string sgml =
      "OFXHEADER:100\nDATA:OFXSGML\nENCODING:USASCII\nCHARSET:1252\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<"
      "BANKACCTFROM><BANKID>1<ACCTID>DE12"
      "</BANKACCTFROM><BANKTRANLIST>\n<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20250131120000[-5:EST]<TRNAMT>-12,50<FITID>7<NAME>Caf\xE9 "
      "&amp; Bar<MEMO>breakfast\n"
      "<STMTTRN><TRNTYPE>FEE<DTPOSTED>20250131<TRNAMT>-1.00<FITID>7<NAME>Bank</STMTTRN></"
      "BANKTRANLIST><LEDGERBAL><BALAMT>100.25<DTASOF>20250201</LEDGERBAL></STMTRS></OFX>";
  const std::string xml =
      "<?xml version=\"1.0\"?><?OFX "
      "OFXHEADER=\"200\"?><OFX><CCSTMTRS><CURDEF>USD</CURDEF><CCACCTFROM><ACCTID>4111</ACCTID></"
      "CCACCTFROM><BANKTRANLIST><STMTTRN>"
      "<TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>20250202</DTPOSTED><TRNAMT>3.00</TRNAMT><FITID></FITID><NAME>Shop</NAME></"
      "STMTTRN><STMTTRN><NAME>no amount</NAME></STMTTRN>"
      "</BANKTRANLIST></CCSTMTRS></OFX>";
  const Files files{{"a.ofx", sgml}, {"b.qfx", xml}};
  const CollectingSink sink = read_files(statements_format(), files);
  const auto booked = sink.of("transactions");
  ASSERT_EQ(booked.size(), 3U);
  EXPECT_EQ(member(booked[0], "counterparty"), "Café & Bar");
  EXPECT_EQ(member(booked[0], "amount"), "-12.5");
  EXPECT_EQ(member(booked[0], "booked_on"), "2025-01-31");
  EXPECT_EQ(member(booked[0], "account"), "DE12");
  EXPECT_EQ(member(booked[0], "currency"), "EUR");
  EXPECT_NE(member(booked[0], "id"), member(booked[1], "id")) << "banks use one id for several bookings";
  EXPECT_EQ(member(booked[2], "account"), "4111");
  EXPECT_EQ(member(only(sink, "balances"), "amount"), "100.25");
  EXPECT_EQ(sink.losses.size(), 1U);
  expect_resumable(statements_format(), files);
}

TEST(Statements, QifDecidesTheOrderOfDayAndMonthOverTheFile) {
  const CollectingSink sink =
      read_files(statements_format(),
                 {{"giro.qif",
                   "!Account\nNGiro\n^\n!Type:Bank\nD1/ 2'25\nT-1,234.50\nPShop\nMfood\nLGroceries\n^\nD31/12'24\nT5\nPAda\n^\n"},
                  {"other.qif", "!Type:CCard\nD1/2/99\nT-1\nPX\n^\nDnever\nT1\n^\n!Type:Cat\nNFood\n^\n"}});
  const auto booked = sink.of("transactions");
  ASSERT_EQ(booked.size(), 3U);
  EXPECT_EQ(member(booked[0], "booked_on"), "2025-02-01");
  EXPECT_EQ(member(booked[0], "account"), "Giro");
  EXPECT_EQ(member(booked[0], "amount"), "-1234.5");
  EXPECT_EQ(member(booked[0], "category"), "Groceries");
  EXPECT_EQ(member(booked[0], "date_ambiguous"), "");
  EXPECT_EQ(member(booked[1], "booked_on"), "2024-12-31");
  EXPECT_EQ(member(booked[2], "booked_on"), "1999-01-02");
  EXPECT_EQ(member(booked[2], "date_ambiguous"), "true");
  EXPECT_EQ(sink.losses.size(), 1U);
}

TEST(Statements, Mt940WithGermanFields) {
  const CollectingSink sink =
      read_files(statements_format(), {{"a.sta",
                                        "{1:F01X}{4:\r\n:20:STARTUMS\r\n:25:10020030/1234567\r\n:28C:1/"
                                        "1\r\n:60F:C241231EUR100,00\r\n:61:2412310102DR12,50N024NONREF//1\r\n"
                                        ":86:177?00LASTSCHRIFT?20EREF+ABC-1 SVWZ+Rechn?21ung 20:44:45?31DE99?32Shop?33 "
                                        "GmbH\r\n:61:2502300230CR7,N060REF1\r\n:86:free text\r\nnext line\r\n"
                                        ":61:nonsense\r\n:62F:C250131EUR94,50\r\n:86:about the statement\r\n-}\r\n"}});
  const auto booked = sink.of("transactions");
  ASSERT_EQ(booked.size(), 2U);
  EXPECT_EQ(member(booked[0], "amount"), "-12.5");
  EXPECT_EQ(member(booked[0], "valued_on"), "2024-12-31");
  EXPECT_EQ(member(booked[0], "booked_on"), "2025-01-02") << "the nearest year";
  EXPECT_EQ(member(booked[0], "counterparty"), "Shop GmbH");
  EXPECT_EQ(member(booked[0], "counterparty_account"), "DE99");
  EXPECT_EQ(member(booked[0], "text"), "EREF+ABC-1 SVWZ+Rechnung 20:44:45");
  EXPECT_EQ(member(booked[0], "reference"), "ABC-1");
  EXPECT_EQ(member(booked[1], "valued_on"), "2025-02-28") << "banks write February 30";
  EXPECT_EQ(member(booked[1], "text"), "free textnext line");
  const auto balances = sink.of("balances");
  ASSERT_EQ(balances.size(), 2U);
  EXPECT_EQ(member(balances[1], "amount"), "94.5");
  EXPECT_EQ(sink.losses.size(), 1U);
}

TEST(Statements, CamtBatchesAreNotCountedTwice) {
  const std::string party =
      "<RltdPties><Cdtr><Pty><Nm>Shop</Nm></Pty></Cdtr><CdtrAcct><Id><IBAN>DE99</IBAN></Id></CdtrAcct></RltdPties>";
  const auto entry = [&](std::string_view amount, std::string_view details) {
    return "<Ntry><Amt Ccy=\"EUR\">" + std::string(amount) +
           "</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2025-01-31</Dt></BookgDt>"
           "<ValDt><DtTm>2025-02-01T00:00:00</DtTm></ValDt><AcctSvcrRef>R1</AcctSvcrRef><NtryDtls>" +
           std::string(details) + "</NtryDtls><AddtlNtryInf>card</AddtlNtryInf></Ntry>";
  };
  const std::string file =
      "<Document "
      "xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\"><BkToCstmrStmt><Stmt><Id>S1</Id><Acct><Id><IBAN>DE12</IBAN></"
      "Id></Acct>"
      "<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt "
      "Ccy=\"EUR\">5.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Dt><Dt>2025-01-31</Dt></Dt></Bal>" +
      entry("12.50",
            "<TxDtls><Refs><EndToEndId>E1</EndToEndId></Refs>" + party + "<RmtInf><Ustrd>breakfast</Ustrd></RmtInf></TxDtls>") +
      entry("30.00",
            "<Btch/><TxDtls><Amt Ccy=\"EUR\">10.00</Amt>" + party + "</TxDtls><TxDtls><Amt Ccy=\"EUR\">20.00</Amt></TxDtls>") +
      "</Stmt></BkToCstmrStmt></Document>";
  const CollectingSink sink = read_files(statements_format(), {{"a.xml", file}, {"b.xml", file.substr(0, file.size() - 60)}});
  const auto booked = sink.of("transactions");
  ASSERT_EQ(booked.size(), 4U);
  EXPECT_EQ(member(booked[0], "amount"), "-12.5");
  EXPECT_EQ(member(booked[0], "text"), "breakfast");
  EXPECT_EQ(member(booked[0], "counterparty"), "Shop");
  EXPECT_EQ(member(booked[0], "counterparty_account"), "DE99");
  EXPECT_EQ(member(booked[0], "account"), "DE12");
  EXPECT_EQ(member(booked[0], "valued_on"), "2025-02-01");
  EXPECT_EQ(member(booked[1], "amount"), "-10");
  EXPECT_EQ(member(booked[2], "amount"), "-20");
  EXPECT_EQ(member(booked[3], "id"), member(booked[0], "id")) << "the same booking in two files";
  EXPECT_EQ(member(sink.of("balances")[0], "amount"), "-5");
  EXPECT_EQ(sink.losses.size(), 1U);
}

TEST(Statements, EqualBookingsFarApartStayTwo) {
  constexpr std::string_view kFare = "D31/12/24\nT-2.50\nPBus\n^\n";
  std::string file = "!Account\nNGiro\n^\n!Type:Bank\n" + std::string(kFare);
  for (int i = 0; i < 100; ++i) file += "D31/12/24\nT-" + std::to_string(i) + "\nPShop\n^\n";
  const CollectingSink sink = read_files(statements_format(), {{"a.qif", file + std::string(kFare)}});
  std::set<std::string> ids;
  for (const Collected& each : sink.of("transactions")) ids.insert(member(each, "id"));
  EXPECT_EQ(ids.size(), 102U);
}

TEST(Statements, TheNameOfAFileIsShownAsAccountButIdentifiesNothing) {
  constexpr std::string_view kFile = "!Type:Bank\nD31/12/24\nT-2.50\nPBus\n^\n";
  const CollectingSink sink =
      read_files(statements_format(), {{"download.qif", std::string(kFile)}, {"download (1).qif", std::string(kFile)}});
  const auto booked = sink.of("transactions");
  ASSERT_EQ(booked.size(), 2U);
  EXPECT_EQ(member(booked[0], "id"), member(booked[1], "id"));
  EXPECT_NE(member(booked[0], "account"), member(booked[1], "account"));
  const CollectingSink named = read_files(statements_format(), {{"a.qif", "!Account\nNGiro\n^\n" + std::string(kFile)}});
  EXPECT_NE(member(only(named, "transactions"), "id"), member(booked[0], "id"));
}

TEST(Statements, CamtTakesOwnAmountsOfBalancesAndBookedAmountsOfBatches) {
  const std::string instructed = "<InstdAmt><Amt Ccy=\"USD\">11.00</Amt></InstdAmt>";
  const auto details = [&](std::string_view booked) {
    return "<TxDtls><AmtDtls>" + instructed + "<TxAmt><Amt Ccy=\"EUR\">" + std::string(booked) +
           "</Amt></TxAmt></AmtDtls></TxDtls>";
  };
  const CollectingSink sink = read_files(
      statements_format(),
      {{"a.xml",
        "<Document "
        "xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\"><BkToCstmrStmt><Stmt><Acct><Id><IBAN>DE12</IBAN></Id></Acct>"
        "<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><CdtLine><Incl>true</Incl><Amt Ccy=\"EUR\">900.00</Amt></CdtLine>"
        "<Amt Ccy=\"EUR\">5.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Dt><Dt>2025-01-31</Dt></Dt>"
        "<Avlbty><Dt><Dt>2025-02-05</Dt></Dt><Amt Ccy=\"USD\">7.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Avlbty></Bal>"
        "<Ntry><Amt Ccy=\"EUR\">30.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><BookgDt><Dt>2025-01-31</Dt></BookgDt><NtryDtls>" +
            details("10.00") + details("20.00") + "</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>"}});
  const Collected balance = only(sink, "balances");
  EXPECT_EQ(member(balance, "amount"), "-5");
  EXPECT_EQ(member(balance, "currency"), "EUR");
  EXPECT_EQ(member(balance, "day"), "2025-01-31");
  const auto booked = sink.of("transactions");
  ASSERT_EQ(booked.size(), 2U);
  EXPECT_EQ(member(booked[0], "amount"), "-10");
  EXPECT_EQ(member(booked[0], "currency"), "EUR");
  EXPECT_EQ(member(booked[1], "amount"), "-20");
}

}  // namespace
}  // namespace ladder::imports
