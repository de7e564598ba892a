// ladder serve: the resource server over HTTP until Ctrl-C or SIGTERM; answers in flight are finished first. The access log goes
// to standard error, a line a request. Under systemd it takes over a socket, reports that it is ready and alive; SIGHUP makes it
// read its certificate again.
#include "auth/authorization.h"
#include "base/text/format.h"
#include "cli/app/command.h"
#include "cli/app/failure.h"
#include "cli/app/stop_signal.h"
#include "cli/flags/mcp_flags.h"
#include "cli/import/console_importer.h"
#include "cli/upkeep/service_manager.h"
#include "http/message/origin.h"
#include "http/middleware/access_log.h"
#include "http/middleware/host_check.h"
#include "http/server.h"
#include "json/writer.h"
#include "rest/service.h"
#include "store/store.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>

namespace ladder::cli {
namespace {

constexpr std::string_view kDefaultListen = "127.0.0.1:7663";
constexpr auto kSweepEvery = std::chrono::seconds(30);  // erased text is gone from the files within a minute
constexpr auto kSweepTime = std::chrono::seconds(5);
constexpr auto kRevocationEvery = std::chrono::seconds(1);  // what could not be written is tried again
constexpr auto kLedgerEvery = std::chrono::seconds(1);
constexpr auto kExpireEvery = std::chrono::hours(1);
constexpr unsigned kWorkersOfPool = 12;  // of the 16 connections to PostgreSQL, so that a revocation finds one

struct Listen {
  std::string address;
  std::uint16_t port = 0;
};

// "127.0.0.1:7663", "[::1]:0"; port 0 takes any free one.
Result<Listen> parse_listen(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  Listen listen;
  const std::string_view port = colon == text.npos ? std::string_view() : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), listen.port);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) {
    return fail(Code::kInvalidRequest, format("--listen takes ADDRESS:PORT, e.g. {}", kDefaultListen), "--listen");
  }
  listen.address = text.substr(0, colon);
  if (listen.address.size() > 2 && listen.address.front() == '[' && listen.address.back() == ']') {
    listen.address = listen.address.substr(1, listen.address.size() - 2);
  }
  return listen;
}

// Beside the store, so that what is dropped stays on the disk that the owner chose for it.
std::filesystem::path upload_folder(const Settings& settings) {
  if (!store::is_postgres_address(settings.location)) return std::filesystem::absolute(settings.location + "-uploads");
  return std::filesystem::path(settings.state_folder.empty() ? "." : settings.state_folder) / "uploads";
}

class Serve final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.value("--listen", "ADDRESS:PORT", listen_, "where to listen; 127.0.0.1:7663 unless given, port 0 takes a free one");
    arguments.value("--public-url", "URL", public_url_, "how clients reach this server; every address that it names begins so");
    arguments.value("--issuer", "URL", issuer_, "another authorization server, named in the metadata instead of this one");
    arguments.value("--tls-certificate", "FILE", certificate_, "PEM certificate chain; with --tls-key the server speaks TLS");
    arguments.value("--tls-key", "FILE", key_, "PEM private key");
    arguments.each_value(
        "--allow-host", "NAME",
        [this](const std::string& name) -> Status {
          hosts_.push_back(name);
          return {};
        },
        "a further Host name to answer to; may be repeated");
    arguments.each_value(
        "--allow-origin", "ORIGIN",
        [this](const std::string& origin) -> Status {
          origins_.push_back(origin);
          return {};
        },
        "a web page's origin that may call; may be repeated");
    arguments.value("--log", "text|json", log_,
                    "the access log on standard error; text on a terminal and json elsewhere unless given");
    arguments.value("--ledger", "usual|durable", ledger_,
                    "durable: an answer waits until its entry in the ledger is on disk, some milliseconds each");
    mcp_.declare(arguments);
    arguments.example("ladder serve");
    arguments.example(
        "ladder serve --listen 0.0.0.0:7663 --public-url https://data.example --tls-certificate c.pem --tls-key k.pem");
  }

  Result<int> run(Context& context) override {
    const StopSignal stop;
    const ReloadSignal reload;
    const ServiceManager manager(context.environment);
    LADDER_TRY(const auto inherited, manager.socket());
    LADDER_TRY(Listen listen, parse_listen(listen_.value_or(std::string(kDefaultListen))));
    if (inherited) listen = {inherited->address, inherited->port};
    LADDER_TRY(const LedgerMode ledger, parse_ledger_mode(ledger_));
    LADDER_TRY(const auto session, Session::open(context.settings, ledger));
    LADDER_TRY(const server::Access owner, session->owner());
    http::DescriptorSink standard_error(STDERR_FILENO);
    http::BufferedLog log(standard_error);
    rest::ServiceOptions service_options;
    service_options.hosts = {listen.address, hosts_};
    service_options.allowed_origins = origins_;
    LADDER_TRY(service_options.mcp, mcp_.options(context));
    LADDER_TRY(service_options.log_format, log_format(context.console));
    service_options.public_url = public_url_.value_or(service_options.mcp.provider_url);
    while (service_options.public_url.ends_with('/')) service_options.public_url.pop_back();
    service_options.issuer = issuer_.value_or("");
    service_options.version = context.version;
    if (!issuer_) service_options.authorization = &session->authorization();
    ConsoleImporter importer(session->server(), {extractor_program(context.environment("LADDER_EXTRACT")), context.version},
                             upload_folder(context.settings), Clock::system());
    service_options.importer = &importer;
    allow_public_host(service_options);
    service_options.reads_wait = session->engine() == "postgres";
    LADDER_TRY(const auto service, rest::Service::create(session->server(), service_options, Clock::system(), log));
    http::ServerOptions options;
    options.address = listen.address;
    options.port = listen.port;
    options.certificate_file = certificate_.value_or("");
    options.key_file = key_.value_or("");
    if (service_options.reads_wait)
      options.workers = std::min(4 * std::max(1U, std::thread::hardware_concurrency()), kWorkersOfPool);
    if (inherited) options.socket = inherited->descriptor;
    LADDER_TRY(const auto server, http::Server::start(options, *service));
    add_gauges(service->metrics(), *server, context);
    const std::string url = url_of(listen.address, server->port(), !options.certificate_file.empty());
    announce(context.console, url, server->port());
    if (!issuer_) {
      const std::string scheme = options.certificate_file.empty() ? "http" : "https";
      const std::string base =
          !service_options.public_url.empty() ? service_options.public_url : format("{}://localhost:{}", scheme, server->port());
      LADDER_CHECK(welcome(context.console, *session, owner, base));
    }
    const std::string status = "serving " + url;
    manager.ready(status);
    const auto reload_if_asked = [&] {
      if (!reload.take()) return;
      manager.reloading();
      const Status reloaded = server->reload_certificate();
      context.console.err(reloaded ? "ladder: the certificate was read again\n"
                                   : format("ladder: the old certificate stays: {}\n", reloaded.error().message));
      manager.ready(status);
    };
    wait(stop, *session, owner, manager, reload_if_asked);
    manager.stopping();
    server->stop();
    return kDone;
  }

 private:
  Result<http::LogFormat> log_format(const Console& console) const {
    if (!log_) return console.err_is_terminal() ? http::LogFormat::kText : http::LogFormat::kJson;
    if (*log_ == "text") return http::LogFormat::kText;
    if (*log_ == "json") return http::LogFormat::kJson;
    return fail(Code::kInvalidRequest, "--log takes text or json", "--log");
  }

  // Figures of the whole process, read when somebody asks for /metrics.
  static void add_gauges(http::Metrics& metrics, const http::Server& server, const Context& context) {
    http::Gauge& open = metrics.gauge("ladder_connections_open", "Connections of clients that are open");
    http::Gauge& queue = metrics.gauge("ladder_queue_length", "Requests that wait for a worker");
    metrics.gauge("ladder_build_info", "Always 1", {{"version", context.version}}).set(1);
    const std::string location = context.settings.location;
    const bool is_file = location.find("://") == std::string::npos;
    http::Gauge* const bytes = is_file ? &metrics.gauge("ladder_store_bytes", "Size of the store's file and its WAL") : nullptr;
    metrics.before_text([&open, &queue, &server, bytes, location] {
      const http::ServerCounters now = server.counters();
      open.set(static_cast<double>(now.connections_open));
      queue.set(static_cast<double>(now.queue_length));
      if (bytes == nullptr) return;
      std::uintmax_t sum = 0;
      for (const char* suffix : {"", "-wal"}) {
        std::error_code missing;
        const std::uintmax_t size = std::filesystem::file_size(location + suffix, missing);
        if (!missing) sum += size;
      }
      bytes->set(static_cast<double>(sum));
    });
  }

  static std::string url_of(const std::string& address, std::uint16_t port, bool tls) {
    const std::string host = address.find(':') == std::string::npos ? address : "[" + address + "]";
    return format("{}://{}:{}", tls ? "https" : "http", host, port);
  }

  static void announce(Console& console, const std::string& url, std::uint16_t port) {
    if (console.json()) {
      json::Writer out;
      out.begin_object().member("url", url).member("port", std::int64_t{port}).end_object();
      console.out(out.take() + "\n");
    } else {
      console.out(format("Ladder serves {0}/v1, and MCP at {0}/mcp; Ctrl-C stops it\n", url));
    }
  }

  // Behind a proxy on this machine requests carry the public name.
  static void allow_public_host(rest::ServiceOptions& options) {
    const auto address = http::parse_host(options.hosts.bound_address);
    const auto origin = http::parse_origin(options.public_url);
    if (address && http::is_loopback(address->host) && origin) options.hosts.public_hosts.push_back(origin->header);
  }

  // The owner's first way in. A link is a secret for 15 minutes, so it is shown to a terminal and written to no log.
  static Status welcome(Console& console, Session& session, const server::Access& owner, std::string base) {
    while (base.ends_with('/')) base.pop_back();
    if (console.json() || !console.out_is_terminal()) return {};
    LADDER_TRY(const auto known, session.authorization().owners().credentials(owner.owner_name()));
    if (known.any()) {
      console.out(format("Sign in at {}/sign-in; agents connect to {}/mcp\n", base, base));
      return {};
    }
    LADDER_TRY(const std::string link, session.authorization().owners().make_link(owner));
    console.out(
        format("Open this once, within 15 minutes, to choose how you sign in:\n  {}/sign-in/link?token={}\n", base, link));
    return {};
  }

  // Journals into the store every second, by a thread of its own: whatever it waits for, a revocation does not.
  static void keep_ledger(server::ResourceServer& server, const std::stop_token& done) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    for (auto expired = std::chrono::steady_clock::time_point();;) {
      wake.wait_for(lock, done, kLedgerEvery, [] { return false; });
      if (done.stop_requested()) return;
      (void)server.sweep_ledger();  // what fails is tried again the next time
      if (std::chrono::steady_clock::now() - expired < kExpireEvery) continue;
      expired = std::chrono::steady_clock::now();
      (void)server.expire_ledger();
    }
  }

  // Sleeps until a signal comes; sweeps and goes on with unfinished indexes now and then.
  static void wait(const StopSignal& stop, Session& session, const server::Access& owner, const ServiceManager& manager,
                   const std::function<void()>& reload_if_asked) {
    server::ResourceServer& server = session.server();
    const std::jthread ledger([&server](const std::stop_token& done) { keep_ledger(server, done); });
    pollfd watched{stop.descriptor(), POLLIN, 0};
    auto swept = std::chrono::steady_clock::now(), told = swept;
    while (!stop.requested()) {
      const int ready = poll(&watched, 1, static_cast<int>(std::chrono::milliseconds(kRevocationEvery).count()));
      reload_if_asked();
      if (const auto every = manager.watchdog_every(); every && std::chrono::steady_clock::now() - told >= *every / 2) {
        told = std::chrono::steady_clock::now();
        manager.alive();
      }
      if (ready != 0) continue;
      if (server.has_unwritten_revocations()) (void)server.write_revocations();
      else (void)server.keep_uses();  // so that the owner sees within seconds that a grant is used
      if (std::chrono::steady_clock::now() - swept < kSweepEvery) continue;
      swept = std::chrono::steady_clock::now();
      (void)server.sweep(owner, Deadline::after(kSweepTime));  // what fails is tried again the next time
      (void)server.reindex(owner, Deadline::after(kSweepTime));
      (void)session.authorization().sweep();
    }
  }

  std::optional<std::string> listen_, public_url_, issuer_, certificate_, key_, log_, ledger_;
  std::vector<std::string> hosts_, origins_;
  McpFlags mcp_;
};

}  // namespace

std::unique_ptr<Command> make_serve() { return std::make_unique<Serve>(); }

}  // namespace ladder::cli
