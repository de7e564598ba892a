// Varints: the version of creation, then per changed field its number, as the distance from the one before, and how much newer
// its version is.
#include "store/field_versions.h"

#include "base/bytes.h"

#include <limits>

namespace ladder::store {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();  // of a field number and of a version

}  // namespace

std::string FieldVersions::encode() const {
  std::string bytes;
  put_varint(bytes, static_cast<std::uint64_t>(created));
  FieldNo previous = 0;
  for (const auto& [field, version] : changed) {
    put_varint(bytes, static_cast<std::uint64_t>(field - previous));
    put_varint(bytes, static_cast<std::uint64_t>(version - created));
    previous = field;
  }
  return bytes;
}

std::optional<FieldVersions> FieldVersions::decode(std::string_view bytes) {
  std::size_t at = 0;
  const auto created = get_varint(bytes, at);
  if (!created || *created > kMost) return std::nullopt;
  FieldVersions versions;
  versions.created = static_cast<std::int64_t>(*created);
  std::uint64_t field = 0;
  while (at < bytes.size()) {
    const auto step = get_varint(bytes, at);
    const auto newer = step ? get_varint(bytes, at) : std::nullopt;
    if (!newer || *step > kMost - field || *newer > kMost - *created) return std::nullopt;
    field += *step;
    versions.changed[static_cast<FieldNo>(field)] = static_cast<std::int64_t>(*created + *newer);
  }
  return versions;
}

}  // namespace ladder::store
