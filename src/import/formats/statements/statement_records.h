// The records of bank statements, the same for all file formats.
#pragma once

#include "base/time/time.h"
#include "import/formats/record_members.h"
#include "import/io/sink.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::statements {

struct Transaction {
  std::string account, currency, counterparty, counterparty_account, text, kind, category, reference, check_number;
  std::string own_id;          // the bank's id, which is not always unique
  std::string booked, valued;  // days: 2025-01-31
  std::optional<double> amount;
  std::string amount_text;  // as written
  bool date_ambiguous = false;
  bool has_file_as_account = false;  // the account is the name of the file, which changes: it is shown, but not part of the id
};

struct Balance {
  std::string account, currency, kind, day;
  std::optional<double> amount;
};

class Writer {
 public:
  explicit Writer(Sink& sink) : sink_(sink) {}
  // Reports a transaction without a date or an amount as lost.
  Status send(const Transaction& transaction, const wire::FileLocation& place);
  Status send(const Balance& balance, const wire::FileLocation& place);

 private:
  Sink& sink_;
  DerivedIds ids_;
};

// "-1.234,56", "1,234.56", "12.5", "+ 7": the last separator followed by one or two digits is the decimal sign.
std::optional<double> amount_of(std::string_view text);
// "20250131…" and "2025-01-31…" → "2025-01-31"; "" if it is not a date.
std::string day_of(std::string_view text);

// --- one function per file format; `text` is valid UTF-8 ---
Status read_ofx(std::string_view text, const std::string& file, Sink& sink);
Status read_qif(std::string_view text, const std::string& file, std::string_view account, Sink& sink);
Status read_mt940(std::string_view text, const std::string& file, Sink& sink);
Status read_camt(Bytes& bytes, const std::string& file, Sink& sink);

}  // namespace ladder::imports::statements
