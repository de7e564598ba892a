#include "sync/known_hosts.h"

#include <array>

namespace ladder::sync {
namespace {

struct KnownHost {
  std::string_view domain, host;
};
constexpr std::array kKnownHosts = {KnownHost{"gmail.com", "imap.gmail.com"},
                                    KnownHost{"googlemail.com", "imap.gmail.com"},
                                    KnownHost{"icloud.com", "imap.mail.me.com"},
                                    KnownHost{"me.com", "imap.mail.me.com"},
                                    KnownHost{"fastmail.com", "imap.fastmail.com"},
                                    KnownHost{"outlook.com", "outlook.office365.com"},
                                    KnownHost{"hotmail.com", "outlook.office365.com"},
                                    KnownHost{"yahoo.com", "imap.mail.yahoo.com"},
                                    KnownHost{"gmx.de", "imap.gmx.net"},
                                    KnownHost{"gmx.net", "imap.gmx.net"},
                                    KnownHost{"web.de", "imap.web.de"},
                                    KnownHost{"mailbox.org", "imap.mailbox.org"},
                                    KnownHost{"posteo.de", "posteo.de"},
                                    KnownHost{"t-online.de", "secureimap.t-online.de"}};

}  // namespace

std::string host_for(std::string_view address) {
  const std::size_t at = address.rfind('@');
  const std::string_view domain = at == std::string_view::npos ? std::string_view() : address.substr(at + 1);
  for (const KnownHost& known : kKnownHosts) {
    if (known.domain == domain) return std::string(known.host);
  }
  return {};
}

}  // namespace ladder::sync
