#include "cli/indexes.h"

#include <chrono>

namespace ladder::cli {
namespace {

constexpr auto kStep = std::chrono::seconds(2);

}  // namespace

Status finish_indexes(Session& session, const rs::Access& owner, Console& console) {
  for (bool told = false;; told = true) {
    LADDER_TRY(const bool ready, session.server().reindex(owner, Deadline::after(kStep)));
    if (ready) return {};
    if (!told) console.err("Records are brought into new indexes; this may be interrupted and goes on later.\n");
  }
}

}  // namespace ladder::cli
