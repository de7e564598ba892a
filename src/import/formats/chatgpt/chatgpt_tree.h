// The messages of a ChatGPT conversation as a tree: every edited question or new answer starts a branch, and the branch that
// the owner saw last ends at `current_node`. The code is not recursive, because the depth of the tree is limited only by the
// file size.
#pragma once

#include "json/scan/scan.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::chatgpt {

inline constexpr std::size_t kNoNode = SIZE_MAX;

struct Node {
  std::string id;
  json::Value message;            // an object; null if the node has no message with content
  std::size_t parent = kNoNode;   // kNoNode for a root
  std::size_t answers = kNoNode;  // the nearest ancestor with a message
  std::size_t fork = kNoNode;     // for other branches: the node of the current branch where they start
  std::int64_t number = 0;        // number of messages on its branch up to here
  bool current = false;           // on the path from the root to current_node
};

struct MessageTree {
  std::vector<Node> nodes;         // in file order
  std::vector<std::size_t> order;  // nodes with a message: the current branch from its start, then the others
  std::vector<json::Value> bad;    // invalid nodes and messages
  std::int64_t blank = 0;          // messages without content
  std::int64_t missing_parents = 0;
  std::int64_t circles = 0;          // broken at the node that comes first in the file
  std::int64_t twice = 0;            // nodes with a duplicate id
  std::int64_t branches = 0;         // number of leaves, counting messages only
  bool current_was_guessed = false;  // current_node is missing: the newest message was used
};

// `mapping` is checked JSON (an object) and must outlive the tree.
MessageTree read_tree(const json::Value& mapping, std::string_view current_node);

}  // namespace ladder::imports::chatgpt
