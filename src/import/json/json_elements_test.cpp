#include "import/json/json_elements.h"
#include "base/text/format.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

std::string elements_of(std::string_view json, std::size_t limit = 1000) {
  BytesInMemory bytes(json);
  JsonElements elements(bytes, limit);
  std::string seen;
  for (;;) {
    const auto step = elements.next();
    if (!step) return seen + "error";
    if (*step == JsonElements::Step::kEnd) return seen + "end";
    if (*step == JsonElements::Step::kCut) return seen + "cut: " + elements.why();
    if (*step == JsonElements::Step::kBad) seen += "bad;";
    else seen += format("{}@{};", elements.element(), elements.offset());
  }
}

TEST(JsonElementsTest, AreReadOneByOne) {
  EXPECT_EQ(elements_of("[]"), "end");
  EXPECT_EQ(elements_of(" [ 1 , {\"a\":[\"]\\\"\"]} ,\"x\"]"), "1 @3;{\"a\":[\"]\\\"\"]}@7;\"x\"@22;end");
  EXPECT_EQ(elements_of("window.YTD.part0 = [{\"a\":1}]"), "{\"a\":1}@20;end");
  EXPECT_EQ(elements_of("{\"a\":[1]}"), "cut: the file contains a JSON object instead of an array");
  EXPECT_EQ(elements_of("[{\"a\":tru},{\"b\":1}]"), "bad;{\"b\":1}@11;end");
  EXPECT_EQ(elements_of("[1,{\"a\":"), "1@1;cut: the file ends in the middle of an element");
  EXPECT_EQ(elements_of("[1 2]"), "bad;end");
  EXPECT_EQ(elements_of("[\"" + std::string(2'000'000, 'x') + "\",7]"), "bad;7@2000004;end");
  EXPECT_EQ(elements_of("nothing here"), "cut: the file contains no JSON array");
}

}  // namespace
}  // namespace ladder::imports
