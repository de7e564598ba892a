#include "sync/imap/mailbox_name.h"

#include "base/text/utf8.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ladder::sync::imap {
namespace {

TEST(MailboxName, IsModifiedUtf7) {
  EXPECT_EQ(decode_mailbox_name("~peter/mail/&U,BTFw-/&ZeVnLIqe-"), "~peter/mail/台北/日本語");  // the example of RFC 3501
  EXPECT_EQ(decode_mailbox_name("Entw&APw-rfe"), "Entwürfe");
  EXPECT_EQ(decode_mailbox_name("a &- b"), "a & b");
  EXPECT_EQ(decode_mailbox_name("&2DzfCQ-"), "🌉");
  EXPECT_EQ(encode_mailbox_name("~peter/mail/台北/日本語"), "~peter/mail/&U,BTFw-/&ZeVnLIqe-");
  EXPECT_EQ(encode_mailbox_name("a & b"), "a &- b");
}

TEST(MailboxName, IsShownAsWrittenIfItIsInvalid) {
  EXPECT_EQ(decode_mailbox_name("a &b"), "a &b");
  EXPECT_EQ(decode_mailbox_name("&A-"), "&A-");
  EXPECT_EQ(decode_mailbox_name("Entw\xFCrfe"), "Entw?rfe");
  EXPECT_EQ(decode_mailbox_name("Entwürfe"), "Entwürfe") << "some servers send UTF-8";
}

RC_GTEST_PROP(MailboxName, RoundTrips, (const std::vector<std::uint32_t>& numbers)) {
  std::string name;
  for (const std::uint32_t number : numbers) utf8::append(name, static_cast<char32_t>(number % 0x110000));
  const std::string encoded = encode_mailbox_name(name);
  RC_ASSERT(utf8::is_ascii(encoded));
  RC_ASSERT(decode_mailbox_name(encoded) == name);
}

RC_GTEST_PROP(MailboxName, IsAlwaysValidText, (const std::string& bytes)) {
  RC_ASSERT(utf8::is_valid(decode_mailbox_name(bytes)));
}

}  // namespace
}  // namespace ladder::sync::imap
