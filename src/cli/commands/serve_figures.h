// Figures of the whole process in /metrics, read when somebody asks for them. No label holds an owner, a record or a query.
#pragma once

#include "http/middleware/metrics.h"
#include "http/otlp/exporter.h"
#include "http/server.h"
#include "server/resource_server.h"

#include <string_view>

namespace ladder::cli {

// The parts whose figures are shown; they must outlive the last request for /metrics.
struct ServedParts {
  const http::Server& http;
  const server::ResourceServer& server;
  const http::OtlpExporter& spans;
};

void show_figures(http::Metrics& metrics, const ServedParts& parts, std::string_view version);

// How long a sweep of the ledger takes.
http::Histogram& sweep_seconds(http::Metrics& metrics);

}  // namespace ladder::cli
