// Generates exports as services and programs write them, hard cases included, to test and measure importers. A seed
// gives the same bytes on every machine. There is one source file per format; exports.cpp is the program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace demo {

struct ExportRequest {
  std::filesystem::path folder;
  std::uint64_t seed = 1;
  std::int64_t count = 200;      // at least this many records
  std::int64_t bytes = 0;        // and at least this many bytes, for formats that can be large
  std::int64_t large_bytes = 0;  // size of one large record; 0: none
  bool damaged = false;          // makes one record in a hundred unreadable
};

// The counts an importer must report, such as "messages" or "lost".
using Expected = std::map<std::string, std::int64_t>;

// One function per format, each in exports_NAME.cpp.
Expected write_mail_export(const ExportRequest& request);
Expected write_calendar_export(const ExportRequest& request);
Expected write_contacts_export(const ExportRequest& request);
Expected write_notes_export(const ExportRequest& request);  // these three are in exports_plain.cpp
Expected write_whatsapp_export(const ExportRequest& request);
Expected write_table_export(const ExportRequest& request);
Expected write_pdf_export(const ExportRequest& request);  // a folder of PDF documents
Expected write_chatgpt_export(const ExportRequest& request);
Expected write_claude_export(const ExportRequest& request);
Expected write_slack_export(const ExportRequest& request);

}  // namespace demo
