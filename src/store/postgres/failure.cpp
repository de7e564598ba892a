#include "store/postgres/failure.h"

#include "base/format.h"

#include <utility>

namespace ladder::store::postgres {
namespace {

bool starts_with_class(std::string_view state, std::string_view first_two) { return state.substr(0, 2) == first_two; }

Error unavailable(std::string message, std::string detail) {
  return {.code = Code::kStoreUnavailable, .message = std::move(message), .log_detail = std::move(detail)};
}

Error not_set_up(std::string message, std::string detail) {
  return {.code = Code::kNotSetUp, .message = std::move(message), .log_detail = std::move(detail)};
}

}  // namespace

bool means_lost(std::string_view state) {
  return starts_with_class(state, "08") || state == "57P01" || state == "57P02" || state == "57P03" || state == "57P05" ||
         state == "25P03";
}

bool means_try_again(std::string_view state) { return state == sqlstate::kSerialization || state == sqlstate::kDeadlock; }

Error lost_connection(const Address& address, std::string detail) {
  return unavailable(
      format("the PostgreSQL server went away ({}): start it again or check the network, then repeat the call; what was "
             "not acknowledged may be sent again",
             address.shown),
      address.redact(std::move(detail)));
}

Error cannot_connect(const Address& address, std::string_view state, std::string detail) {
  detail = address.redact(std::move(detail));
  if (state == "3D000") {
    return not_set_up(
        format("there is no such database ({}): create it with `createdb -E UTF8 NAME`, then run `ladder init`", address.shown),
        std::move(detail));
  }
  if (starts_with_class(state, "28")) {
    return unavailable(format("PostgreSQL refuses the user or password of {}: check them in the address", address.shown),
                       std::move(detail));
  }
  if (state == "53300") {
    return unavailable(
        format("PostgreSQL has no connection left for {}: raise max_connections, or run fewer programs on it", address.shown),
        std::move(detail));
  }
  return unavailable(
      format("PostgreSQL cannot be reached at {}: start the server, or check host, port and network", address.shown),
      std::move(detail));
}

Error failed_statement(const Address& address, std::string_view state, std::string detail) {
  detail = format("SQLSTATE {}: {}", state, address.redact(std::move(detail)));
  if (state == "57014") {
    return unavailable("PostgreSQL took longer over a statement than Ladder waits: try again when the server is less busy",
                       std::move(detail));
  }
  if (state == "55P03") {
    return unavailable("another program keeps rows of the store locked: end it (see pg_stat_activity), then try again",
                       std::move(detail));
  }
  if (means_try_again(state)) {
    return unavailable("other writers got in the way of this one, twice: try again", std::move(detail));
  }
  if (state == "53100") {
    return unavailable("the disk of the PostgreSQL server is full: free some space there, then try again", std::move(detail));
  }
  if (starts_with_class(state, "53")) {
    return unavailable("the PostgreSQL server has run out of memory or another resource: try again, or give it more",
                       std::move(detail));
  }
  if (state == "25006") {
    return unavailable(format("{} is read-only, as a standby is: give the address of the primary server", address.shown),
                       std::move(detail));
  }
  if (state == "42501") {
    return unavailable(format("the PostgreSQL user of {} lacks a right on the schema ladder: grant it, or use the user that ran "
                              "`ladder init`",
                              address.shown),
                       std::move(detail));
  }
  if (state == "42P01" || state == "3F000" || state == "42703") {
    return not_set_up(format("the tables of the store in {} are missing or of another version: run `ladder init`", address.shown),
                      std::move(detail));
  }
  if (starts_with_class(state, "58") || starts_with_class(state, "XX")) {
    return unavailable("the PostgreSQL server cannot read or write its files: see its log", std::move(detail));
  }
  if (state == "22021" || state == "22P05") {
    return {.code = Code::kInvalidRequest,
            .message = "a name holds NUL or invalid UTF-8, which PostgreSQL text cannot: leave it out",
            .log_detail = std::move(detail)};
  }
  if (state == sqlstate::kUniqueViolation) {
    return {.code = Code::kConflict, .message = "it exists already", .log_detail = std::move(detail)};
  }
  return {.code = Code::kInternal,
          .message = "the store failed in a way it should not: the log has the details",
          .log_detail = std::move(detail)};
}

}  // namespace ladder::store::postgres
