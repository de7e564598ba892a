// The parts of a message: what it says, as plain text and as HTML, and what is attached to it.
#pragma once

#include "import/formats/mail_gmime.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ladder::imports::mail {

struct Attachment {
  std::string file_name;      // "" when it has none
  std::string mime_type;      // lower case, without parameters
  std::string text;           // of text and of messages inside the message; "" when there is none
  bool text_is_cut = false;   // at kMaxAttachmentTextBytes
  GMimePart* part = nullptr;  // borrowed from the message
};

struct Body {
  std::string text;  // what was written as plain text, else made from HTML
  std::string html;
  std::vector<std::string> links;  // of the HTML, when the text was made from it
};

class Parts {
 public:
  explicit Parts(GMimeObject* root);

  Body body;
  std::vector<Attachment> attachments;
  std::set<std::string> problems;  // sentences without a full stop, for people

 private:
  struct Piece {
    Body body;
    bool is_plain = false;  // the text was written as plain text
  };
  Piece read(GMimeObject* object, int depth);
  Piece read_multipart(GMimeMultipart* multipart, int depth);
  Piece read_part(GMimePart* part, int depth);
  void attach(GMimePart* part, std::string mime_type);
  void attach_message(GMimePart* part, int depth);
  bool has_room();

  struct Inner {
    std::string bytes;
    std::unique_ptr<GMimeText> text;
  };
  std::vector<std::unique_ptr<Inner>> inner_;  // messages inside the message, which attachments point into
  std::size_t inner_bytes_ = 0;
};

}  // namespace ladder::imports::mail
