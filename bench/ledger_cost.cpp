#include "ledger_cost.h"

#include "base/text/format.h"
#include "server/catalog/catalog.h"
#include "server/ledger/ledger.h"

namespace ladder::bench {
namespace {

constexpr int kEntries = 4'000, kDurable = 100;
constexpr double kMaxSlower = 1.05;

}  // namespace

LedgerCost measure_ledger(Scene& scene, const server::Access& reader, const api::FieldWindow& window,
                          const std::string& journals) {
  LedgerCost cost;
  server::CatalogCache catalogs(scene.store());
  {
    server::Ledger ledger(scene.store(), Clock::system(), catalogs, {journals + "/usual", false});
    for (int i = 0; i < kEntries; ++i) cost.entry.time([&] { must(ledger.record(reader, server::disclose(window))); });
    Samples sweep;
    sweep.time([&] { must(ledger.sweep()); });
    cost.sweep_of_an_entry = sweep.p50() / kEntries;
  }
  server::Ledger durable(scene.store(), Clock::system(), catalogs, {journals + "/durable", true});
  for (int i = 0; i < kDurable; ++i) cost.durable.time([&] { must(durable.record(reader, server::disclose(window))); });
  return cost;
}

void report_ledger(Report& report, const std::string& what, const Samples& read, const LedgerCost& cost) {
  const double without = read.p50() - cost.entry.p50();
  report.at_most(what + " with its entry in the ledger, beside one without", read.text(), format("{:.1f} µs", without),
                 read.p50() / without, kMaxSlower);
  report.note(what + ": the entry alone, --ledger durable beside usual", cost.durable.text(), cost.entry.text(),
              cost.durable.p50() / cost.entry.p50());
  report.note(what + ": the sweep of an entry, beside the read", format("{:.1f} µs", cost.sweep_of_an_entry), read.text(),
              cost.sweep_of_an_entry / read.p50());
}

}  // namespace ladder::bench
