// Distributed traces (W3C Trace Context): the trace that an operation belongs to, and a span with its duration and
// result. Spans never contain an owner, a record or search words.
#pragma once

#include "base/time/time.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::http {

inline constexpr std::size_t kMaxStateBytes = 512;

// A parsed traceparent: 00-<trace id 32 hex>-<parent id 16 hex>-<flags>.
struct Parent {
  std::string_view trace_id, parent_id;  // inside the text; empty if it is invalid
  bool sampled = false;

  explicit operator bool() const { return !trace_id.empty(); }
};
Parent parse_traceparent(std::string_view text);

// An operation in a trace, and its parent.
struct SpanContext {
  std::string trace_id = {};   // empty: not in a trace
  std::string span_id = {};    // its own
  std::string parent_id = {};  // of the parent; empty: none
  std::string state = {};      // the tracestate, forwarded without parsing
  bool sampled = true;         // the trace is being recorded

  explicit operator bool() const { return !trace_id.empty(); }
  std::string traceparent() const;  // for outgoing calls
};

SpanContext begin_trace();
// A tracestate that is too long or not printable ASCII is dropped.
SpanContext continue_trace(const Parent& parent, std::string_view state);
SpanContext child_of(const SpanContext& parent);

enum class SpanKind : std::uint8_t { kServer = 2, kClient = 3 };  // OTLP values

struct Span {
  SpanContext context;
  SpanKind kind = SpanKind::kServer;
  std::string name;
  Instant begin = 0, end = 0;
  bool failed = false;
  // Attributes: names from the OpenTelemetry conventions, values known to the program.
  std::vector<std::pair<std::string_view, std::string>> texts = {};
  std::vector<std::pair<std::string_view, std::int64_t>> numbers = {};
};

// Receives finished spans. Thread-safe; does not block.
class SpanSink {
 public:
  virtual ~SpanSink() = default;
  virtual bool wants_spans() const = 0;  // if false, no new traces are started
  virtual void add(Span span) = 0;
};

// The current operation of this thread, for code that makes outgoing calls. Scopes nest; the innermost is current.
class Scope {
 public:
  Scope(const SpanContext& context, SpanSink* sink);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  static const Scope* current();  // null: none
  const SpanContext& context() const { return context_; }
  SpanSink* sink() const { return sink_; }  // null: spans are not recorded

 private:
  const SpanContext& context_;
  SpanSink* sink_;
  const Scope* outer_;
};

}  // namespace ladder::http
