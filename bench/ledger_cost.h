// Measures what the disclosure ledger adds to a read. A separate ledger writes the entry of one window again and again,
// as a read does before it returns its response.
#pragma once

#include "report.h"
#include "scene.h"

#include <string>

namespace ladder::bench {

struct LedgerCost {
  Samples entry, durable;        // writing one entry; waiting until it is on disk
  double sweep_of_an_entry = 0;  // microseconds of the sweep that moves an entry into the store; no response waits for it
};

// `journals` is an empty folder for the ledger; `reader` is the client that `window` was read for.
LedgerCost measure_ledger(Scene& scene, const server::Access& reader, const api::FieldWindow& window,
                          const std::string& journals);

// Reports a read against the same read without its entry, the cost of `--ledger durable`, and the sweep.
void report_ledger(Report& report, const std::string& what, const Samples& read, const LedgerCost& cost);

}  // namespace ladder::bench
