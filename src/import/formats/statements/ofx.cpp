// OFX and QFX: SGML without end tags of values (1.x), or XML (2.x). Both are read as a sequence of tags with values.
#include "import/formats/statements/statement_records.h"

#include "import/html/html_text.h"
#include "import/text/text.h"

namespace ladder::imports::statements {
namespace {

std::string plain(std::string_view value) {
  value = trim(value);
  return value.find('&') == std::string_view::npos ? std::string(value) : html_to_text(value, "utf-8").text;
}

}  // namespace

Status read_ofx(std::string_view text, const std::string& file, Sink& sink) {
  Writer writer(sink);
  std::string account, currency;
  Transaction now;
  Balance balance;
  bool in_booking = false, in_other_account = false;
  std::int64_t begin = 0;
  const auto finish = [&]() -> Status {
    if (!std::exchange(in_booking, false)) return {};
    now.account = account;
    if (now.currency.empty()) now.currency = currency;
    return writer.send(std::exchange(now, {}), {file, begin});
  };
  for (std::size_t at = text.find('<'); at != std::string_view::npos;) {
    const std::size_t close = text.find('>', at);
    if (close == std::string_view::npos) break;
    std::string tag;
    for (const char c : text.substr(at + 1, close - at - 1)) tag += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    const std::size_t next = text.find('<', close);
    const std::string_view raw = text.substr(close + 1, next == std::string_view::npos ? next : next - close - 1);
    const auto place = static_cast<std::int64_t>(at);
    at = next;
    if (tag == "STMTTRN") {
      LADDER_CHECK(finish());
      in_booking = true;
      begin = place;
    } else if (tag == "/STMTTRN" || tag == "/BANKTRANLIST" || tag == "LEDGERBAL" || tag == "AVAILBAL") {
      LADDER_CHECK(finish());
      if (tag.ends_with("BAL")) balance = {account, currency, tag == "LEDGERBAL" ? "closing" : "available", {}, {}};
    } else if (tag == "/LEDGERBAL" || tag == "/AVAILBAL" || tag == "/STMTRS" || tag == "/CCSTMTRS") {
      LADDER_CHECK(writer.send(std::exchange(balance, {}), {file, place}));
    } else if (tag == "BANKACCTTO" || tag == "CCACCTTO") {
      in_other_account = true;
    } else if (tag == "/BANKACCTTO" || tag == "/CCACCTTO") {
      in_other_account = false;
    } else if (tag == "CURDEF") {
      currency = plain(raw);
    } else if (tag == "ACCTID") {
      if (in_other_account) now.counterparty_account = plain(raw);
      else account = plain(raw);
    } else if (tag == "BALAMT") {
      balance.amount = amount_of(plain(raw));
    } else if (tag == "DTASOF") {
      balance.day = day_of(raw);
    } else if (in_booking) {
      const std::string value = plain(raw);
      if (tag == "TRNTYPE") now.kind = lower_ascii(value);
      else if (tag == "DTPOSTED") now.booked = day_of(value);
      else if (tag == "DTAVAIL") now.valued = day_of(value);
      else if (tag == "TRNAMT") now.amount = amount_of(now.amount_text = value);
      else if (tag == "FITID") now.own_id = value, now.reference = value;
      else if (tag == "CHECKNUM") now.check_number = value;
      else if (tag == "NAME" && now.counterparty.empty()) now.counterparty = value;
      else if (tag == "MEMO") now.text = value;
      else if (tag == "CURSYM") now.currency = value;
    }
  }
  return finish();
}

}  // namespace ladder::imports::statements
