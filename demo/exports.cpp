// Writes a generated export to a folder and prints its expected contents as JSON.
//   exports FORMAT FOLDER [--seed N] [--count N] [--bytes N] [--large-bytes N] [--damaged]
#include "exports.h"
#include "json/writer.h"

#include <array>
#include <charconv>
#include <iostream>
#include <string_view>

namespace {

struct Maker {
  std::string_view name;
  demo::Expected (*write)(const demo::ExportRequest&);
};
constexpr std::array kMakers = {
    Maker{"mail", demo::write_mail_export},         Maker{"calendar", demo::write_calendar_export},
    Maker{"contacts", demo::write_contacts_export}, Maker{"chatgpt", demo::write_chatgpt_export},
    Maker{"claude", demo::write_claude_export},     Maker{"slack", demo::write_slack_export},
    Maker{"notes", demo::write_notes_export},       Maker{"whatsapp", demo::write_whatsapp_export},
    Maker{"table", demo::write_table_export},       Maker{"pdf", demo::write_pdf_export},
};

int usage() {
  std::cerr << "usage: exports FORMAT FOLDER [--seed N] [--count N] [--bytes N] [--large-bytes N] [--damaged]\nformats:";
  for (const Maker& each : kMakers) std::cerr << ' ' << each.name;
  std::cerr << '\n';
  return 64;
}

bool number(std::string_view text, auto& out) {
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), out);
  return bad == std::errc() && end == text.data() + text.size();
}

bool read_flags(int argc, char** argv, demo::ExportRequest& request) {
  for (int i = 3; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--damaged") {
      request.damaged = true;
      continue;
    }
    const std::string_view value = i + 1 < argc ? argv[++i] : "";
    const bool fits = flag == "--seed"          ? number(value, request.seed)
                      : flag == "--count"       ? number(value, request.count)
                      : flag == "--bytes"       ? number(value, request.bytes)
                      : flag == "--large-bytes" ? number(value, request.large_bytes)
                                                : false;
    if (!fits) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  demo::ExportRequest request;
  if (argc < 3 || !read_flags(argc, argv, request)) return usage();
  request.folder = argv[2];
  for (const Maker& each : kMakers) {
    if (each.name != argv[1]) continue;
    std::filesystem::create_directories(request.folder);
    ladder::json::Writer writer;
    writer.begin_object();
    for (const auto& [name, count] : each.write(request)) writer.member(name, count);
    writer.end_object();
    std::cout << writer.text() << std::endl;
    return std::cout.good() ? 0 : 1;
  }
  return usage();
}
