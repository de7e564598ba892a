// camt.053, 052 and 054 (ISO 20022) of all versions: names are compared without their namespace.
#include "import/formats/statements/statement_records.h"

#include "base/text/format.h"
#include "import/text/text.h"
#include "import/xml/xml_reader.h"

#include <algorithm>

namespace ladder::imports::statements {
namespace {

using Step = XmlReader::Step;

constexpr std::size_t kMaxValueBytes = 64 * 1024;

class Reader {
 public:
  Reader(Bytes& bytes, const std::string& file, Sink& sink) : xml_(bytes), file_(file), sink_(sink), writer_(sink) {}

  Status run() {
    for (;;) {
      LADDER_TRY(const Step step, xml_.next());
      if (step == Step::kDone) return {};
      if (step == Step::kDamaged) return sink_.lost({file_, -1}, format("the rest of the file cannot be read: {}", xml_.why()));
      if (step == Step::kText) {
        value_ += beginning(xml_.text(), kMaxValueBytes - std::min(kMaxValueBytes, value_.size()));
        continue;
      }
      if (step == Step::kStart) start();
      else LADDER_CHECK(end());
    }
  }

 private:
  bool is_inside(std::string_view name) const { return std::ranges::find(path_, name) != path_.end(); }

  void start() {
    value_.clear();
    path_.emplace_back(xml_.name());
    const std::string& name = path_.back();
    if (name == "Amt") currency_ = xml_.attribute("Ccy");
    if (name == "Stmt" || name == "Rpt" || name == "Ntfctn") account_.clear();
    if (name == "Ntry") {
      entry_ = {};
      details_.clear();
      begin_ = xml_.offset();
      sign_ = 1;
      is_instructed_ = false;
    } else if (name == "TxDtls") {
      is_instructed_ = false;
      details_.emplace_back();
    } else if (name == "Bal") {
      balance_ = {};
      sign_ = 1;
    }
  }

  Transaction& current() { return is_inside("TxDtls") && !details_.empty() ? details_.back() : entry_; }

  Status end() {
    const std::string name = path_.empty() ? std::string() : path_.back();
    const std::string value(trim(value_));
    value_.clear();
    if (!path_.empty()) path_.pop_back();
    const std::string parent = path_.empty() ? std::string() : path_.back();
    if (name == "Ntry") return send();
    if (name == "Bal") return send_balance();
    if (value.empty()) return {};
    if (is_inside("Ntry")) in_entry(name, parent, value);
    else if (is_inside("Bal")) in_balance(name, parent, value);
    else if ((name == "IBAN" || name == "Id") && is_inside("Acct") && account_.empty()) account_ = value;
    return {};
  }

  void in_balance(const std::string& name, const std::string& parent, const std::string& value) {
    // A balance also has the amounts and dates of credit lines and of money that is available later.
    const bool is_own = parent == "Bal", is_own_date = parent == "Dt" && path_.size() > 1 && path_[path_.size() - 2] == "Bal";
    if (name == "Amt" && is_own) balance_.amount = amount_of(value), balance_.currency = currency_;
    else if (name == "CdtDbtInd" && is_own) sign_ = value == "DBIT" ? -1 : 1;
    else if ((name == "Dt" || name == "DtTm") && is_own_date) balance_.day = day_of(value);
    else if (name == "Cd" && parent == "CdOrPrtry")
      balance_.kind = value == "OPBD" ? "opening" : value == "CLBD" ? "closing" : value == "CLAV" ? "available" : value;
  }

  void in_entry(const std::string& name, const std::string& parent, const std::string& value) {
    Transaction& to = current();
    const bool in_details = is_inside("TxDtls");
    const bool is_booked = parent == "TxDtls" || parent == "TxAmt";  // the instructed amount may have another currency
    if (name == "Amt" && parent == "Ntry") {
      to.amount = amount_of(to.amount_text = value);
      to.currency = currency_;
    } else if (name == "Amt" && (is_booked || parent == "InstdAmt") && (!to.amount || (is_booked && is_instructed_))) {
      is_instructed_ = !is_booked;
      to.amount = amount_of(to.amount_text = value);
      to.currency = currency_;
    } else if (name == "CdtDbtInd") {
      if (parent == "Ntry") sign_ = value == "DBIT" ? -1 : 1;
    } else if (name == "Dt" || name == "DtTm") {
      if (parent == "BookgDt") entry_.booked = day_of(value);
      else if (parent == "ValDt") entry_.valued = day_of(value);
    } else if (name == "AcctSvcrRef" && to.own_id.empty()) {
      to.own_id = value;
    } else if (name == "EndToEndId" && value != "NOTPROVIDED") {
      to.reference = value;
    } else if (name == "AddtlNtryInf") {
      entry_.text = value;
    } else if (name == "AddtlTxInf" || name == "Ustrd" || (name == "Ref" && is_inside("Strd"))) {
      to.text += (to.text.empty() ? "" : "\n") + value;
    } else if (name == "Nm" && in_details && (is_inside("Cdtr") || is_inside("Dbtr")) && !is_inside("RltdAgts")) {
      to.counterparty = is_inside("Cdtr") == (sign_ < 0) ? value : to.counterparty;
    } else if (name == "IBAN" && in_details && (is_inside("CdtrAcct") || is_inside("DbtrAcct"))) {
      if (is_inside("CdtrAcct") == (sign_ < 0)) to.counterparty_account = value;
    } else if (name == "Cd" && parent == "Fmly") {
      entry_.kind = value;
    } else if (name == "Cd" && parent == "Prtry" && entry_.kind.empty()) {
      entry_.kind = value;
    }
  }

  // An entry with several details is a batch: the details are the bookings, and their sum is the entry.
  Status send() {
    entry_.account = account_;
    const bool has_amounts = std::ranges::all_of(details_, [](const Transaction& each) { return each.amount.has_value(); });
    const bool is_batch = details_.size() > 1 && has_amounts;
    const wire::FileLocation place{file_, begin_};
    if (!is_batch) {
      for (const Transaction& each : details_) {
        if (!each.text.empty() && entry_.text != each.text)
          entry_.text = details_.size() == 1 ? each.text : entry_.text + (entry_.text.empty() ? "" : "\n") + each.text;
        if (entry_.counterparty.empty()) entry_.counterparty = each.counterparty;
        if (entry_.counterparty_account.empty()) entry_.counterparty_account = each.counterparty_account;
        if (entry_.reference.empty()) entry_.reference = each.reference;
        if (entry_.own_id.empty()) entry_.own_id = each.own_id;
      }
      return send_one(entry_, place);
    }
    for (std::size_t i = 0; i < details_.size(); ++i) {
      Transaction each = details_[i];
      each.account = entry_.account;
      each.booked = entry_.booked;
      each.valued = entry_.valued;
      each.kind = entry_.kind;
      each.own_id = format("{} {} {}", entry_.own_id, each.own_id, i);
      LADDER_CHECK(send_one(each, place));
    }
    return {};
  }

  Status send_one(Transaction booking, const wire::FileLocation& place) {
    if (booking.amount && sign_ < 0) {
      booking.amount = -*booking.amount;
      booking.amount_text.insert(0, "-");
    }
    return writer_.send(booking, place);
  }

  Status send_balance() {
    balance_.account = account_;
    if (balance_.amount && sign_ < 0) balance_.amount = -*balance_.amount;
    return writer_.send(balance_, {file_, -1});
  }

  XmlReader xml_;
  const std::string& file_;
  Sink& sink_;
  Writer writer_;
  std::vector<std::string> path_;
  std::string value_, account_, currency_;
  Transaction entry_;
  std::vector<Transaction> details_;
  Balance balance_;
  std::int64_t begin_ = 0;
  int sign_ = 1;
  bool is_instructed_ = false;  // the amount of the details is the instructed one
};

}  // namespace

Status read_camt(Bytes& bytes, const std::string& file, Sink& sink) { return Reader(bytes, file, sink).run(); }

}  // namespace ladder::imports::statements
