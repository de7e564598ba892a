#include "http/test_site.h"

#include "http/message/message.h"
#include "http/wire.h"

#include <gtest/gtest.h>
#include <thread>

namespace ladder::http::tests {

TestSite::TestSite() {
  options.port = 0;
  options.threads = 2;
  options.workers = 4;
  on("/hello", Placement::kHere, [](Request& request) {
    Response response;
    response.headers.add("Content-Type", "text/plain");
    response.body = "hello " + std::string(request.query());
    return response;
  });
  const auto echo = [](Request& request) {
    Response response;
    response.body = request.body;
    return response;
  };
  on("/echo", Placement::kHere, echo, 1 << 20);
  on("/work-echo", Placement::kWorker, echo, 1 << 20);
}

TestSite::~TestSite() = default;

void TestSite::on(std::string path, Placement placement, std::function<Response(Request&)> answer, std::size_t body_limit) {
  routes_[std::move(path)] = {placement, body_limit, std::move(answer)};
}

std::uint16_t TestSite::start() {
  auto started = Server::start(options, *this);
  if (!started) throw std::runtime_error(started.error().message);
  server_ = *std::move(started);
  return server_->port();
}

std::vector<TestSite::Refusal> TestSite::refusals() {
  const std::lock_guard lock(mutex_);
  return refusals_;
}

const TestSite::Route* TestSite::find(const Request& request) const {
  const auto found = routes_.find(request.path());
  return found == routes_.end() ? nullptr : &found->second;
}

std::size_t TestSite::body_limit(const Request& head) const {
  ++bodies_begun_;
  const Route* route = find(head);
  return route != nullptr ? route->body_limit : 0;
}

Placement TestSite::placement(Request& request) const {
  const Route* route = find(request);
  return route != nullptr ? route->placement : Placement::kHere;
}

Response TestSite::serve(Request& request) {
  const Route* route = find(request);
  return route != nullptr ? route->answer(request) : refusal(404, "no such path", request.id);
}

Response TestSite::refuse(const Request* head, int status, std::string_view what) {
  const std::lock_guard lock(mutex_);
  refusals_.push_back({status, std::string(what), head != nullptr});
  return refusal(status, what, "req_test");
}

bool eventually(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + kWaitLimit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace ladder::http::tests
