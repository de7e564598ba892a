#include "http/otlp/exporter.h"

#include "base/text/format.h"
#include "http/message/message.h"
#include "http/message/origin.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::http {
namespace {

constexpr std::string_view kTracesPath = "/v1/traces";
constexpr int kOtlpError = 2;  // STATUS_CODE_ERROR
constexpr std::size_t kMaxAnswerBytes = 64 * 1024;

std::unexpected<Error> bad_endpoint(std::string_view url) {
  return fail(Code::kInvalidRequest,
              format("'{}' is not the address of an OTLP collector; use http://127.0.0.1:4318 or https://host/path", url),
              "--otlp-endpoint");
}

void write_text(json::Writer& out, std::string_view name, std::string_view value) {
  out.begin_object().member("key", name).key("value").begin_object().member("stringValue", value).end_object().end_object();
}

void write_number(json::Writer& out, std::string_view name, std::int64_t value) {
  out.begin_object().member("key", name).key("value").begin_object();
  out.member("intValue", std::to_string(value)).end_object().end_object();  // protobuf's JSON encodes 64-bit integers as strings
}

void write_span(json::Writer& out, const Span& span) {
  const auto nanoseconds = [](Instant at) { return std::to_string(at * 1000); };
  out.begin_object().member("traceId", span.context.trace_id).member("spanId", span.context.span_id);
  out.optional_member("parentSpanId", span.context.parent_id).optional_member("traceState", span.context.state);
  out.member("name", span.name).member("kind", static_cast<int>(span.kind));
  out.member("startTimeUnixNano", nanoseconds(span.begin)).member("endTimeUnixNano", nanoseconds(span.end));
  out.key("attributes").begin_array();
  for (const auto& [name, value] : span.texts) write_text(out, name, value);
  for (const auto& [name, value] : span.numbers) write_number(out, name, value);
  out.end_array();
  out.key("status").begin_object();
  if (span.failed) out.member("code", kOtlpError);
  out.end_object().end_object();
}

}  // namespace

std::string otlp_json(const std::deque<Span>& spans, std::string_view version) {
  json::Writer out;
  out.begin_object().key("resourceSpans").begin_array().begin_object();
  out.key("resource").begin_object().key("attributes").begin_array();
  write_text(out, "service.name", "ladder");
  write_text(out, "service.version", version);
  out.end_array().end_object();
  out.key("scopeSpans").begin_array().begin_object();
  out.key("scope").begin_object().member("name", "ladder").member("version", version).end_object();
  out.key("spans").begin_array();
  for (const Span& span : spans) write_span(out, span);
  out.end_array().end_object().end_array().end_object().end_array().end_object();
  return out.take();
}

OtlpExporter::OtlpExporter(OtlpOptions options)
    : options_(std::move(options)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

OtlpExporter::~OtlpExporter() {
  thread_.request_stop();
  thread_.join();
}

Status OtlpExporter::set_endpoint(std::string_view url) {
  std::shared_ptr<Collector> collector;
  if (!url.empty()) {
    const std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos || url.find_first_of("?# \t") != std::string_view::npos) return bad_endpoint(url);
    const std::size_t slash = std::min(url.find('/', scheme + 3), url.size());
    std::string_view path = url.substr(slash);
    while (path.ends_with('/')) path.remove_suffix(1);
    ClientOptions options;
    options.origin = url.substr(0, slash);
    options.timeout = options_.timeout;
    options.max_body_bytes = kMaxAnswerBytes;
    auto client = Client::create(options);
    if (!client) return bad_endpoint(url);
    collector = std::make_shared<Collector>(Collector{*std::move(client), std::string(path) + std::string(kTracesPath)});
  }
  const MutexLock lock(mutex_);
  collector_ = std::move(collector);
  wants_.store(collector_ != nullptr, std::memory_order_relaxed);
  return {};
}

void OtlpExporter::add(Span span) {
  if (!span.context.sampled || !wants_spans()) return;
  bool full = false;
  {
    const MutexLock lock(mutex_);
    if (queue_.size() >= options_.max_queue) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    queue_.push_back(std::move(span));
    full = queue_.size() == options_.max_batch;
  }
  if (full) wake_.notify_one();
}

OtlpExporter::Figures OtlpExporter::figures() const {
  return {sent_.load(std::memory_order_relaxed), dropped_.load(std::memory_order_relaxed),
          failed_.load(std::memory_order_relaxed)};
}

void OtlpExporter::run(const std::stop_token& stop) {
  for (bool last = false; !last;) {
    std::deque<Span> batch;
    std::shared_ptr<Collector> to;
    {
      MutexLock lock(mutex_);
      wake_.wait_for(lock, stop, options_.every, [&]() LADDER_REQUIRES(mutex_) { return queue_.size() >= options_.max_batch; });
      last = stop.stop_requested();
      to = collector_;
      while (!queue_.empty() && (last || batch.size() < options_.max_batch)) {
        batch.push_back(std::move(queue_.front()));
        queue_.pop_front();
      }
    }
    if (last) send(batch, to, options_.last_timeout, {});
    else send(batch, to, options_.timeout, stop);
  }
}

void OtlpExporter::send(const std::deque<Span>& batch, const std::shared_ptr<Collector>& to, std::chrono::milliseconds timeout,
                        const std::stop_token& stop) {
  if (batch.empty()) return;
  ClientRequest request;
  request.method = "POST";
  request.headers.set("Content-Type", "application/json");
  request.headers.set("User-Agent", "ladder");
  request.deadline = std::chrono::steady_clock::now() + timeout;
  bool taken = false;
  if (to) {
    request.target = to->target;
    request.body = otlp_json(batch, options_.version);
    const auto answer = to->client->send(request, stop);
    taken = answer && answer->status >= 200 && answer->status <= 299;
  }
  (taken ? sent_ : failed_).fetch_add(batch.size(), std::memory_order_relaxed);
}

}  // namespace ladder::http
