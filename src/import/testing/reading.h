// Helpers for tests of formats: read a few files in memory and check the result.
#pragma once

#include "import/testing/collecting_sink.h"
#include "import/testing/memory_tree.h"
#include "json/scan/scan.h"

#include <gtest/gtest.h>

#include <set>

namespace ladder::imports::testing {

inline CollectingSink read_files(const Format& format, Files files, const Request& request = {}) {
  MemoryTree tree(std::move(files));
  CollectingSink sink = read_all(format, tree, request);
  EXPECT_EQ(sink.faults, std::vector<std::string>());
  return sink;
}

// A member of a record: a decoded string, other values as JSON; "" if absent.
inline std::string member(const Collected& record, std::string_view name) {
  const auto value = json::member(record.data, name);
  if (!value) return {};
  return value->kind == json::Kind::kString ? json::decode_string(json::raw_content(*value)) : std::string(value->text);
}

inline Collected only(const CollectingSink& sink, std::string_view stream) {
  const std::vector<Collected> found = sink.of(stream);
  EXPECT_EQ(found.size(), 1U);
  return found.empty() ? Collected{} : found.front();
}

// The records as text, for comparing two reads in any order.
inline std::multiset<std::string> lines_of(const CollectingSink& sink) {
  std::multiset<std::string> lines;
  for (const Collected& record : sink.records) lines.insert(record.stream + " " + record.data);
  return lines;
}

// Reads the files, and again from every checkpoint: each time the records and losses after it must be the same, as after a kill.
inline void expect_resumable(const Format& format, const Files& files) {
  MemoryTree tree(files);
  const std::vector<Unit> units = format.detect(tree, {});
  ASSERT_FALSE(units.empty());
  for (const Unit& unit : units) {
    CollectingSink whole;
    ASSERT_TRUE(format.read(tree, unit, {}, "", whole));
    ASSERT_FALSE(whole.checkpoints.empty());
    for (std::size_t i = 0; i < whole.checkpoints.size(); ++i) {
      const auto& [position, before] = whole.checkpoints[i];
      CollectingSink rest;
      ASSERT_TRUE(format.read(tree, unit, {}, position, rest));
      ASSERT_EQ(rest.records.size() + before, whole.records.size());
      ASSERT_EQ(rest.losses.size() + whole.lost_before[i], whole.losses.size());
      for (std::size_t j = 0; j < rest.records.size(); ++j) ASSERT_EQ(rest.records[j].data, whole.records[before + j].data);
    }
  }
}

}  // namespace ladder::imports::testing
