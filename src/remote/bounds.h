// max_field_chars and max_bytes are Ladder's own: a server that does not know them refuses the request, or ignores them. Then the
// adapter cuts (design D10).
#pragma once

#include "api/records.h"
#include "base/error/error.h"

#include <atomic>
#include <cstdint>

namespace ladder::remote {

inline constexpr std::int64_t kRowsWithoutBounds = 10;  // asked for at once where nothing bounds a row

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

// Says whether a refusal may be about the bounds.
bool may_mean_bounds(const Error& error);

// Asks with the request's bounds, and without them where the server refuses them; once that has helped, it is remembered.
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

// Cuts what is longer than max_chars, where the server did not. What it cut itself stays as it is.
void cut_where_needed(api::Record& record, std::int64_t max_chars);

}  // namespace ladder::remote
