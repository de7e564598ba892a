// Measures an import of unchanged input: 100,000 notes, a Maildir of 20,000 messages and a mailbox, each imported a second time.
#pragma once

#include "report.h"

#include <filesystem>
#include <string>

namespace ladder::bench {

// `mailbox` is a file that the caller generated. `quick`: a tenth of the notes and messages.
void measure_unchanged(const std::string& engine, const std::filesystem::path& mailbox, bool quick, Report& report);

}  // namespace ladder::bench
