#include "import/formats/chatgpt/chatgpt_tree.h"

#include "import/formats/chatgpt/chatgpt_content.h"
#include "import/json/json_members.h"

#include <algorithm>
#include <unordered_map>

namespace ladder::imports::chatgpt {
namespace {

using json::Kind;
using json::Value;

class Builder {
 public:
  MessageTree build(const Value& mapping, std::string_view current_node) {
    collect(mapping);
    link();
    cut_circles();
    mark_current(current_node);
    descend();
    arrange();
    return std::move(tree_);
  }

 private:
  bool has_message(std::size_t node) const { return tree_.nodes[node].message.kind == Kind::kObject; }

  void collect(const Value& mapping) {
    for (json::Members member(mapping.text); member.next();) {
      if (member.value().kind != Kind::kObject) {
        tree_.bad.push_back(member.value());
        continue;
      }
      const auto [parent, children, message] = members_of<3>(member.value(), {"parent", "children", "message"});
      std::string id = json::decode_string(member.raw_name());
      if (!numbers_.emplace(id, tree_.nodes.size()).second) {
        ++tree_.twice;
        continue;
      }
      Node node;
      node.id = std::move(id);
      if (message.kind == Kind::kObject) {
        if (is_blank(member_of(message, "content"))) ++tree_.blank;
        else node.message = message;
      } else if (message.kind != Kind::kNull) {
        tree_.bad.push_back(message);
      }
      tree_.nodes.push_back(std::move(node));
      parents_.push_back(text_of(parent));
      children_.push_back(children);
    }
  }

  std::size_t find(const std::string& id) const {
    const auto found = numbers_.find(id);
    return found == numbers_.end() ? kNoNode : found->second;
  }

  // Links nodes by the parents they name. A node without one belongs to the node that lists it as a child.
  void link() {
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      if (parents_[i].empty()) continue;
      tree_.nodes[i].parent = find(parents_[i]);
      if (tree_.nodes[i].parent == kNoNode) ++tree_.missing_parents;
    }
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      if (children_[i].kind != Kind::kArray) continue;
      for (json::Elements child(children_[i].text); child.next();) {
        const std::size_t number = find(text_of(child.value()));
        if (number == kNoNode || number == i || tree_.nodes[number].parent != kNoNode) continue;
        tree_.nodes[number].parent = i;
        if (!parents_[number].empty()) --tree_.missing_parents;
      }
    }
  }

  void cut_circles() {
    std::vector<std::size_t> seen(tree_.nodes.size(), kNoNode);  // number of the walk that visited the node
    for (std::size_t walk = 0; walk < tree_.nodes.size(); ++walk) {
      std::size_t at = walk;
      while (at != kNoNode && seen[at] == kNoNode) {
        seen[at] = walk;
        at = tree_.nodes[at].parent;
      }
      if (at == kNoNode || seen[at] != walk) continue;
      std::size_t first = at;
      for (std::size_t next = tree_.nodes[at].parent; next != at; next = tree_.nodes[next].parent) first = std::min(first, next);
      tree_.nodes[first].parent = kNoNode;
      ++tree_.circles;
    }
  }

  void mark_current(std::string_view current_node) {
    std::size_t at = find(std::string(current_node));
    if (at == kNoNode) {
      at = newest();
      tree_.current_was_guessed = at != kNoNode;
    }
    for (; at != kNoNode; at = tree_.nodes[at].parent) {
      tree_.nodes[at].current = true;
      current_.push_back(at);
    }
    std::ranges::reverse(current_);
  }

  std::size_t newest() const {
    std::size_t newest = kNoNode;
    Instant time = 0;
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      if (!has_message(i)) continue;
      const Instant own = seconds_of(member_of(tree_.nodes[i].message, "create_time")).value_or(0);
      if (newest != kNoNode && own < time) continue;
      newest = i;
      time = own;
    }
    return newest;
  }

  // Nodes inherit from their ancestors. Each path upward is walked only as far as the first known node.
  void descend() {
    std::vector<bool> known(tree_.nodes.size(), false), answered(tree_.nodes.size(), false);
    std::vector<std::size_t> way;
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      for (std::size_t at = i; at != kNoNode && !known[at]; at = tree_.nodes[at].parent) {
        known[at] = true;
        way.push_back(at);
      }
      for (; !way.empty(); way.pop_back()) inherit(way.back());
    }
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      if (has_message(i) && tree_.nodes[i].answers != kNoNode) answered[tree_.nodes[i].answers] = true;
    }
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) tree_.branches += has_message(i) && !answered[i] ? 1 : 0;
  }

  void inherit(std::size_t number) {
    Node& node = tree_.nodes[number];
    node.number = has_message(number) ? 1 : 0;
    if (node.parent == kNoNode) return;
    const Node& parent = tree_.nodes[node.parent];
    node.number += parent.number;
    node.answers = has_message(node.parent) ? node.parent : parent.answers;
    if (!node.current) node.fork = parent.current ? node.parent : parent.fork;
  }

  void arrange() {
    for (const std::size_t node : current_) {
      if (has_message(node)) tree_.order.push_back(node);
    }
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      if (has_message(i) && !tree_.nodes[i].current) tree_.order.push_back(i);
    }
  }

  MessageTree tree_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> parents_;
  std::vector<Value> children_;
  std::vector<std::size_t> current_;
};

}  // namespace

MessageTree read_tree(const Value& mapping, std::string_view current_node) {
  if (mapping.kind != Kind::kObject) return {};
  return Builder().build(mapping, current_node);
}

}  // namespace ladder::imports::chatgpt
