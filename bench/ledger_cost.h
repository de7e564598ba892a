// Measures what the disclosure ledger adds to a read. The entry of a window is written again and again by a ledger of its own, as
// a read writes it before its answer is given.
#pragma once

#include "report.h"
#include "scene.h"

#include <string>

namespace ladder::bench {

struct LedgerCost {
  Samples entry, durable;        // writing one entry, and waiting until it is on disk
  double sweep_of_an_entry = 0;  // microseconds of the sweep that brings it into the store, which no answer waits for
};

// `journals` is an empty folder for it; `reader` is the client that `window` was read for.
LedgerCost measure_ledger(Scene& scene, const server::Access& reader, const api::FieldWindow& window,
                          const std::string& journals);

// A read beside the same without its entry, what `--ledger durable` adds, and what the sweep takes.
void report_ledger(Report& report, const std::string& what, const Samples& read, const LedgerCost& cost);

}  // namespace ladder::bench
