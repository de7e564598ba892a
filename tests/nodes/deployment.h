// The deployment of docs/run/nodes.md on this machine, with the files of deploy/:
//
//   clients → HAProxy → three nodes ┬ two: PgBouncer → HAProxy ┬→ PostgreSQL, the primary of the two that Patroni and etcd manage
//                                   └ one: an address with both servers ┘
#pragma once

#include "owner_store.h"
#include "programs.h"
#include "serving.h"

#include <array>
#include <memory>
#include <optional>
#include <string>

namespace ladder::nodes {

class Deployment {
 public:
  static constexpr std::size_t kNodes = 3, kServers = 2;
  static std::string missing();  // the programs that this machine lacks

  Deployment();
  ~Deployment();  // ends the nodes gracefully, all at once
  Deployment(const Deployment&) = delete;
  Deployment& operator=(const Deployment&) = delete;

  std::uint16_t port() const { return public_port_; }            // HAProxy
  const std::string& pooled_address() const { return pooled_; }  // of the store, through PgBouncer
  const std::string& client_token() const { return client_token_; }
  const std::string& owner_token() const { return owner_token_; }
  faults::Serving& node(std::size_t n) { return *nodes_[n]; }

  void restart_node(std::size_t n);  // as a rolling restart does: SIGTERM, wait, start, wait until it is ready
  std::size_t primary() const;       // the PostgreSQL server that accepts writes; throws if none does in time
  void kill_server(std::size_t n);   // Patroni and PostgreSQL, without a goodbye
  void start_server(std::size_t n);
  bool has_standby() const;                 // the primary has a synchronous standby
  bool is_in_service(std::size_t n) const;  // HAProxy sends requests to the node

 private:
  struct Server {
    std::uint16_t port = free_port(), rest_port = free_port();
    std::unique_ptr<ServiceFolder> folder = std::make_unique<ServiceFolder>();
    std::unique_ptr<Service> patroni;
  };

  std::string address_of(const Server& server, const std::string& database) const;
  std::optional<std::string> ask(const Server& server, const std::string& sql) const;
  std::string location_of(std::size_t node) const;
  void start_etcd();
  void start_pooler();
  void start_balancer();
  void start_node(std::size_t n);
  void fill();

  ServiceFolder folder_;
  std::uint16_t etcd_port_ = free_port(), etcd_peer_port_ = free_port(), pooler_port_ = free_port(), primary_port_ = free_port(),
                public_port_ = free_port(), stats_port_ = free_port();
  std::array<std::uint16_t, kNodes> node_ports_;
  std::unique_ptr<Service> etcd_;
  std::array<Server, kServers> servers_;
  std::unique_ptr<Service> balancer_, pooler_;
  std::array<std::unique_ptr<faults::Serving>, kNodes> nodes_;
  std::string pooled_, client_token_, owner_token_;
};

}  // namespace ladder::nodes
