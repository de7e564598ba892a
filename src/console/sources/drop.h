// The drop area for imports: on its own page, on Sources, and on an empty Home. The script uploads files of any size in parts.
// Without it, the form sends files in one request.
#pragma once

#include "console/importer.h"
#include "html/html.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::console {

html::Writer drop(const std::string& csrf, bool can_import, std::string_view upload = {});  // `upload`: an upload to continue
html::Writer empty_drop(const std::string& csrf, bool can_import);

// A one-line notice for an unfinished upload, with a link to its page. Empty if the upload is done.
html::Writer upload_notice(const Upload& upload, Instant now);

inline bool is_under_way(const Upload& upload) {
  return upload.state == UploadState::kRunning || upload.state == UploadState::kPaused;
}

std::string size_text(std::int64_t bytes);  // "4.8 GB", "18 kB"

}  // namespace ladder::console
