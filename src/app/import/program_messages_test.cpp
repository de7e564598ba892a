#include "app/import/program_messages.h"

#include <gtest/gtest.h>

namespace ladder::app {
namespace {

struct Shown {
  std::string text;
  ProgramMessages messages{[this](const std::string& line) { text += line; }};
};

TEST(ProgramMessages, LinesAreMarkedAndControlNothing) {
  Shown shown;
  shown.messages.take("on");
  shown.messages.take("e\ntwo \x1b[2J\x07\r\n\xff");
  shown.messages.finish();
  EXPECT_EQ(shown.text, "| one\n| two ⟦U+001B⟧[2J⟦U+0007⟧⟦U+000D⟧\n| \xEF\xBF\xBD\n");
}

TEST(ProgramMessages, ALineAndTheTotalAreLimited) {
  Shown shown;
  const std::string half(kMaxMessageLineBytes - 1, 'a');
  shown.messages.take(half);
  shown.messages.take(half + "\n");
  EXPECT_EQ(shown.text, "| " + half + "a…\n");
  for (int i = 0; i < 1000; ++i) shown.messages.take(half + "\n");
  shown.messages.finish();
  EXPECT_LT(shown.text.size(), kMaxMessageBytes + 100);
  EXPECT_TRUE(shown.text.ends_with("| (more messages of the program are not shown)\n"));
}

}  // namespace
}  // namespace ladder::app
