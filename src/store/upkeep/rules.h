// Invariants between the rows of one owner that a query can check, for both engines.
#pragma once

#include "store/sql/database.h"

#include <functional>
#include <string>

namespace ladder::store {

using ReportFault = std::function<void(std::string sentence)>;

// Checks the owner of the session, and reports a sentence for every row that breaks a rule.
Status check_rules(sql::Session& session, const ReportFault& report);

}  // namespace ladder::store
