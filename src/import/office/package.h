// The parts of an office file or book: a zip in memory. Every part is bounded, and so is the sum of what is unpacked.
#pragma once

#include "base/error/error.h"
#include "import/io/limits.h"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

struct zip;

namespace ladder::imports::office {

inline constexpr std::size_t kMaxPartBytes = 128 * limits::kMiB;      // one part, unpacked
inline constexpr std::size_t kMaxUnpackedBytes = 512 * limits::kMiB;  // all parts that are read

class Package {
 public:
  // `bytes` must outlive the package. Returns kInvalidRequest if they are not a zip.
  static Result<Package> open(std::string_view bytes);
  ~Package();
  Package(Package&& other) noexcept;
  Package& operator=(Package&&) = delete;

  bool has(std::string_view name) const;
  // Reads a part. kNotFound if there is none of this name, kResourceLimit if it unpacks to too much.
  Result<std::string> read(std::string_view name);

  // The targets of a part's relationships (word/_rels/document.xml.rels) by id, as names of parts; external ones are left out.
  struct Relationship {
    std::string target, kind;  // the kind is the last word of its type: "officeDocument", "worksheet"
  };
  std::map<std::string, Relationship> relationships_of(std::string_view part);
  // The part of the first relationship of that kind; "" if there is none.
  std::string related(std::string_view part, std::string_view kind);

 private:
  explicit Package(zip* archive) : archive_(archive) {}
  zip* archive_;
  std::size_t unpacked_ = 0;
};

// Resolves a path that a part of the package names, relative to the part's folder: "../media/a.png" → "word/media/a.png".
// Percent escapes are decoded. "" if the path leaves the package.
std::string part_path(std::string_view from_part, std::string_view target);

}  // namespace ladder::imports::office
