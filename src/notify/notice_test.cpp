#include "notify/notice.h"

#include "notify/channel.h"
#include "notify/delivery.h"
#include "notify/notify_store.h"

#include <gtest/gtest.h>

namespace ladder::notify {
namespace {

TEST(Notice, NamesOfAppsBecomePlainWords) {
  EXPECT_EQ(plain_name("Claude Code"), "Claude Code");
  EXPECT_EQ(plain_name("helper\r\nBcc: eve@example.org"), "helper Bcc eve example org");
  EXPECT_EQ(plain_name("see https://evil.example/x?y"), "see https evil example x y");
  EXPECT_EQ(plain_name("<b>\"bold\"</b>"), "b bold b");
  EXPECT_EQ(plain_name("Zoë's Büro"), "Zoë's Büro");
  EXPECT_EQ(plain_name("\u202Eevil"), "⟦U+202E⟧evil");
  EXPECT_EQ(plain_name(std::string(100, 'x')).size(), 40U);
  EXPECT_EQ(plain_name("\xFF\xFE"), "");
  EXPECT_EQ(plain_name("..."), "");
}

TEST(Notice, IsReadAsItWasWritten) {
  const Notice notice{"id", Event::kSyncFails, "sync-fails\nkey", "title", "text “x”", "/sources", 7};
  const Notice read = notice_of(to_body(notice));
  EXPECT_EQ(read.event, notice.event);
  EXPECT_EQ(read.key, notice.key);
  EXPECT_EQ(read.text, notice.text);
  EXPECT_EQ(read.at, 7);
  EXPECT_FALSE(notice_of(to_body(Notice{})).event) << "a test has no event";
}

TEST(Notice, AMailIsAsciiAndItsBodyIsEncoded) {
  Channel channel;
  channel.from = channel.to = "ann@example.org";
  const Notice notice{"abc", Event::kFirstRead, "k", "an app read", "“Zoë” has read.\r\n.\r\nQUIT", "/client?id=x", 0};
  const std::string mail = mail_content(channel, notice, "https://data.example", 1'795'000'000 * kSecond);
  EXPECT_EQ(mail.find('\xC3'), std::string::npos);
  EXPECT_EQ(mail.find("\r\n.\r\n"), std::string::npos);
  EXPECT_NE(mail.find("Date: Wed, 18 Nov 2026 11:06:40 +0000\r\n"), std::string::npos) << mail;
  EXPECT_NE(mail.find("Subject: Ladder: an app read\r\n"), std::string::npos);
}

TEST(Notice, WaitsGrowUpToAnHour) {
  EXPECT_EQ(wait_after(1), 5 * kSecond);
  EXPECT_EQ(wait_after(2), 15 * kSecond);
  EXPECT_EQ(wait_after(50), 3600 * kSecond);
}

}  // namespace
}  // namespace ladder::notify
