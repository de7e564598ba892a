// Lists the files of a record and its attachments, and saves them to a folder.
#pragma once

#include "api/records.h"
#include "cli/terminal/stream_roles.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ladder::cli {

struct Attachment {
  model::RecordRef record;  // the record that names the blob
  std::string blob_id, mime_type, name;
  std::int64_t size_bytes = 0;
};

// Returns the blobs of the record itself and of its expanded records.
std::vector<Attachment> attachments_of(const api::Record& record, const RolesByStream& roles);

// Returns a file name that is safe in any folder: no path, no control characters, no leading dot. An extension is added if the
// type implies one.
std::string file_name(const Attachment& attachment);

// Writes the bytes to a new file. Returns kConflict if the file exists.
Status save(server::Reads& reads, const server::Access& access, const Attachment& attachment, const std::filesystem::path& path);

}  // namespace ladder::cli
