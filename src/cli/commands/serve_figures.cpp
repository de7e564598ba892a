#include "cli/commands/serve_figures.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ladder::cli {
namespace {

using http::Labels;

// The metrics that are updated by one read of the statistics.
template <class Figures>
class Shown {
 public:
  explicit Shown(http::Metrics& metrics) : metrics_(metrics) {}

  template <class Read>
  Shown& gauge(std::string_view name, std::string_view help, Read read, const Labels& labels = {}) {
    http::Gauge& gauge = metrics_.gauge(name, help, labels);
    setters_.push_back([&gauge, read](const Figures& now) { gauge.set(static_cast<double>(read(now))); });
    return *this;
  }
  template <class Read>
  Shown& total(std::string_view name, std::string_view help, Read read, const Labels& labels = {}) {
    http::Counter& counter = metrics_.counter(name, help, labels);
    setters_.push_back([&counter, read](const Figures& now) { counter.set_total(static_cast<std::uint64_t>(read(now))); });
    return *this;
  }
  // Reads the statistics once per scrape, so that all values of a scrape are consistent.
  template <class ReadAll>
  void from(ReadAll read_all) {
    metrics_.before_text([read_all, setters = std::move(setters_)] {
      const Figures now = read_all();
      for (const auto& set : setters) set(now);
    });
  }

 private:
  http::Metrics& metrics_;
  std::vector<std::function<void(const Figures&)>> setters_;
};

void show_http(http::Metrics& metrics, const http::Server& server) {
  using Now = http::ServerCounters;
  constexpr std::string_view kWorkers = "Worker threads for slow requests";
  Shown<Now>(metrics)
      .gauge("ladder_connections_open", "Open client connections", [](const Now& now) { return now.connections_open; })
      .gauge("ladder_queue_length", "Requests waiting for a worker", [](const Now& now) { return now.queue_length; })
      .gauge("ladder_queue_owners", "Owners with requests that wait for a worker",
             [](const Now& now) { return now.queue_owners; })
      .gauge("ladder_queue_longest", "Requests of one owner that wait for a worker, of the owner with the most",
             [](const Now& now) { return now.queue_longest; })
      .gauge("ladder_workers", kWorkers, [](const Now& now) { return now.workers_busy; }, {{"state", "busy"}})
      .gauge("ladder_workers", kWorkers, [](const Now& now) { return now.workers_idle; }, {{"state", "idle"}})
      .from([&server] { return server.counters(); });
}

using ServerFigures = server::ServerFigures;

void add_store(Shown<ServerFigures>& shown, const store::StoreFigures& store) {
  using Now = ServerFigures;
  if (store.file_bytes) {
    shown
        .gauge("ladder_store_bytes", "Size of the store's file and its write-ahead log",
               [](const Now& now) { return now.store.file_bytes.value_or(0) + now.store.wal_bytes.value_or(0); })
        .gauge("ladder_store_wal_bytes", "Size of the store's write-ahead log",
               [](const Now& now) { return now.store.wal_bytes.value_or(0); });
  }
  if (store.connections_max > 0) {
    shown
        .gauge("ladder_store_bytes", "Size of the store's tables and indexes, in PostgreSQL",
               [](const Now& now) { return now.store.server_bytes.value_or(0); })
        .gauge("ladder_store_connections_max", "The most connections to PostgreSQL (db_connections)",
               [](const Now& now) { return now.store.connections_max; })
        .total("ladder_store_waits_total", "Waits for a connection to PostgreSQL", [](const Now& now) { return now.store.waits; })
        .total("ladder_store_wait_microseconds_total", "Time waited for a connection to PostgreSQL",
               [](const Now& now) { return now.store.wait_us; })
        .total("ladder_store_failed_waits_total", "Waits for a connection that ended without one",
               [](const Now& now) { return now.store.failed_waits; })
        .gauge("ladder_store_standbys", "Standbys that receive the write-ahead log of PostgreSQL",
               [](const Now& now) { return now.store.standbys.value_or(0); })
        .gauge("ladder_store_lag_bytes", "Write-ahead log that the slowest standby has not replayed",
               [](const Now& now) { return now.store.lag_bytes.value_or(0); })
        .gauge("ladder_store_lag_seconds", "Time until the slowest standby replays a write",
               [](const Now& now) { return static_cast<double>(now.store.lag_us.value_or(0)) / 1e6; });
  }
  constexpr std::string_view kConnections = "Connections to the store: readers of SQLite, all of PostgreSQL";
  shown.gauge("ladder_store_schema_version", "Schema of the store", [](const Now& now) { return now.store.schema_version; })
      .gauge("ladder_store_connections", kConnections, [](const Now& now) { return now.store.connections_in_use; },
             {{"state", "in_use"}})
      .gauge("ladder_store_connections", kConnections, [](const Now& now) { return now.store.connections_idle; },
             {{"state", "idle"}})
      .gauge("ladder_store_waiting", "Threads waiting for a connection to PostgreSQL, or to write to SQLite",
             [](const Now& now) { return now.store.waiting; });
}

void add_imports(Shown<ServerFigures>& shown) {
  using Now = ServerFigures;
  constexpr std::string_view kImports = "Completed ingests of record streams, by outcome";
  constexpr std::string_view kRecords = "Imported records, by outcome; rejected ones are not in the store";
  shown
      .gauge("ladder_imports_running", "Ingests of record streams in progress", [](const Now& now) { return now.ingest.running; })
      .total("ladder_imports_total", kImports, [](const Now& now) { return now.ingest.finished; }, {{"outcome", "finished"}})
      .total("ladder_imports_total", kImports, [](const Now& now) { return now.ingest.failed; }, {{"outcome", "failed"}})
      .total("ladder_import_records_total", kRecords, [](const Now& now) { return now.ingest.stored; }, {{"outcome", "stored"}})
      .total("ladder_import_records_total", kRecords, [](const Now& now) { return now.ingest.unchanged; },
             {{"outcome", "unchanged"}})
      .total("ladder_import_records_total", kRecords, [](const Now& now) { return now.ingest.rejected; },
             {{"outcome", "rejected"}});
}

void add_ledger(Shown<ServerFigures>& shown) {
  using Now = ServerFigures;
  constexpr std::string_view kFailures =
      "Entries that could not be written (their responses were rejected), and sweeps that failed";
  shown
      .total("ladder_ledger_entries_total", "Responses recorded in the disclosure ledger",
             [](const Now& now) { return now.ledger.recorded; })
      .gauge("ladder_ledger_journal_bytes", "Bytes of journals that are not swept into the store yet",
             [](const Now& now) { return now.ledger.journal_bytes; })
      .total("ladder_ledger_failures_total", kFailures, [](const Now& now) { return now.ledger.unwritten; }, {{"step", "record"}})
      .total("ladder_ledger_failures_total", kFailures, [](const Now& now) { return now.ledger.failed_sweeps; },
             {{"step", "sweep"}})
      .total("ladder_ledger_budget_refusals_total", "Responses rejected because the daily budget of a grant was used up",
             [](const Now& now) { return now.ledger.over_budget; });
}

void show_spans(http::Metrics& metrics, const http::OtlpExporter& spans) {
  using Now = http::OtlpExporter::Figures;
  constexpr std::string_view kSpans = "Spans for the collector: sent, dropped from a full queue, or not accepted by it";
  Shown<Now>(metrics)
      .total("ladder_spans_total", kSpans, [](const Now& now) { return now.sent; }, {{"outcome", "sent"}})
      .total("ladder_spans_total", kSpans, [](const Now& now) { return now.dropped; }, {{"outcome", "dropped"}})
      .total("ladder_spans_total", kSpans, [](const Now& now) { return now.failed; }, {{"outcome", "failed"}})
      .from([&spans] { return spans.figures(); });
}

void show_syncs(http::Metrics& metrics, const app::SyncService& syncs) {
  using Now = app::SyncFigures;
  constexpr std::string_view kRuns = "Runs of synced sources, by outcome";
  constexpr std::string_view kMessages = "Messages of synced sources: fetched, or removed after a deletion at the source";
  constexpr std::string_view kSources = "Synced sources: working, failed in the last run, or paused";
  Shown<Now>(metrics)
      .total("ladder_sync_runs_total", kRuns, [](const Now& now) { return now.succeeded; }, {{"outcome", "succeeded"}})
      .total("ladder_sync_runs_total", kRuns, [](const Now& now) { return now.failed; }, {{"outcome", "failed"}})
      .total("ladder_sync_messages_total", kMessages, [](const Now& now) { return now.fetched; }, {{"change", "fetched"}})
      .total("ladder_sync_messages_total", kMessages, [](const Now& now) { return now.removed; }, {{"change", "removed"}})
      .gauge("ladder_sync_sources", kSources, [](const Now& now) { return now.working; }, {{"state", "working"}})
      .gauge("ladder_sync_sources", kSources, [](const Now& now) { return now.failing; }, {{"state", "failing"}})
      .gauge("ladder_sync_sources", kSources, [](const Now& now) { return now.paused; }, {{"state", "paused"}})
      .from([&syncs] { return syncs.figures(); });
}

void show_notifications(http::Metrics& metrics, const app::NotifyService& notifications) {
  using Now = app::NotifyFigures;
  constexpr std::string_view kAttempts = "Attempts to send a notification, by how they ended";
  Shown<Now>(metrics)
      .total("ladder_notifications_total", kAttempts, [](const Now& now) { return now.sent; }, {{"outcome", "sent"}})
      .total("ladder_notifications_total", kAttempts, [](const Now& now) { return now.failed; }, {{"outcome", "failed"}})
      .total("ladder_notifications_lost_total", "Notifications that were given up", [](const Now& now) { return now.given_up; })
      .gauge("ladder_notifications_waiting", "Notifications that wait for their next attempt",
             [](const Now& now) { return now.waiting; })
      .gauge("ladder_notification_channels_failing", "Channels whose last attempt failed",
             [](const Now& now) { return now.failing; })
      .from([&notifications] { return notifications.figures(); });
}

void show_backups(http::Metrics& metrics, const app::BackupService& backups) {
  using Now = app::BackupFigures;
  constexpr std::string_view kBackups = "Backups that this server made, by how they ended";
  Shown<Now>(metrics)
      .total("ladder_backups_total", kBackups, [](const Now& now) { return now.succeeded; }, {{"outcome", "succeeded"}})
      .total("ladder_backups_total", kBackups, [](const Now& now) { return now.failed; }, {{"outcome", "failed"}})
      .gauge("ladder_backup_failures", "Scheduled backups that failed since the last success",
             [](const Now& now) { return now.failing; })
      .gauge("ladder_backup_last_success_seconds", "Time of the last scheduled backup, in seconds since 1970; 0: none",
             [](const Now& now) { return now.succeeded_at / kSecond; })
      .gauge("ladder_backup_running", "1 while a backup is made", [](const Now& now) { return now.running ? 1 : 0; })
      .from([&backups] { return backups.figures(); });
}

}  // namespace

void show_figures(http::Metrics& metrics, const ServedParts& parts, std::string_view version) {
  metrics.gauge("ladder_build_info", "Always 1", {{"version", std::string(version)}}).set(1);
  show_http(metrics, parts.http);
  show_spans(metrics, parts.spans);
  show_syncs(metrics, parts.syncs);
  show_notifications(metrics, parts.notifications);
  if (parts.backups != nullptr) show_backups(metrics, *parts.backups);
  Shown<ServerFigures> shown(metrics);
  add_store(shown, parts.server.figures().store);
  add_imports(shown);
  add_ledger(shown);
  shown.from([&server = parts.server] { return server.figures(); });
}

http::Histogram& sweep_seconds(http::Metrics& metrics) {
  return metrics.histogram("ladder_ledger_sweep_seconds", "Duration of a sweep of ledger journals into the store",
                           http::kDurationBounds);
}

}  // namespace ladder::cli
