// The address of a blob's bytes inside a record's data (contract 3.9): a server adds it on the way out, and whoever reads the
// answer takes it off again, so that `data` is what is stored.
#pragma once

#include <string>
#include <string_view>

namespace ladder::port {

std::string blob_path(std::string_view blob_id);  // /v1/blobs/{blob_id}

// Checked JSON object text in and out. The top-level `blob_ref` gets one member more at its end, `fetch_url`; everything else
// keeps its bytes. Data that has one already stays as it is.
std::string with_fetch_url(std::string_view data);
std::string without_fetch_url(std::string_view data);  // takes off what with_fetch_url adds, and nothing else

}  // namespace ladder::port
