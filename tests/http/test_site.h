// A server on loopback with responses that the tests script, one per path.
#pragma once

#include "http/server.h"

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ladder::http::tests {

// GCC defines macros for this, clang has features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif
inline constexpr int kSlower = kSanitized ? 4 : 1;  // factor over the bounds of a release build

class TestSite : public Application {
 public:
  struct Route {
    Placement placement = Placement::kHere;
    std::size_t body_limit = 0;
    std::function<Response(Request&)> answer;
  };

  TestSite();  // /hello, /echo and /work-echo exist already
  ~TestSite() override;

  // Call before start().
  void on(std::string path, Placement placement, std::function<Response(Request&)> answer, std::size_t body_limit = 0);
  std::function<Party(const Request&)> party_of;  // no party unless set
  ServerOptions options;

  std::uint16_t start();  // starts on a free port and returns it
  Server& server() { return *server_; }
  void drop_server() { server_.reset(); }

  struct Refusal {
    int status;
    std::string what;
    bool with_head;
  };
  std::vector<Refusal> refusals();
  int bodies_begun() const { return bodies_begun_; }  // requests with a body whose header was read

 private:
  std::size_t body_limit(const Request& head) const override;
  Placement placement(Request& request) const override;
  Party party(const Request& request) const override { return party_of ? party_of(request) : Party(); }
  Response serve(Request& request) override;
  Response refuse(const Request* head, int status, std::string_view what) override;
  const Route* find(const Request& request) const;

  std::map<std::string, Route, std::less<>> routes_;
  mutable std::atomic<int> bodies_begun_ = 0;
  std::mutex mutex_;
  std::vector<Refusal> refusals_;
  std::unique_ptr<Server> server_;
};

// A body from a function that returns the next piece, or nullopt at the end.
class FunctionStream final : public BodyStream {
 public:
  using Next = std::function<Result<bool>(std::string&)>;
  explicit FunctionStream(Next next, std::shared_ptr<std::atomic<bool>> destroyed = nullptr)
      : next_(std::move(next)), destroyed_(std::move(destroyed)) {}
  ~FunctionStream() override {
    if (destroyed_) *destroyed_ = true;
  }
  Result<bool> next(std::string& piece) override { return next_(piece); }

 private:
  Next next_;
  std::shared_ptr<std::atomic<bool>> destroyed_;
};

// Polls until it holds, for at most kWaitLimit.
bool eventually(const std::function<bool()>& holds);

}  // namespace ladder::http::tests
