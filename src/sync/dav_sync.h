// Calendars and address books as folders of a source.
#pragma once

#include "sync/dav/client.h"
#include "sync/synchronizer.h"

#include <memory>
#include <string>
#include <vector>

namespace ladder::sync {

// Returns the collections that the source names, or all of them. kNotFound for a named one that does not exist.
Result<std::vector<dav::Collection>> choose_collections(const std::vector<dav::Collection>& all,
                                                        const std::vector<std::string>& asked);

ReadFolders dav_folders(std::shared_ptr<dav::Client> client, dav::Service service);

}  // namespace ladder::sync
