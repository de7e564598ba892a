// ladder mcp: serves one MCP client over standard input and output until the input ends. Standard output carries only the
// protocol; the log goes to standard error, one JSON line per request. Startup writes nothing, because hosts start the server
// twice to probe it. With --provider-url the data comes from another resource server.
#include "api/resource_port.h"
#include "base/mutex.h"
#include "base/text/format.h"
#include "cli/flags/mcp_flags.h"
#include "cli/flags/provider.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "http/otlp/exporter.h"
#include "json/writer.h"
#include "mcp/protocol/server.h"
#include "mcp/protocol/stdio.h"
#include "mcp/protocol/tool_registry.h"
#include "server/local_port.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <thread>

namespace ladder::cli {
namespace {

// Records on its own thread that the grants of one access are in use: after a request, and then at most once an hour. It also
// sweeps this process's ledger journal into the store, at most once a second. Requests do not wait for it, and a process that
// serves no request writes nothing.
class UseRecorder {
 public:
  static constexpr auto kBetween = std::chrono::seconds(1);

  // Both must outlive this object.
  UseRecorder(server::ResourceServer& server, const server::Access& access);
  ~UseRecorder();  // waits for a running write
  UseRecorder(const UseRecorder&) = delete;
  UseRecorder& operator=(const UseRecorder&) = delete;

  void answered();  // may be called from any thread

 private:
  void run(const std::stop_token& stop);

  server::ResourceServer& server_;
  const server::Access& access_;
  Mutex mutex_;
  std::condition_variable_any wake_;
  bool used_ LADDER_GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

UseRecorder::UseRecorder(server::ResourceServer& server, const server::Access& access)
    : server_(server), access_(access), thread_([this](const std::stop_token& stop) { run(stop); }) {}

UseRecorder::~UseRecorder() {
  thread_.request_stop();
  wake_.notify_all();
}

void UseRecorder::answered() {
  {
    const MutexLock lock(mutex_);
    used_ = true;
  }
  wake_.notify_all();
}

void UseRecorder::run(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  for (;;) {
    const bool used = wake_.wait(lock, stop, [this]() LADDER_REQUIRES(mutex_) { return used_; });
    if (!used) return;  // stopped
    used_ = false;
    lock.unlock();
    server_.accesses().note_use(access_);
    (void)server_.accesses().flush_uses();  // a failure is retried with the next request
    (void)server_.ledger().sweep();
    lock.lock();
    wake_.wait_for(lock, stop, kBetween, []() { return false; });  // later requests are written together
    if (used_) continue;
    // The process is idle. This sweep releases the part of a budget that it has reserved.
    lock.unlock();
    (void)server_.ledger().sweep();
    lock.lock();
  }
}

constexpr std::string_view kOwnerToken = "LADDER_TOKEN is an owner's token";

// Writes one JSON line per request. A line that would block is dropped, because a host that never reads standard error must not
// stop the server.
void log_request(const mcp::LogLine& line, std::chrono::microseconds took) {
  json::Writer out;
  out.begin_object().member("time", format_time(Clock::system().now())).member("method", line.method);
  out.optional_member("tool", line.tool);
  if (!line.id.empty()) out.key("id").raw(line.id);
  out.member("outcome", line.outcome).member("duration_ms", static_cast<double>(took.count()) / 1000.0);
  out.optional_member("trace_id", line.trace_id).end_object();
  const std::string text = out.take() + "\n";
  pollfd room{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&room, 1, 0) == 1 && (room.revents & POLLOUT) != 0) {
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  }
}

class Mcp final : public Command {
 public:
  void declare(Arguments& arguments) override {
    flags_.declare(arguments);
    provider_.declare(arguments);
    otlp_.declare(arguments);
    arguments.value(
        "--ledger", "usual|durable|store", ledger_,
        "durable: each response waits until its ledger entry is on disk; store: until it is in the store (some milliseconds)");
    arguments.example("ladder grant create --client claude --stream notes     # prints the token to give the host");
    arguments.example("claude mcp add ladder --env LADDER_TOKEN=ldr_c_… -- ladder mcp");
    arguments.example(R"(echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | LADDER_TOKEN=ldr_c_… ladder mcp)");
    arguments.example("LADDER_TOKEN=… ladder mcp --provider-url https://data.example   # the records of another server");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(mcp::Options options, flags_.options(context));
    if (const auto why = owner_credentials(context)) return owner_refused(context, std::move(options), *why);
    const std::string token = token_of(context);
    LADDER_TRY(const auto endpoint, provider_.endpoint(context));
    if (endpoint) return serve_provider(context, std::move(options), *endpoint, token);
    if (token.empty()) {
      return not_connected(context, std::move(options), {Code::kAuthentication, "no token: LADDER_TOKEN is not set"});
    }
    LADDER_TRY(const LedgerMode ledger, parse_ledger_mode(ledger_));
    LADDER_TRY(const auto session, Session::open(context.settings, ledger));
    const auto access = session->server().accesses().authenticate(token);
    if (!access) {
      if (info(access.error().code).http_status >= 500) return std::unexpected(access.error());
      return not_connected(context, std::move(options), {access.error().code, "LADDER_TOKEN: " + access.error().message});
    }
    if (access->is_owner()) return owner_refused(context, std::move(options), kOwnerToken);
    options.fence_key = session->server().fence_key();
    server::Access caller = *access;
    caller.set_call({"stdio", "", ""});
    server::LocalPort port(session->server().read_roles(), std::move(caller));
    UseRecorder uses(session->server(), *access);
    return serve(context, std::move(options), port, [&uses](const mcp::LogLine& line, std::chrono::microseconds took) {
      if (line.method == "tools/call") uses.answered();
      log_request(line, took);
    });
  }

 private:
  using Log = std::function<void(const mcp::LogLine&, std::chrono::microseconds)>;

  Result<int> serve(Context& context, mcp::Options options, api::ResourcePort& port, Log log) const {
    http::OtlpExporter spans({.version = context.version});
    LADDER_CHECK(spans.set_endpoint(otlp_.endpoint(context.environment)));
    const mcp::Server server(std::move(options), mcp::ladder_tool_registry());
    if (::isatty(STDIN_FILENO) == 1) {
      context.console.err(
          "ladder: this command speaks MCP (one JSON message per line) and is normally started by a host; Ctrl-D ends it\n");
    }
    mcp::serve_stdio(server, port, {STDIN_FILENO, STDOUT_FILENO, std::move(log), &spans});
    return kDone;
  }

  // Serves another server's data. That server validates the token at the first call.
  Result<int> serve_provider(Context& context, mcp::Options options, const remote::Endpoint& endpoint, const std::string& token) {
    auto credentials = provider_.credentials(context, endpoint, token);
    if (!credentials) return no_credential(context, std::move(options), endpoint, credentials.error());
    const std::string origin = (*credentials)->origin();
    LADDER_TRY(const Provider provider, provider_.open(context, endpoint, *std::move(credentials)));
    if (options.provider_url.empty()) options.provider_url = endpoint.url;
    options.fence_key = provider.fence_key;
    const bool is_private = endpoint.tls || endpoint.is_loopback;
    context.console.err(format("ladder: reading from {} with the token {}{}\n", endpoint.url, origin,
                               is_private ? "" : ", which is sent unencrypted: use https://"));
    return serve(context, std::move(options), *provider.port, log_request);
  }

  Result<int> no_credential(Context& context, mcp::Options options, const remote::Endpoint& endpoint,
                            const CredentialProblem& problem) const {
    if (problem.fault == CredentialFault::kOwner) return owner_refused(context, std::move(options), problem.message);
    return refuse(context, std::move(options),
                  {Code::kAuthentication, format("no token for {}: {}", endpoint.url, problem.message)},
                  "put a client's token for that server into LADDER_TOKEN in the host's settings, or connect again", kNotSetUp);
  }

  static std::string token_of(const Context& context) {
    return context.settings.token.empty() ? context.environment("PDPP_TOKEN").value_or("") : context.settings.token;
  }

  // Checked before any input is read: owner credentials are not allowed here (design D16).
  static std::optional<std::string> owner_credentials(const Context& context) {
    constexpr std::array kVariables = {"PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE", "LADDER_OWNER_TOKEN"};
    for (const char* name : kVariables) {
      if (context.environment(name)) return format("{} is set", name);
    }
    if (token_of(context).starts_with(kOwnerTokenPrefix)) return std::string(kOwnerToken);
    return std::nullopt;
  }

  Result<int> owner_refused(Context& context, mcp::Options options, std::string_view why) const {
    return refuse(
        context, std::move(options), {Code::kPermission, format("{}, but owner credentials are never given to an agent", why)},
        "unset it, and set LADDER_TOKEN to a client's token: ladder grant create --client NAME --stream STREAM prints one",
        kRefused);
  }

  Result<int> not_connected(Context& context, mcp::Options options, Error why) const {
    return refuse(
        context, std::move(options), std::move(why),
        "ladder grant create --client NAME --stream STREAM prints a client's token once; put it into LADDER_TOKEN in the "
        "host's settings for this server",
        kNotSetUp);
  }

  // Hosts show protocol messages to the user, and rarely standard error. The server therefore starts with the reason in its
  // instructions, and every call fails with the reason and the command that fixes it. No store is opened.
  Result<int> refuse(Context& context, mcp::Options options, Error why, std::string_view mending, int exit_code) const {
    context.console.err(format("ladder: {}\n  hint: {}\n", why.message, mending));
    if (::isatty(STDIN_FILENO) == 1) return exit_code;
    why.message += format("; tell the person who set this server up: {}", mending);
    options.notice = "This server cannot read anything yet: " + why.message + ".";
    api::BusyPort port(std::move(why));
    LADDER_CHECK(serve(context, std::move(options), port, log_request));
    return exit_code;
  }

  McpFlags flags_;
  ProviderFlags provider_;
  OtlpFlags otlp_;
  std::optional<std::string> ledger_;
};

}  // namespace

std::unique_ptr<Command> make_mcp() { return std::make_unique<Mcp>(); }

}  // namespace ladder::cli
