// The owner's console: browse data, manage access, and review what was read. Pages are rendered on the server and work without
// JavaScript. A page reads data only through the roles of server::ResourceServer, with the owner's Access, or with the Access of
// a client to show what that client sees.
#pragma once

#include "ask/ask.h"
#include "auth/authorization.h"
#include "base/error/error.h"
#include "console/backups.h"
#include "console/erasures.h"
#include "console/importer.h"
#include "console/server_environment.h"
#include "console/synced_sources.h"
#include "http/message/message.h"
#include "notify/notify_store.h"
#include "pages/gate.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace ladder::console {

// Renders document pages as images. Implemented with the sandboxed process that reads import files, so the server never parses
// a document.
class PagePainter {
 public:
  virtual ~PagePainter() = default;

  static constexpr std::int64_t kMaxDocumentBytes = 64 << 20;  // the document is in memory while a page is rendered

  using Document = std::function<Result<std::string>()>;

  // Renders a page of a PDF (counted from 1) as a PNG. `read` is called only when rendering begins, so queued calls hold no
  // document. Errors: those of `read`, kInvalidRequest if the page cannot be rendered, kResourceLimit if the queue is too slow.
  // The message is shown to the owner. Blocks. Thread-safe.
  virtual Result<std::string> paint(const Document& read, std::int64_t page) = 0;
};

// Server details that the pages show.
struct About {
  std::string version = {};
  ServerEnvironment* environment = nullptr;      // may be null
  PagePainter* painter = nullptr;                // null: documents are shown as text only
  SyncedSources* syncs = nullptr;                // may be null
  ask::Ask* asking = nullptr;                    // null: Ask shows passages without an answer
  Backups* backups = nullptr;                    // may be null
  notify::NotifyStore* notifications = nullptr;  // may be null
};

struct SettingsResult;  // settings/settings.h

class Console {
 public:
  // `importer` may be null. Then files can be imported only on the command line.
  Console(auth::AuthorizationServer& authorization, Importer* importer, About about)
      : authorization_(authorization),
        gate_(authorization),
        importer_(importer),
        about_(std::move(about)),
        erasures_(authorization.server().erasures(), authorization.server().merges()) {}

  using Visit = pages::Visit;
  using Page = Result<http::Response> (Console::*)(Visit& visit);
  // Checks the session, then shows the page. `section` is its entry in the menu.
  http::Response serve(Page page, pages::Section section, const http::Request& request, const auth::ServerUrl& server_url);

  // One function per page; rest/page_routes.cpp lists their paths.
  Result<http::Response> home(Visit& visit);
  Result<http::Response> change_tasks(Visit& visit);
  Result<http::Response> explore(Visit& visit);
  Result<http::Response> ask(Visit& visit);
  Result<http::Response> record(Visit& visit);
  Result<http::Response> delete_record(Visit& visit);
  Result<http::Response> timeline_page(Visit& visit);
  Result<http::Response> person_page(Visit& visit);
  Result<http::Response> file(Visit& visit);
  Result<http::Response> document_page(Visit& visit);
  Result<http::Response> sources(Visit& visit);
  Result<http::Response> add_sync(Visit& visit);
  Result<http::Response> sync(Visit& visit);
  Result<http::Response> manage_source(Visit& visit);
  Result<http::Response> merge_sources(Visit& visit);
  Result<http::Response> export_records(Visit& visit);
  Result<http::Response> erase(Visit& visit);
  Result<http::Response> import(Visit& visit);
  Result<http::Response> share(Visit& visit);
  Result<http::Response> upload(Visit& visit);
  Result<http::Response> clients(Visit& visit);
  Result<http::Response> client(Visit& visit);
  Result<http::Response> narrow(Visit& visit);
  Result<http::Response> requests(Visit& visit);
  Result<http::Response> ledger(Visit& visit);
  Result<http::Response> ledger_entry(Visit& visit);
  Result<http::Response> ledger_record(Visit& visit);
  Result<http::Response> ledger_export(Visit& visit);
  Result<http::Response> settings(Visit& visit);
  Result<http::Response> notifications(Visit& visit);
  Result<http::Response> backups(Visit& visit);
  Result<http::Response> phone(Visit& visit);
  Result<http::Response> panic(Visit& visit);

 private:
  Result<html::Writer> merge_obstacle(const Visit& visit, const std::string& from);
  Result<http::Response> change_settings(Visit& visit);
  Result<http::Response> change_searches(Visit& visit);
  Result<http::Response> settings_page(Visit& visit, const SettingsResult& result);

  auth::AuthorizationServer& authorization_;
  pages::Gate gate_;
  Importer* importer_;
  About about_;
  Erasures erasures_;
};

}  // namespace ladder::console
