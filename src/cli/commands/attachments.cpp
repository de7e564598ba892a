#include "cli/commands/attachments.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "base/text/visible_text.h"
#include "json/scan/scan.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>

namespace ladder::cli {
namespace {

constexpr std::int64_t kMaxNameChars = 60;  // at most 240 bytes, which every file system allows

// Types that people open by extension; other files keep their names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kExtensions = {{
    {"application/pdf", ".pdf"},
    {"text/plain", ".txt"},
    {"text/html", ".html"},
    {"text/calendar", ".ics"},
    {"image/jpeg", ".jpg"},
    {"image/png", ".png"},
}};

std::string member_text(const json::Value& object, std::string_view name) {
  const auto value = json::member(object.text, name);
  if (!value) return {};
  return value->kind == json::Kind::kString ? json::decode_string(json::raw_content(*value)) : std::string(value->text);
}

void add(const api::Record& record, const RolesByStream& roles, std::vector<Attachment>& found) {
  const auto blob = record.data.empty() ? std::nullopt : json::member(record.data, "blob_ref");
  if (!blob || blob->kind != json::Kind::kObject) return;
  Attachment attachment{record.ref, member_text(*blob, "blob_id"), member_text(*blob, "mime_type"),
                        text_member(record.data, roles_of(roles, record.ref).title)};
  const std::string size = member_text(*blob, "size_bytes");
  std::from_chars(size.data(), size.data() + size.size(), attachment.size_bytes);
  if (!attachment.blob_id.empty()) found.push_back(std::move(attachment));
}

Status system_fault(const std::filesystem::path& path, int error) {
  if (error == EEXIST)
    return fail(Code::kConflict, format("{} already exists; choose another file or folder", visible_label(path.string())),
                "save");
  return fail(Code::kStoreUnavailable, format("{}: {}", visible_label(path.string()), std::generic_category().message(error)),
              "save");
}

Status write_all(int file, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_fault(path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status write_blob(server::Reads& reads, const server::Access& access, const Attachment& attachment, int file,
                  const std::filesystem::path& path) {
  api::BlobRequest request{attachment.blob_id, {}, 0, api::kMaxBlobReadBytes};
  for (;;) {
    LADDER_TRY(const api::Blob blob, reads.blob(access, request));
    LADDER_CHECK(write_all(file, blob.bytes, path));
    request.first_byte += std::ssize(blob.bytes);
    if (blob.bytes.empty() || request.first_byte >= blob.size_bytes) return {};
  }
}

}  // namespace

std::vector<Attachment> attachments_of(const api::Record& record, const RolesByStream& roles) {
  std::vector<Attachment> found;
  add(record, roles, found);
  for (const api::Expansion& expansion : record.expanded) {
    for (const api::Record& related : expansion.records) add(related, roles, found);
  }
  return found;
}

std::string file_name(const Attachment& attachment) {
  std::string name;
  for (const char c : attachment.name) {
    const bool unsafe = static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '/' || c == '\\';
    name += unsafe ? '_' : c;
  }
  while (name.starts_with('.') || name.starts_with(' ')) name.erase(0, 1);
  if (utf8::count(name) > kMaxNameChars) name = std::string(utf8::slice(name, 0, kMaxNameChars));
  if (name.empty()) name = "attachment";
  for (const auto& [type, extension] : kExtensions) {
    if (attachment.mime_type.starts_with(type) && !std::filesystem::path(name).has_extension()) name += extension;
  }
  return name;
}

Status save(server::Reads& reads, const server::Access& access, const Attachment& attachment, const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return system_fault(path, errno);
  Status status = write_blob(reads, access, attachment, file, path);
  if (::close(file) != 0 && status) status = system_fault(path, errno);
  if (!status) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);  // a truncated file could be mistaken for a complete one
  }
  return status;
}

}  // namespace ladder::cli
