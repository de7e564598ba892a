#include "console/console.h"

namespace ladder::console {

Result<http::Response> Console::sources(Visit& visit) {
  return pages::message_page(404, visit.frame, "Not here yet", "This page is being made.");
}

Result<http::Response> Console::export_records(Visit& visit) {
  return pages::message_page(404, visit.frame, "Not here yet", "This page is being made.");
}

}  // namespace ladder::console
