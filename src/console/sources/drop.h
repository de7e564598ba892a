// The place where files are dropped to be imported: on its own page, on Sources, and on an empty Home. With a script files of any
// size are sent in parts; without it the form sends what fits into one.
#pragma once

#include "console/sources/importer.h"
#include "html/html.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::console {

html::Writer drop(const std::string& csrf, bool can_import, std::string_view upload = {});  // `upload`: one to go on with
html::Writer empty_drop(const std::string& csrf, bool can_import);

// An upload that is under way or waits, as a line with a link to its page; nothing of one that is done.
html::Writer upload_notice(const Upload& upload, Instant now);

inline bool is_under_way(const Upload& upload) {
  return upload.state == UploadState::kRunning || upload.state == UploadState::kPaused;
}

std::string size_text(std::int64_t bytes);  // "4.8 GB", "18 kB"

}  // namespace ladder::console
