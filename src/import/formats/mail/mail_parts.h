// format=flowed (RFC 3676): lines that end with a space go on in the next one.
#pragma once

#include "import/formats/mail/mail_gmime.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::mail {

// Text with \n line ends. With `delete_space` the space at the end of a line is not part of the text (DelSp=yes).
std::string unflowed(std::string_view text, bool delete_space);

// A message in two versions, plain text and HTML: most say the same, some plain texts only say that there is an HTML, and some
// HTML says what the plain text forgot.
struct Versions {
  bool html_says_more = false;  // the plain text is a stub of it
  std::string other_text;       // lines of the version that says less with words which the other one lacks
};

// `page` is the text of the HTML.
Versions compare_versions(std::string_view plain, std::string_view page);

// The parts of a message: what it says, as plain text and as HTML, and what is attached to it.
struct Attachment {
  std::string file_name;               // "" when it has none
  std::string mime_type;               // lower case, without parameters
  std::string text;                    // of text and of messages inside the message; "" when there is none
  bool text_is_cut = false;            // at kMaxAttachmentTextBytes
  std::set<std::string> guessed = {};  // encodings that were told from the bytes alone, of its text and name
  GMimePart* part = nullptr;           // borrowed from the message
};

struct Body {
  std::string text;  // what was written as plain text, or made from HTML: the one that says more
  std::string html;
  std::string other_text;          // lines of the other one that hold words which `text` lacks
  std::vector<std::string> links;  // of the HTML, when the text was made from it
  bool html_is_cut = false;        // the HTML is larger than what is made into text
};

class Parts {
 public:
  // `encoding` is that of text which names none; "" to guess.
  explicit Parts(GMimeObject* root, std::string_view encoding = {});

  Body body;
  std::vector<Attachment> attachments;
  std::set<std::string> problems;  // sentences without a full stop, for people
  std::set<std::string> guessed;   // encodings of the body that were told from its bytes alone

 private:
  struct Piece {
    Body body;
    bool is_plain = false;    // the text was written as plain text
    bool is_for_few = false;  // the HTML is a version for AMP or for watches
  };
  Piece read(GMimeObject* object, int depth);
  Piece read_multipart(GMimeMultipart* multipart, int depth);
  Piece choose_among(std::vector<Piece> versions);
  Piece read_undivided(GMimeMultipart* multipart);
  Piece read_text(GMimePart* part, const std::string& type);
  Piece read_part(GMimePart* part, int depth);
  void attach(GMimePart* part, std::string mime_type);
  void attach_message(GMimePart* part, int depth);
  bool has_room();
  std::string text_of(GMimePart* part, bool is_html, std::string bytes);
  std::string charset_named(GMimeObject* object) const;

  std::string encoding_;
  HeaderCharset names_;  // of file names
  struct Inner {
    std::string bytes;
    std::unique_ptr<GMimeText> text;
  };
  std::vector<std::unique_ptr<Inner>> inner_;  // messages inside the message, which attachments point into
  std::size_t inner_bytes_ = 0;
  bool is_inside_ = false;         // a message inside the message is being read
  std::vector<GMimePart*> shown_;  // text files that are shown in the message ("inline; filename=…")
};

}  // namespace ladder::imports::mail
