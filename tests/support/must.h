// Unwraps a Result. Throws if it is an error, which fails the test, so that nothing after it runs.
#pragma once

#include "base/error/error.h"
#include "base/text/format.h"

#include <stdexcept>
#include <utility>

namespace ladder::test_support {

inline void must(const Status& status) {
  if (status) return;
  const Error& error = status.error();
  throw std::runtime_error(format("{}: {} [{}]", error.wire(), error.message, error.log_detail));
}

template <class T>
T must(Result<T> result) {
  if (!result) must(Status(std::unexpected(std::move(result).error())));
  return *std::move(result);
}

}  // namespace ladder::test_support
