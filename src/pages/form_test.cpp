#include "pages/form.h"

#include <gtest/gtest.h>

namespace ladder::pages {
namespace {

constexpr std::string_view kType = "multipart/form-data; boundary=XX";

std::string part(const std::string& disposition, const std::string& content, const std::string& more = "") {
  return "--XX\r\nContent-Disposition: form-data; " + disposition + "\r\n" + more + "\r\n" + content + "\r\n";
}

TEST(Multipart, ReadsFieldsAndFiles) {
  const std::string body =
      part("name=\"csrf\"", "secret") +
      part("name=\"files\"; filename=\"mail.mbox\"", "From a\r\n\r\n--X\r\n", "Content-Type: text/plain\r\n") + "--XX--\r\n";
  const auto form = Form::parse_multipart(kType, body);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->one("csrf"), "secret");
  ASSERT_EQ(form->files().size(), 1U);
  EXPECT_EQ(form->files()[0].field, "files");
  EXPECT_EQ(form->files()[0].name, "mail.mbox");
  EXPECT_EQ(form->files()[0].content, "From a\r\n\r\n--X\r\n");
}

TEST(Multipart, NamesHaveNoFoldersAndAreUnescaped) {
  const std::string body = part("name=\"f\"; filename=\"../../a\\b%22c%0D%0A.txt\"", "") + "--XX--";
  const auto form = Form::parse_multipart("multipart/form-data; charset=utf-8; boundary=\"XX\"", body);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->files()[0].name, "b\"c\r\n.txt");
  EXPECT_EQ(form->files()[0].content, "");
}

TEST(Multipart, RefusesWhatIsNotExactlyThat) {
  const std::string good = part("name=\"a\"", "1") + "--XX--\r\n";
  EXPECT_TRUE(Form::parse_multipart(kType, good));
  for (const std::string_view type :
       {"multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=a b",
        "multipart/form-data; boundary=XX; boundary=YY", "multipart/form-dataX; boundary=XX"}) {
    EXPECT_FALSE(Form::parse_multipart(type, good)) << type;
  }
  const std::string cases[] = {
      "",
      "--XX--",
      "before" + good,
      good + "behind",
      good.substr(0, good.size() - 4),
      part("name=\"a\"; name=\"b\"", "1") + "--XX--",
      part("filename=\"b\"", "1") + "--XX--",
      part("name=a", "1") + "--XX--",
      part("name=\"a\"; size=\"1\"", "1") + "--XX--",
      part("name=\"a", "1") + "--XX--",
      part("name=\"\xFF\"", "1") + "--XX--",
      part("name=\"a\"", "\xFF") + "--XX--",
      part("name=\"a\"", "1", "Content-Disposition: form-data; name=\"b\"\r\n") + "--XX--",
      part("name=\"a\"", "1", "no header\r\n") + "--XX--",
      part("name=\"a\"", "1", "X: " + std::string(9000, 'x') + "\r\n") + "--XX--",
      "--XX\r\nContent-Type: text/plain\r\n\r\n1\r\n--XX--",
  };
  for (const std::string& body : cases) EXPECT_FALSE(Form::parse_multipart(kType, body)) << body.substr(0, 200);
}

TEST(Multipart, HasABoundOnItsParts) {
  std::string body;
  for (int i = 0; i < 4097; ++i) body += part("name=\"a\"", "1");
  EXPECT_FALSE(Form::parse_multipart(kType, body + "--XX--"));
}

}  // namespace
}  // namespace ladder::pages
