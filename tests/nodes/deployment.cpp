#include "deployment.h"

#include "base/text/format.h"
#include "support/postgres_cluster.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ladder::nodes {
namespace {

using faults::eventually;
using faults::milliseconds;
using test_support::Database;

constexpr const char* kSuperPassword = "first";
constexpr const char* kLadderPassword = "second";
constexpr const char* kDrainDelay = "4";  // seconds; HAProxy notices within two

// NAME=value lines as environment variables.
std::vector<std::string> variables(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != '#') all.push_back(line);
  }
  return all;
}

template <class Holds>
void require_soon(const char* what, const Service& service, Holds holds) {
  if (!eventually(holds)) throw std::runtime_error(format("{}: {}", what, service.log()));
}

}  // namespace

std::string Deployment::missing() {
  return missing_programs({"/usr/sbin/haproxy", "/usr/sbin/pgbouncer", "/usr/bin/patroni", "/usr/bin/etcd"});
}

Deployment::Deployment() {
  for (std::uint16_t& port : node_ports_) port = free_port();
  start_etcd();
  start_server(0);
  (void)primary();
  start_server(1);
  start_balancer();
  start_pooler();
  fill();
  for (std::size_t n = 0; n < kNodes; ++n) start_node(n);
  require_soon("no node is in service", *balancer_, [&] { return is_in_service(0) && is_in_service(1) && is_in_service(2); });
  require_soon("no synchronous standby", *servers_[1].patroni, [&] { return has_standby(); });
}

Deployment::~Deployment() {
  for (const auto& node : nodes_) node->ask_to_end();
  for (const auto& node : nodes_) EXPECT_EQ(node->wait(), 0) << "a graceful end";
}

void Deployment::start_etcd() {
  const std::string client = format("http://127.0.0.1:{}", etcd_port_), peer = format("http://127.0.0.1:{}", etcd_peer_port_);
  etcd_ =
      std::make_unique<Service>(folder_, "etcd", std::vector<std::string>{"/usr/bin/etcd"},
                                variables(shipped("patroni/etcd.env", {{"/var/lib/etcd/default", folder_ / "etcd"},
                                                                       {"http://0.0.0.0:2379", client},
                                                                       {"http://etcd1:2379", client},
                                                                       {"http://0.0.0.0:2380", peer},
                                                                       {",etcd2=http://etcd2:2380,etcd3=http://etcd3:2380", ""},
                                                                       {"http://etcd1:2380", peer}})));
}

void Deployment::start_server(std::size_t n) {
  Server& server = servers_[n];
  const ServiceFolder& folder = *server.folder;
  const std::string file = folder.put(
      "patroni.yml", shipped("patroni/patroni.yml", {{"0.0.0.0:8008", format("127.0.0.1:{}", server.rest_port)},
                                                     {"etcd1:2379,etcd2:2379,etcd3:2379", format("127.0.0.1:{}", etcd_port_)},
                                                     {"0.0.0.0:5432", format("127.0.0.1:{}", server.port)},
                                                     {"/var/lib/postgresql/15/ladder", folder / "data"},
                                                     {"/var/lib/postgresql/patroni.pgpass", folder / "pgpass"},
                                                     {"/var/run/postgresql", folder.path()},
                                                     {"ttl: 20", "ttl: 10"},
                                                     {"loop_wait: 5", "loop_wait: 2"},
                                                     {"retry_timeout: 5", "retry_timeout: 3"}}));
  const std::string address = format("127.0.0.1:{}", server.port);
  server.patroni = std::make_unique<Service>(
      folder, "patroni", std::vector<std::string>{"/usr/bin/patroni", file},
      variables(shipped("patroni/patroni.env", {{"PATRONI_NAME=db1", format("PATRONI_NAME=db{}", n + 1)},
                                                {"db1:8008", format("127.0.0.1:{}", server.rest_port)},
                                                {"db1:5432", address},
                                                {"choose-one", kSuperPassword}})));
}

void Deployment::kill_server(std::size_t n) {
  Server& server = servers_[n];
  pid_t postmaster = 0;
  std::ifstream(*server.folder / "data/postmaster.pid") >> postmaster;
  server.patroni->kill_at_once();
  if (postmaster > 1) ::kill(postmaster, SIGKILL);
}

std::string Deployment::address_of(const Server& server, const std::string& database) const {
  return format("postgres://postgres:{}@127.0.0.1:{}/{}?connect_timeout=2", kSuperPassword, server.port, database);
}

std::optional<std::string> Deployment::ask(const Server& server, const std::string& sql) const {
  try {
    return Database(address_of(server, "postgres"), "postgres", Database::Kept::kFromBefore).value(sql);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

std::size_t Deployment::primary() const {
  std::optional<std::size_t> found;
  eventually([&] {
    for (std::size_t n = 0; n < kServers && !found; ++n) {
      if (servers_[n].patroni && ask(servers_[n], "SELECT pg_is_in_recovery()") == "f") found = n;
    }
    return found.has_value();
  });
  if (!found) throw std::runtime_error("no primary: " + etcd_->log() + servers_[0].patroni->log());
  return *found;
}

bool Deployment::has_standby() const {
  return ask(servers_[primary()], "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'") ==
         "1";
}

void Deployment::start_balancer() {
  Replacements replacements = {
      {"bind :443 ssl crt /etc/haproxy/data.example.pem alpn h2,http/1.1", format("bind 127.0.0.1:{}", public_port_)},
      {"hdr Host data.example", "hdr Host localhost"},
      {"bind 127.0.0.1:5000", format("bind 127.0.0.1:{}", primary_port_)},
      {"check port 8008", "check"}};
  for (std::size_t n = 0; n < kNodes; ++n)
    replacements.emplace_back(format("node{}:7663", n + 1), format("127.0.0.1:{}", node_ports_[n]));
  for (std::size_t n = 0; n < kServers; ++n)
    replacements.emplace_back(format("db{}:5432", n + 1),
                              format("127.0.0.1:{} port {}", servers_[n].port, servers_[n].rest_port));
  const std::string status =
      format("\nlisten stats\n  mode http\n  bind 127.0.0.1:{}\n  stats enable\n  stats uri /\n", stats_port_);
  const std::string file = folder_.put("haproxy.cfg", shipped("haproxy.cfg", replacements) + status);
  balancer_ = std::make_unique<Service>(folder_, "haproxy", std::vector<std::string>{"/usr/sbin/haproxy", "-db", "-f", file});
}

void Deployment::start_pooler() {
  const std::string users = folder_.put("userlist.txt", format("\"ladder\" \"{}\"\n", kLadderPassword));
  const std::string file =
      folder_.put("pgbouncer.ini", shipped("pgbouncer.ini", {{"port=5000", format("port={}", primary_port_)},
                                                             {"listen_port = 6432", format("listen_port = {}", pooler_port_)},
                                                             {"/etc/pgbouncer/userlist.txt", users}}) +
                                       "unix_socket_dir =\n");
  pooler_ = std::make_unique<Service>(folder_, "pgbouncer", std::vector<std::string>{"/usr/sbin/pgbouncer", file});
  pooled_ = format("postgres://ladder:{}@127.0.0.1:{}/ladder", kLadderPassword, pooler_port_);
}

void Deployment::fill() {
  const Server& server = servers_[primary()];
  const Database admin(address_of(server, "postgres"), "postgres", Database::Kept::kFromBefore);
  admin.run(format("CREATE ROLE ladder LOGIN PASSWORD '{}'", kLadderPassword));
  admin.run("CREATE DATABASE ladder OWNER ladder TEMPLATE template0 ENCODING 'UTF8'");
  require_soon("PgBouncer gives no connection", *pooler_,
               [&] { return store::open_store(pooled_, store::OpenMode::kCreate).has_value(); });
  faults::OwnerStore owner_store(pooled_);
  owner_store.put_notes(10, "a long letter from the harbour");
  client_token_ = owner_store.grant().token;
  owner_token_ = owner_store.owner_token();
}

std::string Deployment::location_of(std::size_t node) const {
  if (node + 1 < kNodes) return pooled_;
  return format("postgres://ladder:{}@127.0.0.1:{},127.0.0.1:{}/ladder", kLadderPassword, servers_[0].port, servers_[1].port);
}

void Deployment::start_node(std::size_t n) {
  nodes_[n] = std::make_unique<faults::Serving>(location_of(n), std::chrono::seconds(60),
                                                std::vector<std::string>{"--listen", format("127.0.0.1:{}", node_ports_[n]),
                                                                         "--drain-delay", kDrainDelay, "--ledger", "store"},
                                                std::vector<std::string>{"LADDER_DB_CONNECTIONS=12"});
}

void Deployment::restart_node(std::size_t n) {
  nodes_[n].reset();  // waits for a graceful end
  start_node(n);
  require_soon("the node is not in service again", *balancer_, [&] { return is_in_service(n); });
}

// The status page as CSV: # pxname,svname,…,status is column 18.
bool Deployment::is_in_service(std::size_t n) const {
  http::ClientOptions options;
  options.origin = format("http://127.0.0.1:{}", stats_port_);
  const auto client = http::Client::create(options);
  http::ClientRequest request;
  request.target = "/;csv";
  const auto response = (*client)->send(request, {});
  if (!response) return false;
  const std::size_t line = response->body.find(format("\nnodes,node{},", n + 1));
  if (line == std::string::npos) return false;
  const std::string row = response->body.substr(line + 1, response->body.find('\n', line + 1) - line - 1);
  return row.find(",UP,") != std::string::npos;
}

}  // namespace ladder::nodes
