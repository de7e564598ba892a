// Traces across programs: which trace a piece of work belongs to (W3C Trace Context), and the span that says how long it took and
// how it ended. Nothing in a span names an owner, a record or words that somebody looked for.
#pragma once

#include "base/time/time.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::trace {

inline constexpr std::size_t kMaxStateBytes = 512;

// A traceparent taken apart: 00-<trace id 32 hex>-<parent id 16 hex>-<flags>.
struct Parent {
  std::string_view trace_id, parent_id;  // inside the text; empty when it is not valid
  bool sampled = false;

  explicit operator bool() const { return !trace_id.empty(); }
};
Parent parse_traceparent(std::string_view text);

// A piece of work in a trace, and what caused it.
struct SpanContext {
  std::string trace_id = {};   // empty: it is in no trace
  std::string span_id = {};    // its own
  std::string parent_id = {};  // of what caused it; empty: nothing did
  std::string state = {};      // the tracestate, which goes with the trace unread
  bool sampled = true;         // somebody wants to see it

  explicit operator bool() const { return !trace_id.empty(); }
  std::string traceparent() const;  // for those that this work calls
};

SpanContext begin_trace();
// A tracestate that is too long or no printable ASCII is left behind.
SpanContext continue_trace(const Parent& parent, std::string_view state);
SpanContext child_of(const SpanContext& parent);

enum class SpanKind : std::uint8_t { kServer = 2, kClient = 3 };  // as OTLP counts them

struct Span {
  SpanContext context;
  SpanKind kind = SpanKind::kServer;
  std::string name;
  Instant begin = 0, end = 0;
  bool failed = false;
  // Attributes: names of the OpenTelemetry conventions, values that the program itself knows.
  std::vector<std::pair<std::string_view, std::string>> texts = {};
  std::vector<std::pair<std::string_view, std::int64_t>> numbers = {};
};

// Takes spans that have ended. Thread-safe; nobody waits in it.
class SpanSink {
 public:
  virtual ~SpanSink() = default;
  virtual bool wants_spans() const = 0;  // else a trace that nobody began is not begun here
  virtual void add(Span span) = 0;
};

// The work that this thread does, for those deeper in it that call other programs. The innermost counts.
class Scope {
 public:
  Scope(const SpanContext& context, SpanSink* sink);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  static const Scope* current();  // null: there is none
  const SpanContext& context() const { return context_; }
  SpanSink* sink() const { return sink_; }  // null: nobody takes spans

 private:
  const SpanContext& context_;
  SpanSink* sink_;
  const Scope* outer_;
};

}  // namespace ladder::trace
