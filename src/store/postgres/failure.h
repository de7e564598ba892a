// From what PostgreSQL says to what Ladder says: SQLSTATE codes become typed errors with the way out.
#pragma once

#include "base/result.h"
#include "store/postgres/address.h"

#include <string>
#include <string_view>

namespace ladder::store::postgres {

namespace sqlstate {
inline constexpr std::string_view kSerialization = "40001";
inline constexpr std::string_view kDeadlock = "40P01";
inline constexpr std::string_view kUniqueViolation = "23505";
inline constexpr std::string_view kStalePlan = "0A000";
}  // namespace sqlstate

// The server ended the connection, or never took it up.
bool means_lost(std::string_view state);
// The transaction failed only because of its company: the same one may succeed now.
bool means_try_again(std::string_view state);

Error lost_connection(const Address& address, std::string detail);
Error cannot_connect(const Address& address, std::string_view state, std::string detail);
Error failed_statement(const Address& address, std::string_view state, std::string detail);

}  // namespace ladder::store::postgres
