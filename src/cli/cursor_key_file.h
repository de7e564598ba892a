// The key that seals window cursors of servers which seal none (design D6): <cache root>/cursor.key, beside the credentials, for
// its owner alone. Made when the first cursor is sealed, never at the start.
#pragma once

#include "base/mutex.h"
#include "remote/window_cursors.h"

#include <optional>
#include <string>

namespace ladder::cli {

class CursorKeyFile final : public remote::CursorKey {
 public:
  // `may_make`: the folder was named by somebody; without it a key is kept only where the folder is already.
  CursorKeyFile(std::string cache_root, bool may_make) : cache_root_(std::move(cache_root)), may_make_(may_make) {}

  // Where no file can be kept, a key of this process: its cursors then end with it.
  const crypto::Sealer& sealer() override;
  const crypto::Sealer* if_there() override;

  // 32 bytes for fences; the same at every start once there is a file.
  std::string fence_key() const;

 private:
  std::string path() const { return cache_root_ + "/cursor.key"; }
  std::optional<std::string> read() const;  // nullopt also for a file that others can read
  std::optional<std::string> make() const;

  const std::string cache_root_;
  const bool may_make_;
  Mutex mutex_;
  std::optional<crypto::Sealer> sealer_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::cli
