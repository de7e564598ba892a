// The owner's console: what there is, who may read it, who has read what, and the end of it. Pages are made on the server and
// work without JavaScript. A page sees data through server::ResourceServer with the owner's Access, or with the Access of a
// client where it shows what that client sees; it has no other way.
#pragma once

#include "auth/authorization.h"
#include "base/error/error.h"
#include "console/settings/settings.h"
#include "console/sources/erase.h"
#include "console/sources/importer.h"
#include "http/message/message.h"
#include "pages/gate.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace ladder::console {

// Pages of documents as pictures. The program implements it with the sandboxed process that reads files for imports, so that no
// byte of a document is parsed in the server.
class PagePainter {
 public:
  virtual ~PagePainter() = default;

  static constexpr std::int64_t kMaxDocumentBytes = 64 << 20;  // held whole while a page of it is painted

  using Document = std::function<Result<std::string>()>;

  // A page of a PDF, counted from 1, as a PNG. `read` is called when its turn has come, so that those who wait hold no document.
  // Its errors, kInvalidRequest when the page cannot be painted, kResourceLimit while others are painted for too long; the
  // message is a sentence for the owner. Takes a moment. Safe from any thread.
  virtual Result<std::string> paint(const Document& read, std::int64_t page) = 0;
};

enum class ConsoleRoute {
  kHome,          // GET /
  kExplore,       // GET /explore
  kRecord,        // GET /record
  kFile,          // GET /record/file
  kDocumentPage,  // GET /record/page
  kSources,       // GET /sources
  kExport,        // POST /sources/export
  kErase,         // GET, POST /sources/erase
  kImport,        // GET, POST /import
  kUpload,        // POST /import/upload
  kClients,       // GET, POST /clients
  kClient,        // GET, POST /client
  kNarrow,        // GET, POST /client/narrow
  kRequests,      // GET, POST /requests
  kLedger,        // GET /ledger
  kLedgerEntry,   // GET /ledger/entry
  kLedgerRecord,  // GET /ledger/record
  kLedgerExport,  // GET /ledger/export
  kSettings,      // GET, POST /settings
  kPanic,         // GET, POST /panic
};

// The facts about this server that its pages show.
struct About {
  std::string version = {};
  Surroundings* surroundings = nullptr;  // null: nothing is known of them
  PagePainter* painter = nullptr;        // null: of documents only the text is shown
};

struct SettingsResult;  // settings/settings.h

class Console {
 public:
  // `importer` may be null: then files are imported on the command line only.
  Console(auth::AuthorizationServer& authorization, Importer* importer, About about)
      : authorization_(authorization),
        gate_(authorization),
        importer_(importer),
        about_(std::move(about)),
        erasures_(authorization.server()) {}

  http::Response serve(ConsoleRoute route, const http::Request& request, const auth::Place& place);

 private:
  using Visit = pages::Visit;
  Result<http::Response> answer(ConsoleRoute route, Visit& visit);

  Result<http::Response> home(Visit& visit);
  Result<http::Response> explore(Visit& visit);
  Result<http::Response> record(Visit& visit);
  Result<http::Response> file(Visit& visit);
  Result<http::Response> document_page(Visit& visit);
  Result<http::Response> sources(Visit& visit);
  Result<http::Response> export_records(Visit& visit);
  Result<http::Response> erase(Visit& visit);
  Result<http::Response> import(Visit& visit);
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
  Result<http::Response> change_settings(Visit& visit);
  Result<http::Response> settings_page(Visit& visit, const SettingsResult& result);
  Result<http::Response> panic(Visit& visit);

  auth::AuthorizationServer& authorization_;
  pages::Gate gate_;
  Importer* importer_;
  About about_;
  Erasures erasures_;
};

}  // namespace ladder::console
