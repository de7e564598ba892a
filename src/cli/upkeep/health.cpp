// ladder health: checks whether a running server and its store respond, for container health checks and for people.
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "http/client.h"
#include "json/parse.h"
#include "json/writer.h"

#include <chrono>

namespace ladder::cli {
namespace {

constexpr std::string_view kDefaultUrl = "http://127.0.0.1:7663";
constexpr std::chrono::milliseconds kTimeout{4000};  // shorter than the timeout of a container health check
constexpr int kOk = 200;
constexpr std::size_t kMaxBody = 64 * 1024, kMaxDepth = 8;

// Returns the reason in the server's response; empty if there is none.
std::string reason_in(const std::string& body) {
  const auto answer = json::parse(body, kMaxBody, kMaxDepth);
  if (!answer) return {};
  boost::system::error_code absent;
  const boost::json::value* const message = answer->find_pointer("/error/message", absent);
  return message != nullptr && message->is_string() ? ": " + std::string(message->get_string()) : std::string();
}

// Reports whether the response is from a Ladder whose store is available. Other servers may also serve this path.
bool is_ready_response(const http::ClientResponse& answer) {
  if (answer.status != kOk) return false;
  const auto body = json::parse(answer.body, kMaxBody, kMaxDepth);
  boost::system::error_code absent;
  const boost::json::value* const status = body ? body->find_pointer("/status", absent) : nullptr;
  return status != nullptr && status->is_string() && status->get_string() == "ready";
}

class Health final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.optional_word("URL", url_, "the server's address (default: http://127.0.0.1:7663)");
    arguments.value("--ca", "FILE", ca_file_, "PEM certificates to trust for https:// (default: the system's)");
    arguments.example("ladder health");
    arguments.example("ladder health https://data.example");
  }

  Result<int> run(Context& context) override {
    http::ClientOptions options;
    options.origin = url_.value_or(std::string(kDefaultUrl));
    options.timeout = kTimeout;
    options.ca_file = ca_file_.value_or("");
    LADDER_TRY(const auto client, http::Client::create(options));
    http::ClientRequest request;
    request.target = "/readyz";
    const auto answer = client->send(request, {});
    const bool ready = answer && is_ready_response(*answer);
    const std::string what = !answer ? answer.error().message
                             : ready ? "ready"
                             : answer->status == kOk
                                 ? "another server is running at this address"
                                 : format("answers with status {}{}", answer->status, reason_in(answer->body));
    if (context.console.json()) {
      json::Writer out;
      context.console.out(
          out.begin_object().member("url", options.origin).member("ready", ready).member("status", what).end_object().take() +
          "\n");
    } else {
      context.console.out(format("{}: {}\n", visible_label(options.origin), visible_label(what)));
    }
    return ready ? kDone : kFailed;
  }

 private:
  std::optional<std::string> url_, ca_file_;
};

}  // namespace

std::unique_ptr<Command> make_health() { return std::make_unique<Health>(); }

}  // namespace ladder::cli
