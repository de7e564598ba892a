#include "cli/upkeep/running_server.h"

#include "base/text/format.h"
#include "http/client.h"
#include "json/parse.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX requires this declaration

namespace ladder::cli {
namespace {

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

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): no thread sets variables
  return value != nullptr && *value != '\0';
}

}  // namespace

Result<ServerState> ask_server(const std::string& url, const std::string& ca_file) {
  http::ClientOptions options;
  options.origin = url;
  options.timeout = kTimeout;
  options.ca_file = ca_file;
  LADDER_TRY(const auto client, http::Client::create(options));
  http::ClientRequest request;
  request.target = "/readyz";
  const auto answer = client->send(request, {});
  if (!answer) return ServerState{false, answer.error().message};
  if (is_ready_response(*answer)) return ServerState{true, "ready"};
  return ServerState{false, answer->status == kOk ? "another server is running at this address"
                                                  : format("answers with status {}{}", answer->status, reason_in(answer->body))};
}

bool open_in_browser(const std::string& url) {
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") && !is_set("BROWSER")) return false;
  std::string program = "xdg-open", address = url;
  std::array<char*, 3> arguments = {program.data(), address.data(), nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&quiet, output, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const bool started = ::posix_spawnp(&child, program.c_str(), &quiet, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&quiet);
  int status = 0;
  return started && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace ladder::cli
