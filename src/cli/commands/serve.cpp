// ladder serve: runs the resource server over HTTP until Ctrl-C or SIGTERM, and finishes active responses first. The access log
// goes to standard error, one line per request. Under systemd it accepts an inherited socket and reports readiness and
// liveness; SIGHUP reloads the certificate and the settings.
#include "app/backup/backup_service.h"
#include "app/backup/console_backups.h"
#include "app/doctor/server_environment.h"
#include "app/import/console_importer.h"
#include "app/import/console_page_painter.h"
#include "app/notify/notify_service.h"
#include "app/notify/upkeep_watch.h"
#include "app/stop_signal.h"
#include "app/sync/console_syncs.h"
#include "app/sync/sync_service.h"
#include "ask/ask.h"
#include "auth/authorization.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/visible_text.h"
#include "cli/commands/serve_figures.h"
#include "cli/commands/serve_loop.h"
#include "cli/flags/ask_flags.h"
#include "cli/flags/mcp_flags.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/invocation/setting_table.h"
#include "cli/upkeep/running_server.h"
#include "cli/upkeep/service_manager.h"
#include "http/message/origin.h"
#include "http/middleware/access_log.h"
#include "http/middleware/host_check.h"
#include "http/server.h"
#include "json/writer.h"
#include "rest/service.h"
#include "store/engines/open_store.h"
#include "store/store.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <functional>
#include <system_error>
#include <thread>

namespace ladder::cli {
namespace {

constexpr std::string_view kDefaultListen = "127.0.0.1:7663";
constexpr std::size_t kDefaultConnections = 16;  // to PostgreSQL
constexpr std::int64_t kMaxDrainDelay = 600;     // seconds

// Leaves a quarter of the connections to PostgreSQL, so that a revocation gets one.
unsigned workers_for(std::size_t connections) {
  const unsigned most = 4 * std::max(1U, std::thread::hardware_concurrency());
  return std::min(most, static_cast<unsigned>(std::max<std::size_t>(1, connections - (connections + 3) / 4)));
}

struct Listen {
  std::string address;
  std::uint16_t port = 0;
};

// Parses "127.0.0.1:7663" or "[::1]:0"; port 0 selects a free port.
Result<Listen> parse_listen(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  Listen listen;
  const std::string_view port = colon == text.npos ? std::string_view() : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), listen.port);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) {
    return fail(Code::kInvalidRequest, format("--listen must be ADDRESS:PORT, e.g. {}", kDefaultListen), "--listen");
  }
  listen.address = text.substr(0, colon);
  if (listen.address.size() > 2 && listen.address.front() == '[' && listen.address.back() == ']') {
    listen.address = listen.address.substr(1, listen.address.size() - 2);
  }
  return listen;
}

// Until 2026-11, uploads for all stores in PostgreSQL shared one folder without the database's name. Their store is unknown, so
// they are neither adopted nor removed.
std::string earlier_uploads(const Settings& settings) {
  if (!store::is_postgres_address(settings.location) || settings.state_folder.empty()) return {};
  const std::filesystem::path earlier = std::filesystem::path(settings.state_folder) / "uploads";
  std::error_code missing;
  if (std::filesystem::directory_iterator(earlier, missing) == std::filesystem::directory_iterator()) return {};
  return format(
      "ladder: {} contains files that were uploaded on the Import page of an older Ladder and never imported; "
      "upload them again, then remove the folder\n",
      visible_label(earlier.native()));
}

constexpr std::size_t kShownUrl = 200;  // maximum chars of an address in a message

// RFC 8414: a scheme, a host and an optional path, without query or fragment.
bool is_issuer(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos || url.find_first_of("?# \t") != std::string_view::npos) return false;
  return http::parse_origin(url.substr(0, url.find('/', scheme + 3))).has_value();
}

class Serve final : public Command {
 public:
  // `opens`: the command is `open`, which opens the console in the browser, and serves only if no server runs yet.
  explicit Serve(bool opens) : opens_(opens) {}

  void declare(Arguments& arguments) override {
    arguments.value("--listen", "ADDRESS:PORT", listen_, "where to listen (default: 127.0.0.1:7663; port 0: any free port)");
    arguments.value("--public-url", "URL", public_url_,
                    "the address that clients use for this server, as in https://data.example");
    arguments.value("--issuer", "URL", issuer_, "another authorization server, named in the metadata instead of this one");
    arguments.value("--tls-certificate", "FILE", certificate_, "PEM certificate chain; with --tls-key the server speaks TLS");
    arguments.value("--tls-key", "FILE", key_, "PEM private key");
    arguments.each_value(
        "--allow-host", "NAME",
        [this](const std::string& name) -> Status {
          hosts_.push_back(name);
          return {};
        },
        "another Host name to accept; may be repeated");
    arguments.each_value(
        "--allow-origin", "ORIGIN",
        [this](const std::string& origin) -> Status {
          origins_.push_back(origin);
          return {};
        },
        "a web origin that may call this server; may be repeated");
    arguments.each_value(
        "--trusted-proxy", "NETWORK",
        [this](const std::string& network) -> Status {
          proxies_.push_back(network);
          return {};
        },
        "a load balancer or its network (10.0.0.0/8) whose X-Forwarded-For names the client; may be repeated");
    arguments.value("--log", "text|json", log_,
                    "the format of the access log on standard error (default: text on a terminal, else json)");
    arguments.value(
        "--ledger", "usual|durable|store", ledger_,
        "durable: each response waits until its ledger entry is on disk; store: until it is in the store, for a machine "
        "whose disk may disappear (some milliseconds each)");
    arguments.value(
        "--drain-delay", "N", drain_delay_,
        "after SIGTERM, keep answering for N seconds with /readyz 503, so that a load balancer chooses another server");
    ask_.declare(arguments);
    mcp_.declare(arguments);
    otlp_.declare(arguments);
    if (opens_) return arguments.example("ladder open");
    arguments.example("ladder serve");
    arguments.example(
        "ladder serve --listen 0.0.0.0:7663 --public-url https://data.example --tls-certificate c.pem --tls-key k.pem");
  }

  Result<int> run(Context& context) override {
    const app::StopSignal stop;
    const ReloadSignal reload;
    const ServiceManager manager(context.environment);
    LADDER_TRY(const auto inherited, manager.socket());
    LADDER_TRY(Listen listen, parse_listen(listen_.value_or(std::string(kDefaultListen))));
    if (inherited) listen = {inherited->address, inherited->port};
    LADDER_TRY(const LedgerMode ledger, parse_ledger_mode(ledger_));
    LADDER_TRY(const std::chrono::seconds drain_delay, parse_drain_delay());
    LADDER_TRY(const auto session, Session::open_or_create(context.console, context.settings, ledger));
    LADDER_TRY(const std::optional<server::Access> administrator, session->administrator());
    if (opens_) {
      LADDER_TRY(const server::Access owner, session->owner());
      LADDER_TRY(const bool opened, open_running(context.console, *session, owner, listen.port));
      if (opened) return kDone;
    }
    if (const std::string note = earlier_uploads(context.settings); !note.empty()) context.console.err(note);
    http::DescriptorSink standard_error(STDERR_FILENO);
    http::BufferedLog log(standard_error);
    http::OtlpExporter spans({.version = context.version});
    LADDER_CHECK(spans.set_endpoint(otlp_.endpoint(context.environment)));
    rest::ServiceOptions service_options;
    LADDER_TRY(service_options.mcp, mcp_.options(context));
    LADDER_TRY(service_options.live, live_options(context, listen.address));
    service_options.issuer = issuer_.value_or("");
    service_options.version = context.version;
    service_options.spans = &spans;
    if (!issuer_) service_options.authorization = &session->authorization();
    app::ConsoleImporter importer(session->server().import_roles(),
                                  {app::extractor_program(context.environment("LADDER_EXTRACT")), context.version},
                                  work_folder(context.settings, "uploads"), Clock::system());
    service_options.importer = &importer;
    app::HostEnvironment environment(context.settings.location, shown_location(context.settings.location));
    service_options.environment = &environment;
    std::optional<app::BackupService> backups;
    std::optional<app::ConsoleBackups> console_backups;
    if (administrator) {
      backups.emplace(session->backup_plans(), *administrator,
                      app::BackupService::Settings{context.settings.location, context.version});
      service_options.backups =
          &console_backups.emplace(session->backup_plans(), *backups, context.settings.location, *administrator);
    }
    service_options.notifications = &session->notify_store();
    LADDER_TRY(auto model, ask_.model(context));
    ask::Ask asking(session->server(), std::move(model));
    service_options.asking = &asking;
    const std::string extractor = app::extractor_program(context.environment("LADDER_EXTRACT"));
    const app::SyncRunner::Settings sync_settings{{extractor, context.version}, work_folder(context.settings, "sync")};
    app::ConsoleSyncs console_syncs(session->server(), session->sync_store(), administrator, sync_settings);
    service_options.syncs = &console_syncs;
    app::ConsolePagePainter painter({extractor, context.version});
    if (::access(extractor.c_str(), X_OK) == 0) service_options.painter = &painter;  // ladder-extract is a separate package
    service_options.reads_wait = session->engine() == "postgres";
    LADDER_TRY(const auto service, rest::Service::create(session->server(), service_options, Clock::system(), log));
    http::ServerOptions options;
    options.address = listen.address;
    options.port = listen.port;
    options.certificate_file = certificate_.value_or("");
    options.key_file = key_.value_or("");
    if (service_options.reads_wait) options.workers = workers_for(context.settings.db_connections.value_or(kDefaultConnections));
    if (inherited) options.socket = inherited->descriptor;
    LADDER_TRY(const auto server, http::Server::start(options, *service));
    app::SyncService syncs(session->server(), session->sync_store(), sync_settings);
    const std::string url = url_of(listen.address, server->port(), !options.certificate_file.empty());
    const std::string base = base_url(service_options.live.public_url, options, server->port());
    app::NotifyService notifications(
        session->authorization(), session->notify_store(),
        {[&](const server::Access& who) { return app::failed_syncs(session->sync_store(), who); },
         [&](const server::Access& who) { return app::failed_backups(session->backup_plans(), who); }},
        base);
    show_figures(service->metrics(), {*server, session->server(), spans, syncs, notifications, backups ? &*backups : nullptr},
                 context.version);
    warn_of_variables(context.console);
    announce(context.console, url, server->port());
    if (!issuer_ && administrator) {
      LADDER_CHECK(opens_ ? open_console(context.console, *session, *administrator, base)
                          : welcome(context.console, *session, *administrator, base));
    }
    const std::string status = "serving " + url;
    manager.ready(status);
    const auto reload_if_requested = [&] {
      if (!reload.take()) return;
      manager.reloading();
      if (!options.certificate_file.empty()) {
        const Status reloaded = server->reload_certificate();
        context.console.err(reloaded ? "ladder: reloaded the certificate\n"
                                     : format("ladder: keeping the old certificate: {}\n", reloaded.error().message));
      }
      const auto changed = take_settings(context, listen.address, *service, spans);
      context.console.err(changed ? format("ladder: reloaded the settings: {}\n", *changed)
                                  : format("ladder: keeping the old settings: {}\n", changed.error().message));
      manager.ready(status);
    };
    // The watchdog must restart a server whose network threads hang, even if this thread still runs.
    const auto notify_watchdog = [&] {
      if (server->longest_silence() < *manager.watchdog_every()) manager.alive();
    };
    const auto begin_to_stop = [&] {
      manager.stopping();
      service->become_unready();
      server->end_connections();
    };
    run_until_stopped(stop, *session, {manager.watchdog_every(), notify_watchdog, reload_if_requested, begin_to_stop},
                      drain_delay, sweep_seconds(service->metrics()));
    painter.stop();
    asking.stop();
    server->stop();
    return kDone;
  }

 private:
  Result<std::chrono::seconds> parse_drain_delay() const {
    if (!drain_delay_) return std::chrono::seconds(0);
    const auto seconds = parse_number<std::int64_t>(*drain_delay_);
    if (seconds && *seconds >= 0 && *seconds <= kMaxDrainDelay) return std::chrono::seconds(*seconds);
    return fail(Code::kInvalidRequest, format("--drain-delay is a number of seconds from 0 to {}", kMaxDrainDelay),
                "--drain-delay");
  }

  Result<http::LogFormat> log_format(const Console& console) const {
    if (!log_) return console.err_is_terminal() ? http::LogFormat::kText : http::LogFormat::kJson;
    if (*log_ == "text") return http::LogFormat::kText;
    if (*log_ == "json") return http::LogFormat::kJson;
    return fail(Code::kInvalidRequest, "--log must be text or json", "--log");
  }

  // Rejects names that browsers and clients never send, since they could not match.
  Status check_names() const {
    if (issuer_ && !is_issuer(*issuer_))
      return fail(Code::kInvalidRequest,
                  format("\"{}\" is not the address of an authorization server; use https://login.example or "
                         "https://login.example/path",
                         issuer_->substr(0, kShownUrl)),
                  "--issuer");
    for (const std::string& host : hosts_) {
      if (!http::parse_host(host))
        return fail(Code::kInvalidRequest, format("'{}' is not a host name; use data.example or data.example:8443", host),
                    "--allow-host");
    }
    for (const std::string& origin : origins_) {
      const std::size_t scheme = origin.find("://");
      const bool has_host = scheme != std::string::npos && scheme > 0 && scheme + 3 < origin.size();
      if (!has_host || origin.find_first_of("/ \t", scheme + 3) != std::string::npos)
        return fail(Code::kInvalidRequest, format("'{}' is not a web origin; use https://app.example, without a path", origin),
                    "--allow-origin");
    }
    return {};
  }

  // Returns the options that a reload changes, from the current flags and settings.
  Result<rest::LiveOptions> live_options(const Context& context, const std::string& bound_address) const {
    LADDER_CHECK(check_names());
    rest::LiveOptions live;
    live.hosts = {bound_address, hosts_};
    live.allowed_origins = origins_;
    for (const std::string& text : proxies_) {
      const auto network = http::Network::parse(text);
      if (!network)
        return fail(Code::kInvalidRequest, format("'{}' is not an IP address or network; use 10.0.0.7 or 10.0.0.0/8", text),
                    "--trusted-proxy");
      live.trusted_proxies.push_back(*network);
    }
    LADDER_TRY(live.log_format, log_format(context.console));
    LADDER_TRY(const mcp::Options checked, mcp_.options(context));
    LADDER_TRY(live.public_url, canonical_public_url(public_url_.value_or(checked.provider_url)));
    allow_public_host(live);
    return live;
  }

  // Applies the settings that can change at run time. Returns what was changed and what needs a restart. An error changes
  // nothing.
  Result<std::string> take_settings(Context& context, const std::string& bound_address, rest::Service& service,
                                    http::OtlpExporter& spans) {
    LADDER_TRY(const RenewedCommand renewed, context.renew());
    auto taken = take_renewed(context, renewed, bound_address, service, spans);
    if (!taken) renewed.add_setting_origin(taken.error());
    return taken;
  }

  Result<std::string> take_renewed(Context& context, const RenewedCommand& renewed, const std::string& bound_address,
                                   rest::Service& service, http::OtlpExporter& spans) {
    const auto* const now = dynamic_cast<const Serve*>(renewed.command.get());
    if (!now) return fail(Code::kInternal, "the command line is interpreted differently now");
    Context next(context.console, renewed.settings, context.version, renewed.environment);
    LADDER_TRY(rest::LiveOptions live, now->live_options(next, bound_address));
    const std::string endpoint = now->otlp_.endpoint(next.environment);
    LADDER_CHECK(spans.set_endpoint(endpoint));
    service.change(std::move(live));

    std::vector<std::string_view> taken, waiting;
    const auto note = [](std::vector<std::string_view>& keys, std::string_view key, bool differs) {
      if (differs) keys.push_back(key);
    };
    note(taken, "allow_host", hosts_ != now->hosts_);
    note(taken, "allow_origin", origins_ != now->origins_);
    note(taken, "log", log_ != now->log_);
    note(taken, "otlp_endpoint", otlp_.endpoint(context.environment) != endpoint);
    note(taken, "public_url", public_url_ != now->public_url_);
    note(taken, "trusted_proxy", proxies_ != now->proxies_);
    note(waiting, "ask_endpoint or another ask setting", ask_ != now->ask_);
    note(waiting, "db", context.settings.location != renewed.settings.location);
    note(waiting, "db_connections", context.settings.db_connections != renewed.settings.db_connections);
    note(waiting, "drain_delay", drain_delay_ != now->drain_delay_);
    note(waiting, "extract", context.environment("LADDER_EXTRACT") != next.environment("LADDER_EXTRACT"));
    note(waiting, "issuer", issuer_ != now->issuer_);
    note(waiting, "ledger", ledger_ != now->ledger_);
    note(waiting, "listen", listen_ != now->listen_);
    note(waiting, "owner", context.settings.owner != renewed.settings.owner);
    note(waiting, "result_bytes", context.environment("LADDER_RESULT_BYTES") != next.environment("LADDER_RESULT_BYTES"));
    note(waiting, "server_name, input_schemas or resource_links", mcp_ != now->mcp_);
    note(waiting, "tls_certificate or tls_key", certificate_ != now->certificate_ || key_ != now->key_);
    hosts_ = now->hosts_;
    origins_ = now->origins_;
    proxies_ = now->proxies_;
    log_ = now->log_;
    otlp_ = now->otlp_;
    public_url_ = now->public_url_;
    if (taken.empty() && waiting.empty()) return "nothing has changed";
    std::string said = taken.empty() ? "" : format("took {}", joined(taken));
    if (!waiting.empty()) said += format("{}a restart is needed for {}", said.empty() ? "" : "; ", joined(waiting));
    return said;
  }

  static std::string joined(const std::vector<std::string_view>& keys) {
    std::string all;
    for (const std::string_view key : keys) all += (all.empty() ? "" : ", ") + std::string(key);
    return all;
  }

  static std::string url_of(const std::string& address, std::uint16_t port, bool tls) {
    const std::string host = address.find(':') == std::string::npos ? address : "[" + address + "]";
    return format("{}://{}:{}", tls ? "https" : "http", host, port);
  }

  // The address of the owner's pages.
  static std::string base_url(const std::string& public_url, const http::ServerOptions& options, std::uint16_t port) {
    if (!public_url.empty()) return public_url;
    return format("{}://localhost:{}", options.certificate_file.empty() ? "http" : "https", port);
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

  // Hosts compare the address byte for byte, and browsers send it in Origin, so it must be canonical. Host metadata is served
  // at the root, so a path is not allowed here; another authorization server (--issuer) may have one.
  Result<std::string> canonical_public_url(std::string url) const {
    while (url.ends_with('/')) url.pop_back();
    if (url.empty()) return url;
    if (const auto origin = http::parse_origin(url)) return http::canonical_text(*origin);
    if (issuer_) return url;
    return fail(Code::kInvalidRequest,
                format("\"{}\" cannot be the public address: use only scheme and name, such as https://data.example; agents use "
                       "that address followed by /mcp",
                       url.substr(0, kShownUrl)),
                "--public-url");
  }

  // Behind a proxy on this machine, requests carry the public name.
  static void allow_public_host(rest::LiveOptions& options) {
    const auto address = http::parse_host(options.hosts.bound_address);
    const auto origin = http::parse_origin(options.public_url);
    if (address && http::is_loopback(address->host) && origin) options.hosts.public_hosts.push_back(origin->header);
  }

  // Prints the owner's first sign-in link. The link is a secret for 15 minutes, so it is shown only on a terminal and never
  // logged.
  static Status open_console(Console& console, Session& session, const server::Access& owner, std::string base) {
    while (base.ends_with('/')) base.pop_back();
    LADDER_TRY(const std::string token, session.authorization().owners().make_link(owner));
    const std::string link = format("{}/sign-in/link?token={}", base, token);
    if (open_in_browser(link)) console.err(format("Opened {} in the browser.\n", base));
    else console.out(format("Open this link within 15 minutes; it works once:\n{}\n", link));
    return {};
  }

  // Returns false if no server runs at the address, so that this process becomes the server.
  Result<bool> open_running(Console& console, Session& session, const server::Access& owner, std::uint16_t port) const {
    const std::string scheme = certificate_ ? "https" : "http";
    const std::string base = public_url_.value_or(format("{}://localhost:{}", scheme, port));
    LADDER_TRY(const ServerState state, ask_server(base));
    if (!state.ready && public_url_) {
      return fail(Code::kStoreUnavailable, format("{}: {}; start `ladder serve` there", base, state.text), "public_url");
    }
    if (!state.ready) return false;
    LADDER_CHECK(open_console(console, session, owner, base));
    return true;
  }

  static Status welcome(Console& console, Session& session, const server::Access& owner, std::string base) {
    while (base.ends_with('/')) base.pop_back();
    if (console.json() || !console.out_is_terminal()) return {};
    LADDER_TRY(const auto known, session.authorization().owners().credentials(owner.owner_name()));
    if (known.any()) {
      console.out(format("Sign in at {}/sign-in; agents connect to {}/mcp\n", base, base));
      return {};
    }
    LADDER_TRY(const std::string link, session.authorization().owners().make_link(owner));
    console.out(format(
        "Open this link within 15 minutes to choose how you sign in (it works once):\n  {}/sign-in/link?token={}\n", base, link));
    return {};
  }

  const bool opens_;
  std::optional<std::string> listen_, public_url_, issuer_, certificate_, key_, log_, ledger_, drain_delay_;
  std::vector<std::string> hosts_, origins_, proxies_;
  AskFlags ask_;
  McpFlags mcp_;
  OtlpFlags otlp_;
};

}  // namespace

std::unique_ptr<Command> make_serve() { return std::make_unique<Serve>(false); }
std::unique_ptr<Command> make_open() { return std::make_unique<Serve>(true); }

}  // namespace ladder::cli
