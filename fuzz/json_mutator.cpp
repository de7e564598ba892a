// A mutator for JSON input, one document or one per line. Half of the time it changes bytes as libFuzzer does, half of
// the time it changes a tree (removes, renames or copies members, changes types), which random bytes would hardly ever
// do without breaking the grammar.
#include "json/parse.h"
#include "json/scan/scan.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace ladder::fuzz {
namespace {

using Tree = boost::json::value;

constexpr std::size_t kMaxBytes = 1 << 20;
constexpr std::size_t kDepth = 64;

class TreeMutator {
 public:
  explicit TreeMutator(unsigned seed) : random_(seed) {}

  void mutate(Tree& root) {
    collect(root);
    Tree& chosen = *nodes_[below(nodes_.size())];
    switch (below(8)) {
      case 0:
        return remove_from(chosen);
      case 1:
        return rename_in(chosen);
      case 2:
        return replace(chosen, Tree(*nodes_[below(nodes_.size())]));
      case 3:
        return replace(chosen, plain_value());
      case 4:
        return add_to(chosen);
      case 5:
        return wrap(chosen);
      default:
        return change_scalar(chosen);
    }
  }

  std::size_t below(std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_); }

 private:
  void collect(Tree& value) {
    nodes_.push_back(&value);
    if (auto* object = value.if_object()) {
      for (auto& member : *object) {
        names_.emplace_back(member.key());
        collect(member.value());
      }
    } else if (auto* array = value.if_array()) {
      for (Tree& element : *array) collect(element);
    }
  }

  // Takes the new value by copy, since the old value may contain it.
  static void replace(Tree& chosen, Tree with) { chosen = std::move(with); }

  Tree plain_value() {
    static const std::array<Tree, 16> kValues = {nullptr,
                                                 true,
                                                 false,
                                                 0,
                                                 1,
                                                 -1,
                                                 0.5,
                                                 1e300,
                                                 std::numeric_limits<std::int64_t>::min(),
                                                 std::numeric_limits<std::uint64_t>::max(),
                                                 "",
                                                 "a",
                                                 "2026-04-01T00:00:00Z",
                                                 "9999-12-31T23:59:59-23:59",
                                                 boost::json::object(),
                                                 boost::json::array()};
    return kValues[below(kValues.size())];
  }

  std::string some_name() { return names_.empty() || below(8) == 0 ? std::string("x") : names_[below(names_.size())]; }

  void remove_from(Tree& chosen) {
    if (auto* object = chosen.if_object(); object != nullptr && !object->empty()) {
      object->erase(object->begin() + below(object->size()));
    } else if (auto* array = chosen.if_array(); array != nullptr && !array->empty()) {
      array->erase(array->begin() + below(array->size()));
    }
  }

  void rename_in(Tree& chosen) {
    auto* object = chosen.if_object();
    if (object == nullptr || object->empty()) return change_scalar(chosen);
    const auto member = object->begin() + below(object->size());
    Tree value = member->value();
    object->erase(member);
    (*object)[some_name()] = std::move(value);
  }

  void add_to(Tree& chosen) {
    Tree value = below(2) == 0 ? plain_value() : Tree(*nodes_[below(nodes_.size())]);
    if (auto* object = chosen.if_object()) {
      (*object)[some_name()] = std::move(value);
    } else if (auto* array = chosen.if_array()) {
      array->insert(array->begin() + below(array->size() + 1), std::move(value));
    }
  }

  void wrap(Tree& chosen) {
    Tree inner = chosen;
    if (below(2) == 0) {
      boost::json::array array;
      array.push_back(std::move(inner));
      chosen = std::move(array);
    } else {
      boost::json::object object;
      object[some_name()] = std::move(inner);
      chosen = std::move(object);
    }
  }

  void change_scalar(Tree& chosen) {
    if (auto* text = chosen.if_string()) {
      std::vector<std::uint8_t> bytes(text->begin(), text->end());
      const std::size_t size = bytes.size();
      bytes.resize(size + 16);
      bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
      text->assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    } else if (auto* number = chosen.if_int64()) {
      *number = static_cast<std::int64_t>(static_cast<std::uint64_t>(*number) + below(3) - 1);
    } else if (chosen.is_primitive()) {
      chosen = plain_value();
    } else {
      add_to(chosen);
    }
  }

  std::minstd_rand random_;
  std::vector<Tree*> nodes_;
  std::vector<std::string> names_;
};

// Chooses the document to change: the whole input, or one of its lines.
std::pair<std::size_t, std::size_t> choose_part(std::string_view input, TreeMutator& mutator) {
  if (json::check(input, kDepth)) return {0, input.size()};
  std::vector<std::pair<std::size_t, std::size_t>> lines;
  for (std::size_t at = 0; at <= input.size();) {
    const std::size_t end = std::min(input.find('\n', at), input.size());
    lines.emplace_back(at, end - at);
    at = end + 1;
  }
  return lines[mutator.below(lines.size())];
}

std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  TreeMutator mutator(seed);
  if (mutator.below(2) == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::string input(reinterpret_cast<const char*>(data), size);
  const auto [at, length] = choose_part(input, mutator);
  auto tree = json::parse(std::string_view(input).substr(at, length), kMaxBytes, kDepth);
  if (!tree) return LLVMFuzzerMutate(data, size, max_size);
  mutator.mutate(*tree);
  input.replace(at, length, boost::json::serialize(*tree));
  if (input.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, input.data(), input.size());
  return input.size();
}

}  // namespace
}  // namespace ladder::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  return ladder::fuzz::mutate(data, size, max_size, seed);
}
