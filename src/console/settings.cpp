#include "console/console.h"

namespace ladder::console {

Result<http::Response> Console::settings(Visit& visit) {
  return pages::message_page(404, visit.frame, "Not here yet", "This page is being made.");
}

}  // namespace ladder::console
