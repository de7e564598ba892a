#include "auth/uri/uri.h"

#include <gtest/gtest.h>

#include <random>

namespace ladder::auth {
namespace {

TEST(Uri, AcceptsValidRedirects) {
  for (const char* good : {"https://claude.ai/api/mcp/auth_callback", "https://h.example:8443/x?y=1",
                           "http://127.0.0.1:3118/callback", "http://localhost/callback", "http://[::1]:9/x",
                           "cursor://anysphere.cursor-mcp/oauth/callback", "vscode://x/y", "com.example.app:/back"}) {
    EXPECT_TRUE(is_acceptable_redirect(good)) << good;
  }
  for (const char* bad : {"", "http://example.org/callback", "http://127.0.0.1.evil.example/", "http://localhost.evil.example/",
                          "https://user@claude.ai/x", "https://claude.ai/x#fragment", "javascript:alert(1)", "data:text/html,x",
                          "file:///etc/passwd", "https://", "https:///x", "//claude.ai/x", "myapp:/x", "https://a b/",
                          "https://a\\b/", "http://127.1/", "http://0x7f.1/", "https://claude.ai:99999999/"}) {
    EXPECT_FALSE(is_acceptable_redirect(bad)) << bad;
  }
}

TEST(Uri, ComparesRedirectsExactlyExceptForLoopbackPorts) {
  EXPECT_TRUE(is_same_redirect("http://127.0.0.1/callback", "http://127.0.0.1:51204/callback"));
  EXPECT_TRUE(is_same_redirect("http://127.0.0.1:33418/", "http://127.0.0.1:4000/"));
  EXPECT_TRUE(is_same_redirect("http://localhost/callback", "http://localhost:3118/callback"));
  EXPECT_FALSE(is_same_redirect("http://localhost/callback", "http://127.0.0.1:3118/callback"));
  EXPECT_FALSE(is_same_redirect("http://127.0.0.1/callback", "http://127.0.0.1:1/callback/x"));
  EXPECT_FALSE(is_same_redirect("http://127.0.0.1/callback", "http://127.0.0.1:1/callback?x"));
  EXPECT_FALSE(is_same_redirect("https://app.example/x", "https://app.example:8443/x"));
  EXPECT_FALSE(is_same_redirect("https://app.example/x", "https://app.example/X"));
  EXPECT_FALSE(is_same_redirect("https://app.example/x", "https://app.example/x/"));
}

// Tries a million mutations of a redirect URI; only the URI itself may be accepted.
TEST(Uri, RejectsMutationsOfARedirect) {
  const std::string known = "https://claude.ai/api/mcp/auth_callback";
  std::mt19937 random(7);
  constexpr std::string_view kBytes = "abcxyz0189./:@?#%\\&=-_~[]\t\n <>\"'";
  for (int i = 0; i < 1'000'000; ++i) {
    std::string mutated = known;
    for (auto changes = random() % 3 + 1; changes > 0; --changes) {
      const std::size_t at = random() % (mutated.size() + 1);
      const char byte = random() % 16 == 0 ? static_cast<char>(random() % 256) : kBytes[random() % kBytes.size()];
      switch (random() % 3) {
        case 0:
          mutated.insert(at, 1, byte);
          break;
        case 1:
          if (at < mutated.size()) mutated.erase(at, 1);
          break;
        default:
          if (at < mutated.size()) mutated[at] = byte;
      }
    }
    ASSERT_TRUE(mutated == known || !is_same_redirect(known, mutated)) << mutated;
  }
}

TEST(Uri, AcceptsHttpsDocumentUrlsWithAPath) {
  EXPECT_TRUE(is_document_address("https://claude.ai/oauth/mcp-oauth-client-metadata"));
  for (const char* bad :
       {"https://claude.ai", "https://claude.ai/", "http://claude.ai/x", "https://u@claude.ai/x", "https://claude.ai/x#y",
        "https://claude.ai/x?y", "https://claude.ai/a/../x", "https://claude.ai/a/.", "cli_1"}) {
    EXPECT_FALSE(is_document_address(bad)) << bad;
  }
}

TEST(Uri, AddsParameters) {
  EXPECT_EQ(with_parameters("https://a.example/x", {{"code", "a b&c"}, {"state", "ü"}}),
            "https://a.example/x?code=a%20b%26c&state=%C3%BC");
  EXPECT_EQ(with_parameters("https://a.example/x?y=1", {{"code", "1"}}), "https://a.example/x?y=1&code=1");
}

}  // namespace
}  // namespace ladder::auth
