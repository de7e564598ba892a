#include "import/text/mime_type.h"

#include "base/limits.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>

namespace ladder::imports {
namespace {

constexpr std::string_view kUnknownType = "application/octet-stream";

struct Known {
  std::string_view extension, type;
};
constexpr std::array kKnown = {
    Known{"aac", "audio/aac"},
    Known{"amr", "audio/amr"},
    Known{"avi", "video/x-msvideo"},
    Known{"bmp", "image/bmp"},
    Known{"csv", "text/csv"},
    Known{"doc", "application/msword"},
    Known{"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    Known{"epub", "application/epub+zip"},
    Known{"flac", "audio/flac"},
    Known{"gif", "image/gif"},
    Known{"heic", "image/heic"},
    Known{"htm", "text/html"},
    Known{"html", "text/html"},
    Known{"ics", "text/calendar"},
    Known{"jpeg", "image/jpeg"},
    Known{"jpg", "image/jpeg"},
    Known{"json", "application/json"},
    Known{"m4a", "audio/mp4"},
    Known{"md", "text/markdown"},
    Known{"mov", "video/quicktime"},
    Known{"mp3", "audio/mpeg"},
    Known{"mp4", "video/mp4"},
    Known{"odp", "application/vnd.oasis.opendocument.presentation"},
    Known{"ods", "application/vnd.oasis.opendocument.spreadsheet"},
    Known{"odt", "application/vnd.oasis.opendocument.text"},
    Known{"ogg", "audio/ogg"},
    Known{"opus", "audio/opus"},
    Known{"pdf", "application/pdf"},
    Known{"png", "image/png"},
    Known{"ppt", "application/vnd.ms-powerpoint"},
    Known{"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    Known{"rtf", "application/rtf"},
    Known{"svg", "image/svg+xml"},
    Known{"tif", "image/tiff"},
    Known{"tiff", "image/tiff"},
    Known{"txt", "text/plain"},
    Known{"vcf", "text/vcard"},
    Known{"wav", "audio/wav"},
    Known{"webm", "video/webm"},
    Known{"webp", "image/webp"},
    Known{"xls", "application/vnd.ms-excel"},
    Known{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    Known{"xml", "application/xml"},
    Known{"zip", "application/zip"},
};

}  // namespace

std::string_view mime_type_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return kUnknownType;
  const std::string extension = lower_ascii(path.substr(dot + 1));
  const auto found = std::ranges::lower_bound(kKnown, std::string_view(extension), std::less<>{}, &Known::extension);
  return found != kKnown.end() && found->extension == extension ? found->type : kUnknownType;
}

std::string_view fit_mime_type(std::string_view told) {
  const bool fit = told.size() <= ladder::limits::kMaxNameBytes && told.find('/') != std::string_view::npos &&
                   std::ranges::all_of(told, [](char c) { return c >= ' ' && c <= '~'; });
  return fit ? told : kUnknownType;
}

}  // namespace ladder::imports
