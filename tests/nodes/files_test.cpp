// The files of deploy/ that no test starts are checked against the settings and routes of this program.
#include "support/child_process.h"

#include <gtest/gtest.h>

namespace ladder::nodes {
namespace {

TEST(DeployFiles, NameExistingSettingsRoutesAndParts) {
  const std::string source = LADDER_SOURCE_DIR;
  const auto checked = test_support::run({source + "/tests/nodes/check_deploy.py", source});
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
}

}  // namespace
}  // namespace ladder::nodes
