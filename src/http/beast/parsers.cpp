// The two parsers, based on Boost.Beast's basic_parser. The callbacks write directly to our own messages.
#include "http/beast/parsers.h"
#include "base/text/format.h"
#include "http/message/message.h"

#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <limits>

namespace ladder::http {
namespace {

namespace beast = boost::beast;
using beast::error_code;
using beast::string_view;
using beast::http::field;

constexpr std::size_t kMaxAnswerHeaderBytes = 64 * 1024;
constexpr std::size_t kReserveBytes = 1024 * 1024;  // maximum reservation for an announced length

constexpr std::size_t kShortestEndOfChunks = 5;  // 0\r\n\r\n

std::string_view view(string_view text) { return {text.data(), text.size()}; }

// The common part of both directions. Beast requires every callback.
template <bool kRequest>
class Engine : public beast::http::basic_parser<kRequest> {
 public:
  Engine() {
    this->header_limit(std::numeric_limits<std::uint32_t>::max());  // enforced below: Beast resets its limit with every put
    this->body_limit(boost::none);
  }

  bool head_done_ = false;  // later fields are trailers, which are dropped
  std::size_t head_bytes_ = 0;
  std::size_t fields_ = 0;

  // Reports whether more of a chunked body must arrive first. Beast assumes that it never sees only part of a last chunk.
  bool waits_for_chunks(std::string_view bytes) const {
    return this->is_header_done() && this->chunked() && bytes.size() < kShortestEndOfChunks;
  }

 protected:
  virtual void take_field(std::string_view name, std::string_view value) = 0;
  virtual std::string& body() = 0;

 private:
  void on_field_impl(field, string_view name, string_view value, error_code& ec) override {
    if (head_done_) return;
    if (++fields_ > kMaxHeaderFields) {
      ec = beast::http::error::header_limit;
      return;
    }
    take_field(view(name), view(value));
  }
  void on_header_impl(error_code&) override { head_done_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
    if (length) body().reserve(static_cast<std::size_t>(std::min<std::uint64_t>(*length, kReserveBytes)));
  }
  std::size_t on_body_impl(string_view bytes, error_code&) override {
    body().append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code& ec) override { return on_body_impl(bytes, ec); }
  void on_finish_impl(error_code&) override {}
};

}  // namespace

// --- requests ---

struct RequestParser::Engine final : http::Engine<true> {
  Request request_;
  int version_ = 11;
  int status_ = 0;
  std::string fault_;

  void on_request_impl(beast::http::verb, string_view method, string_view target, int version, error_code&) override {
    request_.method = view(method);
    request_.target = view(target);
    request_.headers.reserve(16);
    version_ = version;
  }
  void on_response_impl(int, string_view, int, error_code&) override {}
  void take_field(std::string_view name, std::string_view value) override { request_.headers.add(name, std::string(value)); }
  std::string& body() override { return request_.body; }

  bool refuse(int status, std::string what) {
    status_ = status;
    fault_ = std::move(what);
    return false;
  }

  bool take_absolute_target();
  bool check_target();
  bool check_head();
};

// http://host/path: the authority replaces the Host header (RFC 9112, section 3.2.2), so that the Host check sees it.
bool RequestParser::Engine::take_absolute_target() {
  std::string& target = request_.target;
  const std::size_t skip = target.starts_with("http://") ? 7 : target.starts_with("https://") ? 8 : 0;
  if (skip == 0) return false;
  const auto end = std::min(target.find_first_of("/?", skip), target.size());
  request_.headers.set("Host", target.substr(skip, end - skip));
  target.erase(0, end);
  if (!target.starts_with('/')) target.insert(0, "/");
  return true;
}

bool RequestParser::Engine::check_target() {
  const std::string& target = request_.target;
  if (!target.starts_with('/') && !(target == "*" && request_.method == "OPTIONS") && !take_absolute_target()) {
    return refuse(400, "malformed request: the target must be a path that begins with a slash");
  }
  const bool plain = std::ranges::all_of(target, [](char c) { return c > 0x20 && c < 0x7F && c != '#'; });
  return plain || refuse(400, "malformed request: the target has characters that must be percent-encoded");
}

bool RequestParser::Engine::check_head() {
  const Headers& headers = request_.headers;
  if (request_.method.size() > kMaxMethodBytes) return refuse(400, "malformed request: the method is too long");
  const auto hosts = headers.count("Host");
  if (hosts > 1 || (hosts == 0 && version_ == 11)) return refuse(400, "malformed request: send exactly one Host header");
  const auto lengths = headers.count("Content-Length");
  const auto encodings = headers.count("Transfer-Encoding");
  if (lengths > 1 || (lengths == 1 && !is_digits(*headers.get("Content-Length")))) {
    return refuse(400, "malformed request: send one Content-Length, a plain number");
  }
  if (encodings > 0) {
    if (lengths > 0) return refuse(400, "malformed request: Content-Length and Transfer-Encoding exclude each other");
    if (encodings > 1 || version_ != 11) return refuse(400, "malformed request: send one Transfer-Encoding, under HTTP/1.1 only");
    if (!equal_without_case(*headers.get("Transfer-Encoding"), "chunked")) {
      return refuse(501, "the only supported Transfer-Encoding is chunked");
    }
  }
  if (const auto expectation = headers.get("Expect"); expectation && !equal_without_case(*expectation, "100-continue")) {
    return refuse(417, "the only supported expectation is 100-continue");
  }
  return check_target();
}

RequestParser::RequestParser(std::size_t max_header_bytes) : max_header_bytes_(max_header_bytes) {}
RequestParser::~RequestParser() = default;

RequestParser::Step RequestParser::put(std::string_view& bytes) {
  if (!engine_) engine_ = std::make_unique<Engine>();
  Engine& engine = *engine_;
  if (engine.waits_for_chunks(bytes)) return Step::kMore;
  const bool in_head = !engine.is_header_done();
  error_code ec;
  const std::size_t used = engine.put({bytes.data(), bytes.size()}, ec);
  bytes.remove_prefix(used);
  if (in_head) engine.head_bytes_ += used;

  // Pending bytes in the head, in a chunk's line or in trailers also count toward the limit.
  const std::size_t line_bytes =
      (engine.is_header_done() ? 0 : engine.head_bytes_) + (ec == beast::http::error::need_more ? bytes.size() : 0);
  const bool too_long = line_bytes > max_header_bytes_ || (in_head && engine.head_bytes_ > max_header_bytes_);
  if (too_long || ec == beast::http::error::header_limit) {
    engine.refuse(431, format("the request's head is larger than {} bytes or has more than {} fields", max_header_bytes_,
                              kMaxHeaderFields));
    return Step::kFault;
  }
  if (ec == beast::http::error::need_more) return Step::kMore;
  if (ec == beast::http::error::body_limit) {
    engine.refuse(413, "the request's body is larger than this route takes");
    return Step::kFault;
  }
  if (ec) {
    engine.refuse(400, "malformed request: " + ec.message());
    return Step::kFault;
  }
  if (in_head && engine.is_header_done()) return engine.check_head() ? Step::kHead : Step::kFault;
  return engine.is_done() ? Step::kDone : Step::kMore;
}

void RequestParser::allow_body(std::size_t limit) {
  engine_->body_limit(limit);
  engine_->eager(true);
}

void RequestParser::restart() { engine_.reset(); }
Request& RequestParser::request() { return engine_->request_; }
bool RequestParser::has_body() const { return !engine_->is_done(); }
bool RequestParser::keep_alive() const { return engine_->keep_alive(); }
bool RequestParser::is_http_1_0() const { return engine_->version_ == 10; }
bool RequestParser::expects_continue() const { return !is_http_1_0() && engine_->request_.headers.get("Expect").has_value(); }
std::uint64_t RequestParser::announced_length() const { return engine_->content_length().value_or(0); }
int RequestParser::fault_status() const { return engine_->status_; }
const std::string& RequestParser::fault() const { return engine_->fault_; }
bool RequestParser::has_head() const { return engine_ && engine_->is_header_done(); }

// --- responses ---

struct ResponseParser::Engine final : http::Engine<false> {
  ClientResponse response_;
  std::string fault_;

  void on_request_impl(beast::http::verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int status, string_view, int, error_code&) override { response_.status = status; }
  void take_field(std::string_view name, std::string_view value) override { response_.headers.add(name, std::string(value)); }
  std::string& body() override { return response_.body; }
};

ResponseParser::ResponseParser(std::size_t max_body_bytes, bool to_head_request)
    : max_body_bytes_(max_body_bytes), to_head_request_(to_head_request) {}
ResponseParser::~ResponseParser() = default;

ResponseParser::Step ResponseParser::put(std::string_view& bytes) {
  for (;;) {
    if (bytes.empty()) return Step::kMore;
    if (!engine_) {
      engine_ = std::make_unique<Engine>();
      engine_->body_limit(max_body_bytes_);
      engine_->eager(true);
      engine_->skip(to_head_request_);
    }
    Engine& engine = *engine_;
    if (engine.waits_for_chunks(bytes)) return Step::kMore;
    const bool in_head = !engine.is_header_done();
    error_code ec;
    const std::size_t used = engine.put({bytes.data(), bytes.size()}, ec);
    bytes.remove_prefix(used);
    if (in_head && !engine.is_header_done()) engine.head_bytes_ += used;
    if (ec == beast::http::error::body_limit) return Step::kTooLarge;
    const bool waits = ec == beast::http::error::need_more;
    if (waits && (engine.is_header_done() ? 0 : engine.head_bytes_) + bytes.size() > kMaxAnswerHeaderBytes) {
      engine.fault_ = "the answer's head is too large";
      return Step::kFault;
    }
    if (ec && !waits) {
      engine.fault_ = "malformed answer: " + ec.message();
      return Step::kFault;
    }
    if (waits || !engine.is_done()) return Step::kMore;
    const int status = engine.response_.status;
    if (status < 100 || status > 199 || status == 101) return Step::kDone;
    engine_.reset();
  }
}

ResponseParser::Step ResponseParser::put_end() {
  if (!engine_ || !engine_->got_some()) {
    if (!engine_) engine_ = std::make_unique<Engine>();
    engine_->fault_ = "the server closed the connection without an answer";
    return Step::kFault;
  }
  error_code ec;
  engine_->put_eof(ec);
  if (!ec) return Step::kDone;
  engine_->fault_ = "the server closed the connection in the middle of its answer";
  return Step::kFault;
}

ClientResponse& ResponseParser::response() { return engine_->response_; }
bool ResponseParser::keep_alive() const { return engine_->keep_alive(); }
bool ResponseParser::started() const { return engine_ != nullptr; }
const std::string& ResponseParser::fault() const { return engine_->fault_; }

}  // namespace ladder::http
