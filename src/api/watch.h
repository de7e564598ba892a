// Watching what one caller may read: which of it changed since it was looked at last. What the caller may not read has no part in
// the answer.
#pragma once

#include "base/error/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::api {

// A stream of every granted connection that has it, or one record.
struct WatchTarget {
  std::string stream;
  std::string connection_id = {};  // empty: every granted one
  std::string record_id = {};      // empty: the stream
};

struct WatchReport {
  std::vector<std::string> changed;  // names of targets, each once
  bool scope_changed = false;        // a grant ended, or a granted stream or connection came or went
  bool ended = false;                // no grant stands any more: there is nothing left to look at
};

// Belongs to one caller and is used by one thread at a time. Holds no reader and no transaction between two looks.
class Watch {
 public:
  virtual ~Watch() = default;
  // From now on, under the caller's own name for it; a name that is known is watched anew. Errors as for a read of the target.
  virtual Status add(const std::string& name, const WatchTarget& target) = 0;
  virtual void remove(const std::string& name) = 0;
  // Tells the changes since the last look. Reads a few counters while nothing was written. After an error the next look tells it.
  virtual Result<WatchReport> look() = 0;
};

}  // namespace ladder::api
