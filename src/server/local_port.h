// The resource port of one caller in this process.
#pragma once

#include "api/resource_port.h"
#include "server/access/access.h"
#include "server/read_roles.h"

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace ladder::server {

class LocalPort final : public api::ResourcePort {
 public:
  LocalPort(const ReadRoles& roles, Access access) : roles_(roles), access_(std::move(access)) {}

  Result<api::SchemaView> schema(const api::SchemaRequest& request, std::stop_token) override {
    return roles_.reads.schema(access_, request);
  }
  Result<api::RecordsPage> records(const api::RecordsRequest& request, std::stop_token stop) override {
    return roles_.reads.records(access_, request, stop);
  }
  Result<api::Record> record(const api::RecordRequest& request, std::stop_token) override {
    return roles_.reads.record(access_, request);
  }
  Result<api::AggregateResult> aggregate(const api::AggregateRequest& request, std::stop_token stop) override {
    return roles_.reads.aggregate(access_, request, stop);
  }
  Result<api::SearchPage> search(const api::SearchRequest& request, std::stop_token stop) override {
    return roles_.search.find(access_, request, stop);
  }
  Result<api::FieldWindow> field_window(const api::FieldWindowRequest& request, std::stop_token stop) override {
    return roles_.windows.read(access_, request, stop);
  }
  Result<api::Blob> blob(const api::BlobRequest& request, std::stop_token) override {
    return roles_.reads.blob(access_, request);
  }
  std::unique_ptr<api::Watch> watch() override { return roles_.watches.open(access_); }
  std::unique_ptr<api::ResourcePort> for_call(std::string_view name, std::string_view request_id) override {
    Access named = access_;
    named.set_call({access_.call().transport, std::string(name), std::string(request_id)});
    return std::make_unique<LocalPort>(roles_, std::move(named));
  }

 private:
  ReadRoles roles_;
  Access access_;
};

}  // namespace ladder::server
