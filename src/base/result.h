// Result<T>: a value or an Error. LADDER_TRY unwraps one or returns its error from the enclosing function.
#pragma once

#include "base/error.h"

#include <expected>
#include <utility>

namespace ladder {

template <class T>
using Result = std::expected<T, Error>;
using Status = std::expected<void, Error>;

inline std::unexpected<Error> fail(Code code, std::string message, std::string param = {}) {
  return std::unexpected<Error>(Error{code, std::move(message), std::move(param)});
}

}  // namespace ladder

#define LADDER_CONCAT_(a, b) a##b
#define LADDER_CONCAT(a, b) LADDER_CONCAT_(a, b)

// LADDER_TRY(auto row, store.read(key));  or, for a Status:  LADDER_CHECK(store.write(row));
#define LADDER_TRY(declaration, expression) LADDER_TRY_(declaration, expression, LADDER_CONCAT(ladder_try_, __LINE__))
#define LADDER_TRY_(declaration, expression, temporary)                 \
  auto temporary = (expression);                                        \
  if (!temporary) return std::unexpected(std::move(temporary).error()); \
  declaration = *std::move(temporary)
#define LADDER_CHECK(expression)                                                                                  \
  do {                                                                                                            \
    if (auto ladder_check = (expression); !ladder_check) return std::unexpected(std::move(ladder_check).error()); \
  } while (false)
