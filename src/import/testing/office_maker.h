// Builds small office files and books for tests.
#pragma once

#include "import/testing/archive_maker.h"

#include <string>
#include <string_view>

namespace ladder::imports::testing {

inline std::string relations(std::string_view list) {
  return "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">" + std::string(list) +
         "</Relationships>";
}
inline std::string relation(std::string_view id, std::string_view kind, std::string_view target) {
  return "<Relationship Id=\"" + std::string(id) +
         "\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/" + std::string(kind) + "\" Target=\"" +
         std::string(target) + "\"/>";
}

inline ZipMaker office_zip(std::string_view main_part) {
  ZipMaker zip;
  zip.add("[Content_Types].xml", "<Types/>");
  zip.add("_rels/.rels",
          relations(relation("r1", "officeDocument", main_part) + relation("r2", "core-properties", "docProps/core.xml")));
  zip.add(
      "docProps/core.xml",
      "<cp:coreProperties xmlns:cp=\"c\" xmlns:dc=\"d\" xmlns:t=\"t\"><dc:title>The title</dc:title><dc:creator>Ada</dc:creator>"
      "<t:created>2024-01-02T03:04:05Z</t:created><t:modified>2024-02-03T04:05:06Z</t:modified></cp:coreProperties>");
  return zip;
}

// A docx with these elements in its body.
inline std::string docx(std::string_view body) {
  ZipMaker zip = office_zip("word/document.xml");
  zip.add("word/document.xml",
          "<w:document xmlns:w=\"w\" xmlns:mc=\"m\"><w:body>" + std::string(body) + "</w:body></w:document>");
  zip.add("word/_rels/document.xml.rels", relations(relation("r1", "footnotes", "footnotes.xml")));
  zip.add("word/footnotes.xml",
          "<w:footnotes xmlns:w=\"w\"><w:footnote><w:p><w:r><w:t>a footnote</w:t></w:r></w:p></w:footnote></w:footnotes>");
  return zip.bytes();
}

inline std::string docx_paragraph(std::string_view text) {
  return "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>" + std::string(text) + "</w:t></w:r></w:p>";
}

// A workbook with two sheets, "Costs" and the hidden "Rates".
inline std::string xlsx() {
  ZipMaker zip = office_zip("xl/workbook.xml");
  zip.add("xl/workbook.xml",
          "<workbook xmlns:r=\"r\"><workbookPr/><sheets><sheet name=\"Costs\" sheetId=\"1\" r:id=\"s1\"/>"
          "<sheet name=\"Rates\" sheetId=\"2\" state=\"hidden\" r:id=\"s2\"/></sheets></workbook>");
  zip.add(
      "xl/_rels/workbook.xml.rels",
      relations(relation("s1", "worksheet", "worksheets/sheet1.xml") + relation("s2", "worksheet", "/xl/worksheets/sheet2.xml") +
                relation("t", "sharedStrings", "sharedStrings.xml") + relation("u", "styles", "styles.xml")));
  zip.add("xl/sharedStrings.xml",
          "<sst><si><t>Day</t></si><si><t/></si><si><r><t>Am</t></r><r><t>ount</t></r><rPh><t>x</t></rPh></si></sst>");
  zip.add("xl/styles.xml",
          "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"dd/mm/yyyy\"/><numFmt numFmtId=\"165\" "
          "formatCode=\"[Red]0.00\"/>"
          "</numFmts><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/><xf numFmtId=\"165\"/><xf "
          "numFmtId=\"22\"/></cellXfs></styleSheet>");
  zip.add("xl/worksheets/sheet1.xml",
          "<worksheet><sheetData><row><c t=\"s\"><v>0</v></c><c t=\"s\"><v>1</v></c><c t=\"s\"><v>2</v></c></row>"
          "<row><c s=\"1\"><v>45658</v></c><c s=\"2\"><f>1+1</f><v>12.5</v></c></row>"
          "<row><c s=\"3\"><v>45658.5</v></c><c t=\"inlineStr\"><is><t>a_x000D_b</t></is></c><c t=\"b\"><v>1</v></c></row>"
          "</sheetData></worksheet>");
  zip.add("xl/worksheets/sheet2.xml", "<worksheet><sheetData><row><c><v>3</v></c></row></sheetData></worksheet>");
  return zip.bytes();
}

// Two slides in the other order than their names; the first has notes.
inline std::string pptx() {
  ZipMaker zip = office_zip("ppt/presentation.xml");
  const auto slide = [](std::string_view title, std::string_view text) {
    return "<p:sld xmlns:p=\"p\" xmlns:a=\"a\"><p:sp><p:nvPr><p:ph type=\"title\"/></p:nvPr><a:p><a:r><a:t>" +
           std::string(title) + "</a:t></a:r></a:p></p:sp><p:sp><a:p><a:r><a:t>" + std::string(text) +
           "</a:t></a:r></a:p><a:p><a:fld type=\"slidenum\"><a:t>7</a:t></a:fld></a:p></p:sp></p:sld>";
  };
  zip.add(
      "ppt/presentation.xml",
      "<p:presentation xmlns:p=\"p\" xmlns:r=\"r\"><p:sldIdLst><p:sldId id=\"256\" r:id=\"b\"/><p:sldId id=\"257\" r:id=\"a\"/>"
      "</p:sldIdLst></p:presentation>");
  zip.add("ppt/_rels/presentation.xml.rels",
          relations(relation("a", "slide", "slides/slide1.xml") + relation("b", "slide", "slides/slide2.xml")));
  zip.add("ppt/slides/slide1.xml", slide("Second", "the end"));
  zip.add("ppt/slides/slide2.xml", slide("First", "the beginning"));
  zip.add("ppt/slides/_rels/slide2.xml.rels", relations(relation("n", "notesSlide", "../notesSlides/notesSlide1.xml")));
  zip.add("ppt/notesSlides/notesSlide1.xml", "<p:notes xmlns:p=\"p\" xmlns:a=\"a\"><a:p><a:t>say hello</a:t></a:p></p:notes>");
  return zip.bytes();
}

// An OpenDocument file of that kind: "text", "spreadsheet" or "presentation".
inline std::string open_document(std::string_view kind, std::string_view body) {
  ZipMaker zip;
  zip.add("mimetype", "application/vnd.oasis.opendocument." + std::string(kind));
  zip.add("meta.xml",
          "<office:document-meta xmlns:office=\"o\" xmlns:meta=\"m\" xmlns:dc=\"d\"><office:meta><dc:title>The title</dc:title>"
          "<meta:initial-creator>Ada</meta:initial-creator><meta:creation-date>2024-01-02T03:04:05.123456789</meta:creation-date>"
          "</office:meta></office:document-meta>");
  zip.add("content.xml",
          "<office:document-content xmlns:office=\"o\" xmlns:text=\"t\" xmlns:table=\"b\" xmlns:draw=\"d\" "
          "xmlns:presentation=\"p\"><office:body><office:" +
              std::string(kind) + ">" + std::string(body) + "</office:" + std::string(kind) +
              "></office:body></office:document-content>");
  return zip.bytes();
}

inline std::string epub() {
  ZipMaker zip;
  zip.add("mimetype", "application/epub+zip");
  zip.add("META-INF/container.xml", "<container><rootfiles><rootfile full-path=\"OEBPS/book.opf\"/></rootfiles></container>");
  zip.add("OEBPS/book.opf",
          "<package xmlns:dc=\"d\"><metadata><dc:title>A book</dc:title><dc:creator>Ada</dc:creator></metadata><manifest>"
          "<item id=\"one\" href=\"text/one%20.xhtml\"/><item id=\"two\" href=\"text/two.xhtml\"/><item id=\"nav\" "
          "href=\"nav.xhtml\" "
          "properties=\"nav\"/></manifest><spine><itemref idref=\"nav\"/><itemref idref=\"two\" linear=\"no\"/><itemref "
          "idref=\"one\"/>"
          "</spine></package>");
  zip.add("OEBPS/nav.xhtml", "<html><body>Contents</body></html>");
  zip.add("OEBPS/text/one .xhtml",
          "<html><head><title>Beginning</title></head><body><p>It was a dark night.<p>Not closed</body></html>");
  zip.add("OEBPS/text/two.xhtml", "<html><head><title>Appendix</title></head><body><p>Tables</p></body></html>");
  return zip.bytes();
}

}  // namespace ladder::imports::testing
