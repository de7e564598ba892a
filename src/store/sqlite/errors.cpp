// Messages go to callers, who may be far away, so they name no path; the log detail does. What is said while a store is being
// opened is for the person at the machine and carries the path (connection.cpp).
#include "store/sqlite/errors.h"

#include "base/format.h"

#include <cerrno>
#include <string>
#include <system_error>

namespace ladder::store::sqlite {
namespace {

constexpr std::string_view kDiskFull =
    "the disk that holds the store is full: this was not written; free some space and try again";
constexpr std::string_view kReadOnly =
    "the store is read-only: make its file and the folder around it writable for this user, then try again";

constexpr std::string_view kWordsDamaged =
    "the word index of the store is damaged: `ladder doctor --repair` makes it anew from the records";

bool means_full(int error_number) { return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG; }

std::string system_text(int error_number) {
  return error_number == 0 ? "input/output error" : std::generic_category().message(error_number);
}

struct Meaning {
  Code code;
  std::string message;
};

Meaning meaning_of(int rc, int error_number) {
  switch (rc & 0xff) {
    case SQLITE_FULL:
      return {Code::kStoreUnavailable, std::string(kDiskFull)};
    case SQLITE_IOERR:
      // The log's index grows by writing one byte; that fails only where there is no room.
      if (means_full(error_number) || rc == SQLITE_IOERR_SHMSIZE) return {Code::kStoreUnavailable, std::string(kDiskFull)};
      return {Code::kStoreUnavailable, format("the store's files cannot be read or written ({}): check the disk, then try again",
                                              system_text(error_number))};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {Code::kStoreUnavailable, std::string(kReadOnly)};
    case SQLITE_CANTOPEN:
      return {Code::kStoreUnavailable,
              "the store's files cannot be opened: check that this user may read and write the file and the folder around it"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Code::kStoreUnavailable,
              "the store is busy: another program keeps its file locked; close that program or wait, then try again"};
    case SQLITE_CORRUPT:
      if (rc == SQLITE_CORRUPT_VTAB) return {Code::kStoreUnavailable, std::string(kWordsDamaged)};
      return {Code::kStoreUnavailable, "the store's file is damaged: restore it from a backup"};
    case SQLITE_NOTADB:
      return {Code::kStoreUnavailable,
              "the file is not a Ladder store, or is damaged: choose another path, or restore it from a backup"};
    case SQLITE_NOMEM:
      return {Code::kStoreUnavailable, "there is not enough memory to use the store: try again later"};
    case SQLITE_ERROR:
    case SQLITE_SCHEMA:
      return {Code::kStoreUnavailable,
              "the store's tables are not those this Ladder knows: it was changed while in use; restart with the newest Ladder"};
    case SQLITE_TOOBIG:
      return {Code::kResourceLimit, "a value is larger than the store can hold"};
    default:
      return {Code::kInternal, "the store failed in a way it never should"};
  }
}

}  // namespace

bool means_disk_full(const Error& error) { return error.message == kDiskFull; }

Error sqlite_error(sqlite3* db, int rc, std::string_view doing) {
  const int error_number = db ? sqlite3_system_errno(db) : 0;
  auto [code, message] = meaning_of(rc, error_number);
  Error error{code, std::move(message)};
  error.log_detail = format("sqlite {} ({}){}{}: {}", rc, db ? sqlite3_errmsg(db) : sqlite3_errstr(rc), error_number ? ", " : "",
                            error_number ? system_text(error_number) : "", doing);
  return error;
}

Error file_error(int error_number, std::string_view path, std::string_view doing) {
  Error error{Code::kStoreUnavailable, {}};
  if (means_full(error_number)) {
    error.message = kDiskFull;
  } else if (error_number == EROFS || error_number == EACCES || error_number == EPERM) {
    error.message = kReadOnly;
  } else {
    error.message =
        format("the store's files cannot be used ({}): check the disk and the folder, then try again", system_text(error_number));
  }
  error.log_detail = format("{} {}: {}", doing, path, system_text(error_number));
  return error;
}

}  // namespace ladder::store::sqlite
