// Exports as services and programs write them, made up from a seed, hard cases included: what importers are tested and measured
// with. The same bytes for the same seed on every machine. One file per format; exports.cpp is the program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace demo {

struct ExportRequest {
  std::filesystem::path folder;
  std::uint64_t seed = 1;
  std::int64_t count = 200;      // at least so many records
  std::int64_t bytes = 0;        // and at least so many bytes, of formats that can be large
  std::int64_t large_bytes = 0;  // one record of about this size; 0: none
  bool damaged = false;          // a hundredth of the records is made unreadable
};

// An importer must find these: names such as "messages" or "lost" and how many there are.
using Expected = std::map<std::string, std::int64_t>;

// One function per format, each in exports_NAME.cpp.
Expected write_mail_export(const ExportRequest& request);
Expected write_calendar_export(const ExportRequest& request);
Expected write_contacts_export(const ExportRequest& request);
Expected write_notes_export(const ExportRequest& request);  // exports_plain.cpp has these three
Expected write_whatsapp_export(const ExportRequest& request);
Expected write_table_export(const ExportRequest& request);
Expected write_pdf_export(const ExportRequest& request);  // a folder of PDF documents
Expected write_chatgpt_export(const ExportRequest& request);
Expected write_claude_export(const ExportRequest& request);
Expected write_slack_export(const ExportRequest& request);

}  // namespace demo
