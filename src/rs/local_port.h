// The port of one caller in this process.
#pragma once

#include "port/resource_port.h"
#include "rs/resource_server.h"

#include <utility>

namespace ladder::rs {

class LocalPort final : public port::ResourcePort {
 public:
  LocalPort(ResourceServer& server, Access access) : server_(server), access_(std::move(access)) {}

  Result<port::SchemaView> schema(const port::SchemaRequest& request, std::stop_token) override {
    return server_.schema(access_, request);
  }
  Result<port::RecordsPage> records(const port::RecordsRequest& request, std::stop_token stop) override {
    return server_.records(access_, request, stop);
  }
  Result<port::Record> record(const port::RecordRequest& request, std::stop_token) override {
    return server_.record(access_, request);
  }
  Result<port::AggregateResult> aggregate(const port::AggregateRequest& request, std::stop_token stop) override {
    return server_.aggregate(access_, request, stop);
  }
  Result<port::SearchPage> search(const port::SearchRequest& request, std::stop_token stop) override {
    return server_.search(access_, request, stop);
  }
  Result<evidence::FieldWindow> field_window(const port::FieldWindowRequest& request, std::stop_token stop) override {
    return server_.field_window(access_, request, stop);
  }
  Result<port::Blob> blob(const port::BlobRequest& request, std::stop_token) override { return server_.blob(access_, request); }

 private:
  ResourceServer& server_;
  Access access_;
};

}  // namespace ladder::rs
