// Process statistics in /metrics, read at each scrape. No label contains an owner, a record or a query.
#pragma once

#include "app/backup/backup_service.h"
#include "app/notify/notify_service.h"
#include "app/sync/sync_service.h"
#include "http/middleware/metrics.h"
#include "http/otlp/exporter.h"
#include "http/server.h"
#include "server/resource_server.h"

#include <string_view>

namespace ladder::cli {

// The components whose statistics are shown. They must outlive the last request to /metrics.
struct ServedParts {
  const http::Server& http;
  const server::ResourceServer& server;
  const http::OtlpExporter& spans;
  const app::SyncService& syncs;
  const app::NotifyService& notifications;
  const app::BackupService* backups;  // null if this server makes none
};

void show_figures(http::Metrics& metrics, const ServedParts& parts, std::string_view version);

// Returns the histogram of ledger sweep durations.
http::Histogram& sweep_seconds(http::Metrics& metrics);

}  // namespace ladder::cli
