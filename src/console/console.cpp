#include "console/console.h"

namespace ladder::console {

http::Response Console::serve(Page page, pages::Section section, const http::Request& request,
                              const auth::ServerUrl& server_url) {
  auto visit =
      gate_.enter(request, server_url, page == &Console::share ? pages::Gate::Audience::kSharing : pages::Gate::Audience::kOwner);
  if (!visit) return std::move(visit.error());
  const auto waiting = authorization_.requests().opened(*visit->owner);
  if (!waiting) return pages::Gate::failure(waiting.error(), *visit);
  visit->frame.menu.emplace();
  visit->frame.menu->current = section;
  visit->frame.menu->csrf = visit->csrf();
  for (const auth::AuthorizationRequest& one : *waiting) visit->frame.menu->waiting += one.status == "waiting" ? 1 : 0;
  auto response = (this->*page)(*visit);
  return response ? *std::move(response) : pages::Gate::failure(response.error(), *visit);
}

}  // namespace ladder::console
