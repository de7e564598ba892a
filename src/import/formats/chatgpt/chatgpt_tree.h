// The messages of a ChatGPT conversation as the tree they are: every edited question or new answer starts a branch, and the one
// that the owner saw last ends at `current_node`. No recursion: a tree may be as deep as a file is long.
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
  json::Value message;            // an object; null when the node has none that says anything
  std::size_t parent = kNoNode;   // the node above; kNoNode at a root
  std::size_t answers = kNoNode;  // the nearest node above that has a message
  std::size_t fork = kNoNode;     // of other branches: the node of the current one from which they leave
  std::int64_t number = 0;        // how many messages its branch has down to here
  bool current = false;           // on the way from the root to current_node
};

struct MessageTree {
  std::vector<Node> nodes;         // in the order of the file
  std::vector<std::size_t> order;  // nodes with a message: the current branch from its beginning, then the others
  std::vector<json::Value> bad;    // what should be a node or a message and is none
  std::int64_t blank = 0;          // messages that say nothing
  std::int64_t missing_parents = 0;
  std::int64_t circles = 0;          // cut open at the node that stands first in the file
  std::int64_t twice = 0;            // nodes whose id another one had before
  std::int64_t branches = 0;         // ends of the tree, counting messages only
  bool current_was_guessed = false;  // current_node is missing: the newest message was taken
};

// `mapping` is an object of checked JSON that must outlive the tree.
MessageTree read_tree(const json::Value& mapping, std::string_view current_node);

}  // namespace ladder::imports::chatgpt
