#include "console/console.h"

namespace ladder::console {

http::Response Console::serve(ConsoleRoute route, const http::Request& request, const auth::ServerUrl& server_url) {
  auto visit = gate_.enter(request, server_url, pages::Gate::Audience::kOwner);
  if (!visit) return std::move(visit.error());
  const auto waiting = authorization_.requests().opened(*visit->owner);
  if (!waiting) return pages::Gate::failure(waiting.error(), *visit);
  visit->frame.menu.emplace();
  visit->frame.menu->csrf = visit->csrf();
  for (const auth::AuthorizationRequest& one : *waiting) visit->frame.menu->waiting += one.status == "waiting" ? 1 : 0;
  auto response = answer(route, *visit);
  return response ? *std::move(response) : pages::Gate::failure(response.error(), *visit);
}

Result<http::Response> Console::answer(ConsoleRoute route, Visit& visit) {
  using pages::Section;
  const auto in = [&](Section section) { visit.frame.menu->current = section; };
  switch (route) {
    case ConsoleRoute::kHome:
      in(Section::kHome);
      return home(visit);
    case ConsoleRoute::kExplore:
      in(Section::kExplore);
      return explore(visit);
    case ConsoleRoute::kRecord:
      in(Section::kExplore);
      return record(visit);
    case ConsoleRoute::kFile:
      return file(visit);
    case ConsoleRoute::kDocumentPage:
      return document_page(visit);
    case ConsoleRoute::kSources:
      in(Section::kSources);
      return sources(visit);
    case ConsoleRoute::kExport:
      return export_records(visit);
    case ConsoleRoute::kErase:
      in(Section::kSources);
      return erase(visit);
    case ConsoleRoute::kImport:
      in(Section::kSources);
      return import(visit);
    case ConsoleRoute::kUpload:
      return upload(visit);
    case ConsoleRoute::kClients:
      in(Section::kClients);
      return clients(visit);
    case ConsoleRoute::kClient:
      in(Section::kClients);
      return client(visit);
    case ConsoleRoute::kNarrow:
      in(Section::kClients);
      return narrow(visit);
    case ConsoleRoute::kRequests:
      in(Section::kRequests);
      return requests(visit);
    case ConsoleRoute::kLedger:
      in(Section::kLedger);
      return ledger(visit);
    case ConsoleRoute::kLedgerEntry:
      in(Section::kLedger);
      return ledger_entry(visit);
    case ConsoleRoute::kLedgerRecord:
      in(Section::kLedger);
      return ledger_record(visit);
    case ConsoleRoute::kLedgerExport:
      return ledger_export(visit);
    case ConsoleRoute::kSettings:
      in(Section::kSettings);
      return settings(visit);
    case ConsoleRoute::kPanic:
      return panic(visit);
  }
  return fail(Code::kInternal, "page has no handler");
}

}  // namespace ladder::console
