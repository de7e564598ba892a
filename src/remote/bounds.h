// max_field_chars and max_bytes are Ladder extensions. A server that does not know them rejects the request or ignores them;
// then the adapter truncates (design D10).
#pragma once

#include "api/records.h"
#include "base/error/error.h"

#include <atomic>
#include <cstdint>

namespace ladder::remote {

inline constexpr std::int64_t kRowsWithoutBounds = 10;  // page size if nothing bounds a row

template <class Request>
bool has_bounds(const Request& request) {
  return request.max_field_chars || request.max_bytes;
}

template <class Request>
Request without_bounds(Request request) {
  request.max_field_chars.reset();
  request.max_bytes.reset();
  return request;
}

// Reports whether an error may be caused by the bounds.
bool may_mean_bounds(const Error& error);

// Sends the request with its bounds, and without them if the server rejects them. If that succeeds, it is remembered.
template <class Answer, class Request, class Ask>
Result<Answer> ask_bounded(const Request& request, std::atomic<bool>& refuses_bounds, Ask ask) {
  if (!has_bounds(request)) return ask(request);
  if (!refuses_bounds) {
    Result<Answer> answer = ask(request);
    if (answer || !may_mean_bounds(answer.error())) return answer;
  }
  Result<Answer> answer = ask(without_bounds(request));
  if (answer) refuses_bounds = true;
  return answer;
}

// Truncates values longer than max_chars if the server did not. Values truncated by the server stay unchanged.
void truncate_long_values(api::Record& record, std::int64_t max_chars);

}  // namespace ladder::remote
