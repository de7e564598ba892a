// Errors of arguments are usage, errors of authority are refusals; everything else simply failed.
#include "cli/exit_code.h"

namespace ladder::cli {

int exit_code(Code code) {
  switch (code) {
    case Code::kInvalidRequest:
    case Code::kInvalidArgument:
    case Code::kInvalidId:
    case Code::kInvalidHandle:
    case Code::kConflictingConnection:
    case Code::kInvalidFieldPath:
    case Code::kInvalidWindow:
      return kUsage;
    case Code::kNotSetUp:
      return kNotSetUp;
    default:
      break;
  }
  const int status = info(code).http_status;
  return status == 401 || status == 403 ? kRefused : kFailed;
}

}  // namespace ladder::cli
