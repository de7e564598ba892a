// The trace that a request belongs to, as W3C Trace Context says it: traceparent: 00-<trace id 32 hex>-<parent id 16
// hex>-<flags>. It is written into the log, so that a line can be found from whoever traced the call; nothing else depends on it.
#pragma once

#include "http/message/message.h"

#include <string_view>

namespace ladder::http {

struct TraceContext {
  std::string_view trace_id, parent_id;  // inside the header; empty when there is none that is valid
};

TraceContext parse_traceparent(std::string_view header);
TraceContext trace_of(const Request& request);

}  // namespace ladder::http
