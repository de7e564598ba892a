// Fetched messages as files, until they are imported: NAME/FOLDER/cur/UID:2,FLAGS, readable only by this user. A folder's name is
// percent-encoded, since it may contain a slash.
#pragma once

#include "base/error/error.h"
#include "sync/imap/client.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace ladder::sync {

class Staging {
 public:
  // `root` is a folder that belongs to one source; what an interrupted run left there is removed.
  static Result<Staging> open(const std::filesystem::path& root);
  Staging(Staging&& other) noexcept
      : root_(std::exchange(other.root_, {})),
        folder_(std::move(other.folder_)),
        messages_(other.messages_),
        bytes_(other.bytes_) {}
  Staging& operator=(Staging&&) = delete;
  ~Staging();  // removes the files, also after an error: fetched mail does not stay on the disk in clear

  // Starts an empty batch for messages of one folder.
  Status begin(std::string_view folder);
  Status add(const imap::Fetched& message);
  Status add_file(std::string_view name, std::string_view content);
  std::size_t messages() const { return messages_; }
  std::size_t bytes() const { return bytes_; }
  const std::filesystem::path& root() const { return root_; }
  Status clear();

 private:
  explicit Staging(std::filesystem::path root) : root_(std::move(root)) {}

  std::filesystem::path root_, folder_;
  std::size_t messages_ = 0, bytes_ = 0;
};

}  // namespace ladder::sync
