// The flags that every command takes, once: for the reading of the command line, for completions and for the manual.
#pragma once

#include <array>
#include <string_view>

namespace ladder::cli {

struct CommonFlag {
  std::string_view name, value_name, help;
};

inline constexpr CommonFlag kDbFlag = {
    "--db", "PATH|postgres://…", "the store (LADDER_DB, or db in ladder.toml; default: ladder.db in the user's data folder)"};
inline constexpr CommonFlag kOwnerFlag = {"--owner", "NAME",
                                          "whose data (LADDER_OWNER, or owner in ladder.toml; default: local)"};
inline constexpr CommonFlag kJsonFlag = {"--json", "", "machine output"};
inline constexpr CommonFlag kHelpFlag = {"--help", "", "a page of help"};
inline constexpr CommonFlag kVersionFlag = {"--version", "", "the version"};
inline constexpr std::array kCommonFlags = {kDbFlag, kOwnerFlag, kJsonFlag, kHelpFlag, kVersionFlag};

}  // namespace ladder::cli
