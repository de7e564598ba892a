#include "import/office/package.h"

#include "base/text/format.h"
#include "base/text/percent.h"
#include "import/xml/xml_reader.h"

#include <zip.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ladder::imports::office {
namespace {

constexpr zip_int64_t kMaxParts = 100'000;

std::string_view last_word(std::string_view type) {
  const std::size_t slash = type.rfind('/');
  return slash == std::string_view::npos ? type : type.substr(slash + 1);
}

}  // namespace

Result<Package> Package::open(std::string_view bytes) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source == nullptr) return fail(Code::kInternal, "libzip has no memory");
  zip_t* const archive = zip_open_from_source(source, ZIP_RDONLY, &error);
  if (archive == nullptr) {
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    zip_source_free(source);
    return fail(Code::kInvalidRequest, format("it is damaged: {}", why));
  }
  Package package(archive);
  if (zip_get_num_entries(archive, 0) > kMaxParts) return fail(Code::kResourceLimit, "it has too many parts");
  return package;
}

Package::~Package() {
  if (archive_ != nullptr) zip_discard(archive_);
}

Package::Package(Package&& other) noexcept : archive_(std::exchange(other.archive_, nullptr)), unpacked_(other.unpacked_) {}

bool Package::has(std::string_view name) const { return zip_name_locate(archive_, std::string(name).c_str(), 0) >= 0; }

Result<std::string> Package::read(std::string_view name) {
  const zip_int64_t index = zip_name_locate(archive_, std::string(name).c_str(), ZIP_FL_NOCASE);
  zip_stat_t about;
  zip_stat_init(&about);
  if (index < 0 || zip_stat_index(archive_, static_cast<zip_uint64_t>(index), 0, &about) != 0) {
    return fail(Code::kNotFound, format("the part {} is missing", name));
  }
  const bool is_measured = (about.valid & ZIP_STAT_SIZE) != 0 && (about.valid & ZIP_STAT_COMP_SIZE) != 0;
  if (!is_measured || about.size > kMaxPartBytes || unpacked_ + about.size > kMaxUnpackedBytes) {
    return fail(Code::kResourceLimit, format("the part {} is too large", name));
  }
  if (about.size > static_cast<zip_uint64_t>(limits::kRatioFreeBytes) && about.size / limits::kMaxRatio > about.comp_size) {
    return fail(Code::kResourceLimit, format("the part {} unpacks to more than {} times its size", name, limits::kMaxRatio));
  }
  if ((about.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && about.encryption_method != ZIP_EM_NONE) {
    return fail(Code::kInvalidRequest, "it is encrypted and needs a password");
  }
  zip_file_t* const file = zip_fopen_index(archive_, static_cast<zip_uint64_t>(index), 0);
  if (file == nullptr) return fail(Code::kInvalidRequest, format("the part {} cannot be read: {}", name, zip_strerror(archive_)));
  std::string bytes(about.size, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const zip_int64_t count = zip_fread(file, bytes.data() + done, bytes.size() - done);
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  zip_fclose(file);
  unpacked_ += done;
  if (done < bytes.size()) return fail(Code::kInvalidRequest, format("the part {} is damaged", name));
  return bytes;
}

std::map<std::string, Package::Relationship> Package::relationships_of(std::string_view part) {
  std::map<std::string, Relationship> found;
  const std::size_t slash = part.rfind('/');
  const std::string_view folder = slash == std::string_view::npos ? std::string_view() : part.substr(0, slash + 1);
  const std::string_view name = slash == std::string_view::npos ? part : part.substr(slash + 1);
  const auto bytes = read(format("{}_rels/{}.rels", folder, name));
  if (!bytes) return found;
  BytesInMemory in_memory(*bytes);
  XmlReader xml(in_memory);
  for (;;) {
    const auto step = xml.next();
    if (!step || *step == XmlReader::Step::kDone || *step == XmlReader::Step::kDamaged) return found;
    if (*step != XmlReader::Step::kStart || xml.name() != "Relationship" || xml.attribute("TargetMode") == "External") continue;
    std::string target = part_path(part, xml.attribute("Target"));
    if (target.empty()) continue;
    found.try_emplace(std::string(xml.attribute("Id")),
                      Relationship{std::move(target), std::string(last_word(xml.attribute("Type")))});
  }
}

std::string Package::related(std::string_view part, std::string_view kind) {
  for (const auto& [id, relationship] : relationships_of(part)) {
    if (relationship.kind == kind) return relationship.target;
  }
  return {};
}

std::string part_path(std::string_view from_part, std::string_view target) {
  const std::string_view written = target.substr(0, target.find('#'));
  const std::string decoded = percent_decode_bytes(written).value_or(std::string(written));
  std::vector<std::string_view> names;
  const auto add = [&](std::string_view path) {
    while (!path.empty()) {
      const std::size_t end = std::min(path.find('/'), path.size());
      const std::string_view name = path.substr(0, end);
      path.remove_prefix(std::min(end + 1, path.size()));
      if (name.empty() || name == ".") continue;
      if (name != "..") names.push_back(name);
      else if (names.empty()) return false;
      else names.pop_back();
    }
    return true;
  };
  const std::size_t slash = from_part.rfind('/');
  const bool is_absolute = decoded.starts_with('/');
  if (!is_absolute && slash != std::string_view::npos && !add(from_part.substr(0, slash))) return {};
  if (!add(decoded)) return {};
  std::string path;
  for (const std::string_view name : names) path += (path.empty() ? "" : "/") + std::string(name);
  return path;
}

}  // namespace ladder::imports::office
