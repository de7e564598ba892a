#include "serving.h"

#include "base/text/format.h"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <csignal>
#include <stdexcept>

namespace ladder::faults {
namespace {

constexpr milliseconds kStartTime = seconds(60);
constexpr std::size_t kMaxLines = 1000;

// Without a --listen of its own, a server gets any free port.
std::vector<std::string> words_of(const std::string& location, const std::vector<std::string>& flags) {
  std::vector<std::string> words = {LADDER_BINARY, "serve", "--db", location, "--json"};
  if (std::ranges::find(flags, "--listen") == flags.end()) words.insert(words.end(), {"--listen", "127.0.0.1:0"});
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

}  // namespace

std::string envelope_code(std::string_view body) {
  boost::system::error_code ec;
  const boost::json::value value = boost::json::parse(body, ec);
  const auto* object = ec ? nullptr : value.if_object();
  const auto* error = object != nullptr && object->contains("error") ? object->at("error").if_object() : nullptr;
  if (error == nullptr) return {};
  for (const char* member : {"type", "code", "message", "request_id"}) {
    const auto* text = error->if_contains(member);
    if (text == nullptr || !text->is_string() || text->as_string().empty()) return {};
  }
  return std::string(error->at("code").as_string());
}

Serving::Serving(const std::string& location, milliseconds wait_limit, const std::vector<std::string>& flags,
                 const std::vector<std::string>& environment)
    : location_(location), process_(words_of(location, flags), {.environment = environment}) {
  const auto announced = process_.read_line(kStartTime);
  if (!announced || !announced->starts_with("{\"url\"")) throw std::runtime_error("no start: " + announced.value_or(""));
  port_ = static_cast<std::uint16_t>(boost::json::parse(*announced).at("port").as_int64());
  log_reader_ = std::thread([this] {
    while (auto line = process_.read_line(std::chrono::hours(1))) {
      const std::lock_guard lock(log_mutex_);
      if (log_.size() < kMaxLines) log_.push_back(*std::move(line));
    }
  });
  http::ClientOptions options;
  options.origin = format("http://127.0.0.1:{}", port_);
  options.timeout = wait_limit;
  client_ = *http::Client::create(options);
}

Serving::~Serving() {
  if (!ended_) {
    ask_to_end();
    EXPECT_EQ(wait(), 0) << "a graceful end";
  }
}

Answer Serving::send(std::string method, std::string target, const std::string& token, std::string body,
                     const std::string& content_type) const {
  http::ClientRequest request{std::move(method), std::move(target), {}, std::move(body)};
  if (!token.empty()) request.headers.set("Authorization", "Bearer " + token);
  if (!content_type.empty()) request.headers.set("Content-Type", content_type);
  Answer answer;
  answer.sent = SteadyClock::now();
  auto response = client_->send(request, {});
  answer.received = SteadyClock::now();
  if (!response) {
    answer.text = response.error().message;
    return answer;
  }
  answer.status = response->status;
  answer.retry_after = std::string(response->headers.get("Retry-After").value_or(""));
  answer.text = std::move(response->body);
  if (answer.status >= 400) answer.code = envelope_code(answer.text);
  return answer;
}

std::vector<std::string> Serving::log() const {
  const std::lock_guard lock(log_mutex_);
  return log_;
}

void Serving::ask_to_end() { process_.kill(SIGTERM); }

int Serving::wait() {
  ended_ = true;
  const int code = process_.wait();
  log_reader_.join();
  return code;
}

}  // namespace ladder::faults
