#include "console/sources/holdings.h"

#include "console/sources/drop.h"

#include <gtest/gtest.h>

namespace ladder::console {
namespace {

server::ImportAccount account(Instant at, bool complete, std::int64_t lost) {
  server::ImportAccount made;
  made.kept_at = at;
  made.complete = complete;
  made.lost = lost;
  return made;
}

TEST(Holding, AddsUpItsImports) {
  Holding holding;
  EXPECT_EQ(holding.last_import(), 0);
  EXPECT_FALSE(holding.broken_off());
  holding.imports = {account(20, true, 2), account(10, false, 3)};
  EXPECT_EQ(holding.last_import(), 20);
  EXPECT_EQ(holding.lost(), 5);
  EXPECT_TRUE(holding.broken_off());
}

TEST(Holding, AnImportThatIsStillRunningIsNotInterrupted) {
  std::vector<Holding> holdings(2);
  holdings[0].imports = {account(20, false, 0)};
  holdings[1].imports = {account(10, false, 0)};
  exclude_running_imports(holdings, 15);
  EXPECT_FALSE(holdings[0].broken_off());
  EXPECT_TRUE(holdings[1].broken_off());
}

TEST(Holding, TheTimelineDrawsTheRecentYearsAndItsTableHasAll) {
  Holding mail;
  mail.name = "Mail <you>";
  mail.by_year = {{1601, 1}, {2024, 3}, {2026, 5}};
  const std::string chart = timeline({mail}, 2026).take();
  EXPECT_NE(chart.find("Mail &lt;you&gt;"), std::string::npos);
  int bars = 0;
  for (std::size_t at = chart.find("<rect"); at != std::string::npos; at = chart.find("<rect", at + 1)) ++bars;
  EXPECT_EQ(bars, 2) << "a wrong date does not flatten the others";
  EXPECT_NE(chart.find("1601"), std::string::npos);
}

TEST(Drop, SizesAreShort) {
  EXPECT_EQ(size_text(18'000), "18 kB");
  EXPECT_EQ(size_text(4'800'000'000), "4.8 GB");
}

}  // namespace
}  // namespace ladder::console
