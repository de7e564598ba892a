// The kinds of trees, and the way from the paths of a command line to them.
#pragma once

#include "base/result.h"
#include "import/tree.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ladder::imports {

struct OpenedTrees {
  std::vector<std::unique_ptr<Tree>> trees;  // sorted by name, whatever the order of the paths
  std::vector<Refusal> refusals;             // paths that are not there or cannot be opened
};

// Called at every step of long work: whoever waits for it sees that it goes on.
using SignOfLife = std::function<void()>;

// Folders are walked; archives given or found in a folder become trees of their own, the parts of a split one together; files of
// one folder that are given by themselves are one tree.
OpenedTrees open_trees(std::span<const std::string> paths, const SignOfLife& alive = [] {});

// --- the kinds, each in a file of its own ---

// A folder, without the archives in it: their paths are added to `archives`. Links in it are not followed, also those that come
// while it is read.
Result<std::unique_ptr<Tree>> open_folder(const std::filesystem::path& folder, std::vector<std::filesystem::path>& archives,
                                          const SignOfLife& alive);
// Some files of one folder.
std::unique_ptr<Tree> open_files(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& files);
// The bytes of one file, or of several one after the other (x.zip.001, x.zip.002). `root` is the folder in which they were found,
// and beneath which no link is followed; "" when they were given by themselves.
Result<std::unique_ptr<Tree>> open_zip(std::string name, const std::vector<std::filesystem::path>& pieces,
                                       const std::filesystem::path& root = {});
// A tar, compressed or not; a gzip that holds no tar is a tree of the one file in it.
Result<std::unique_ptr<Tree>> open_tar(const std::string& name, const std::vector<std::filesystem::path>& pieces,
                                       const std::filesystem::path& root = {});
// Several trees as one. A file that two of them hold alike is there once.
std::unique_ptr<Tree> join_trees(std::string name, std::vector<std::unique_ptr<Tree>> parts);

}  // namespace ladder::imports
