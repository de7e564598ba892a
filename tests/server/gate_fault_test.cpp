// The gate must be able to fail: built without the field check (gate/seeded_fault.cpp), its test of the ungranted field
// fails, and only tests of that check do.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include <sys/wait.h>

namespace ladder {
namespace {

struct FaultyRun {
  int exit_code = -1;
  std::string output;
};

FaultyRun run_faulty_gate(const std::string& filter) {
  FaultyRun run;
  const std::string command = std::string(LADDER_FAULTY_GATE) + " --gtest_filter='" + filter + "' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return run;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) run.output.append(buffer, n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  return run;
}

TEST(GateFault, TheGateFailsWithoutTheFieldCheck) {
  const FaultyRun run = run_faulty_gate("*RefusesAnUngrantedField*");
  EXPECT_EQ(run.exit_code, 1) << run.output;
  EXPECT_NE(run.output.find("served: XYZZY"), std::string::npos) << run.output;
}

TEST(GateFault, TheRestOfTheGateStillHolds) {
  const FaultyRun run = run_faulty_gate("*Gate*:-*AnUndeclaredFieldIsUnknown*:*RefusesAnUngrantedField*");
  EXPECT_EQ(run.exit_code, 0) << run.output;
}

}  // namespace
}  // namespace ladder
