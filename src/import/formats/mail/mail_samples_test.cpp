// Tests with messages from other projects' test suites.
#include "import/testing/reading.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

namespace ladder::imports {
namespace {

using testing::CollectingSink;

TEST(Mail, SamplesOfThePythonTestSuite) {
  const std::filesystem::path folder = "/usr/lib/python3.11/test/test_email/data";
  ASSERT_TRUE(std::filesystem::is_directory(folder)) << "install libpython3.11-testsuite (./dev test does)";
  std::map<std::string, std::string> files;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    if (each.path().extension() != ".txt") continue;
    std::ifstream in(each.path(), std::ios::binary);
    files.emplace(each.path().filename().string(), std::string(std::istreambuf_iterator<char>(in), {}));
  }
  ASSERT_GE(files.size(), 46U);
  const CollectingSink sink = testing::read_files(mail_format(), files, Request{.forced = true, .manifest = {}});
  const CollectingSink again = testing::read_files(mail_format(), files, Request{.forced = true, .manifest = {}});
  ASSERT_EQ(sink.records.size(), again.records.size());
  for (std::size_t i = 0; i < sink.records.size(); ++i) EXPECT_EQ(sink.records[i].data, again.records[i].data);
  std::set<std::string> lost;
  for (const Refusal& each : sink.losses) lost.insert(each.place.file + ": " + each.reason);
  EXPECT_EQ(sink.of("messages").size() + lost.size(), files.size());
  // It has no headers at all.
  EXPECT_EQ(lost, std::set<std::string>{"msg_19.txt: 757 bytes without a readable mail header"});
}

}  // namespace
}  // namespace ladder::imports
