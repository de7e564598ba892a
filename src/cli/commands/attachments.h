// The files that a record holds or that are attached to it, and how their bytes get into a folder.
#pragma once

#include "api/records.h"
#include "cli/terminal/stream_roles.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ladder::cli {

struct Attachment {
  model::RecordRef record;  // that names the blob
  std::string blob_id, mime_type, name;
  std::int64_t size_bytes = 0;
};

// The blob of the record itself and of the records that were expanded with it.
std::vector<Attachment> attachments_of(const api::Record& record, const RolesByStream& roles);

// A name for the file that is safe in any folder: no path, no control characters, no leading dot, and with an extension where the
// type tells one.
std::string file_name(const Attachment& attachment);

// Writes the bytes to a new file; kConflict when there is one of that name.
Status save(server::ResourceServer& server, const server::Access& access, const Attachment& attachment,
            const std::filesystem::path& path);

}  // namespace ladder::cli
