#include "load.h"

#include "base/text/format.h"
#include "support/server_fixture.h"

#include <chrono>

namespace ladder::nodes {
namespace {

constexpr milliseconds kBetweenRequests{5};
constexpr milliseconds kTimeout = std::chrono::seconds(30);

}  // namespace

std::string Failure::summary() const {
  const auto took = std::chrono::duration_cast<milliseconds>(received - sent);
  return format("{} {} {} after {} ms: {}", write ? "write" : "read", status, code, took.count(), text.substr(0, 200));
}

Load::Load(std::uint16_t port, std::string client_token, std::string owner_token, int readers, int writers)
    : client_token_(std::move(client_token)), owner_token_(std::move(owner_token)) {
  http::ClientOptions options;
  options.origin = format("http://127.0.0.1:{}", port);
  options.timeout = kTimeout;
  client_ = *http::Client::create(options);
  for (int n = 0; n < readers; ++n) threads_.emplace_back([this, n] { read(n); });
  for (int n = 0; n < writers; ++n) threads_.emplace_back([this, n] { write(n); });
}

void Load::stop() {
  stop_ = true;
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

std::vector<Failure> Load::failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

bool Load::advances(std::uint64_t requests) const {
  const std::uint64_t wanted = good_ + requests;
  return faults::eventually([&] { return good_ >= wanted; });
}

void Load::read(int thread) {
  for (int n = thread; !stop_; ++n) {
    http::ClientRequest request;
    const std::string note = format("/v1/streams/notes/records/n{}", n % 10);
    std::string_view wanted;
    switch (n % 4) {
      case 0:
        request.target = note, wanted = "\"id\":";
        break;
      case 1:
        request.target = note + "/field-window?field=body&limit_chars=10", wanted = "\"text\":";
        break;
      case 2:
        request.target = "/v1/streams/notes/records?limit=3&fields=id", wanted = "\"has_more\":true";
        break;
      default:
        request.target = "/v1/search?q=harbour&limit=3", wanted = "\"data\":";
    }
    request.headers.set("Authorization", "Bearer " + client_token_);
    exchange(request, wanted, false);
    std::this_thread::sleep_for(kBetweenRequests);
  }
}

void Load::write(int thread) {
  for (int n = 0; !stop_; ++n) {
    const std::string id = format("w{}-{}-{}", SteadyClock::now().time_since_epoch().count() % 100'000'000, thread, n);
    http::ClientRequest request{"POST",
                                "/v1/ingest/notes?connection_id=work",
                                {},
                                test_support::record_line(id, test_support::text_member("body", "a letter from the harbour"))};
    request.headers.set("Authorization", "Bearer " + owner_token_);
    if (exchange(request, "\"records_accepted\":1", true)) {
      const std::lock_guard lock(mutex_);
      acknowledged_.push_back(id);
    }
    std::this_thread::sleep_for(4 * kBetweenRequests);
  }
}

bool Load::exchange(const http::ClientRequest& request, std::string_view wanted, bool write) {
  const Time sent = SteadyClock::now();
  const auto response = client_->send(request, {});
  const Time received = SteadyClock::now();
  if (response && response->status == 200 && response->body.find(wanted) != std::string::npos) {
    ++good_;
    return true;
  }
  Failure failure{sent,
                  received,
                  response ? response->status : 0,
                  response ? faults::envelope_code(response->body) : "",
                  response ? response->body : response.error().message,
                  write};
  const std::lock_guard lock(mutex_);
  failures_.push_back(std::move(failure));
  return false;
}

}  // namespace ladder::nodes
