// Reads an XML file as a sequence of steps, from bytes of any length. Expat parses; only the current piece of the file is in
// memory. Nothing that a document type declares is used: it is removed before the parser sees it, so that no entity can grow and
// a damaged declaration (Apple Health writes one) does no harm. Names are compared without their prefix.
#pragma once

#include "base/error/error.h"
#include "import/io/bytes.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::imports {

class XmlReader {
 public:
  explicit XmlReader(Bytes& bytes);
  ~XmlReader();
  XmlReader(const XmlReader&) = delete;
  XmlReader& operator=(const XmlReader&) = delete;

  enum class Step : std::uint8_t {
    kStart,    // name(), attribute()
    kEnd,      // name(); also for an element without content
    kText,     // text(), never empty
    kDone,     // the root element ended
    kDamaged,  // the rest cannot be read; why() explains it
  };
  Result<Step> next();  // returns an error only if the bytes fail

  std::string_view name() const;  // without its prefix
  std::string_view text() const;
  // The attribute of this name, without a prefix if there is one of each; "" if it is missing.
  std::string_view attribute(std::string_view name) const;
  std::string_view prefixed_attribute(std::string_view name) const;  // "r:id", but not "id"
  std::int64_t offset() const;                                       // of the step's first byte, approximately, in the file
  std::size_t depth() const;                                         // of the open elements, including one that just started
  const std::string& why() const;

  // Reads to the end of the element that just started. Returns its text, at most `max_bytes` of it, or skips it.
  Result<std::string> take_text(std::size_t max_bytes);
  Status skip_element();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ladder::imports
