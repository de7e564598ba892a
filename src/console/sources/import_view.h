// The page of one import, from upload to result: files, plan, progress, and problems.
#pragma once

#include "console/importer.h"
#include "http/message/message.h"
#include "pages/page.h"

#include <string>
#include <string_view>

namespace ladder::console {

std::string import_address(std::string_view id);
http::Response upload_page(pages::Frame frame, const Upload& upload, const std::string& csrf, Instant now);

}  // namespace ladder::console
