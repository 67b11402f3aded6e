// TinyXML2: ticket sales as elements with attributes, by its tree and, for writing, by its printer alone; times as integers and as text.
#include <tinyxml2.h>

#include "dates.hpp"
#include "sales.hpp"

namespace {

using sales::Sales;
using sales::Voucher;
using tinyxml2::XMLElement;
using tinyxml2::XML_SUCCESS;

struct Integers {
  static bool push(tinyxml2::XMLPrinter &printer, const char *name, int64_t time) { return printer.PushAttribute(name, time), true; }
  static bool set(XMLElement &element, const char *name, int64_t time) { return element.SetAttribute(name, time), true; }
  static bool read(const XMLElement &element, const char *name, int64_t &time) {
    return element.QueryInt64Attribute(name, &time) == XML_SUCCESS;
  }
};

struct Dates {
  static bool push(tinyxml2::XMLPrinter &printer, const char *name, int64_t time) {
    DateText date;
    return date.write(time) && (printer.PushAttribute(name, date.text), true);
  }
  static bool set(XMLElement &element, const char *name, int64_t time) {
    DateText date;
    return date.write(time) && (element.SetAttribute(name, date.text), true);
  }
  static bool read(const XMLElement &element, const char *name, int64_t &time) {
    const char *text = element.Attribute(name);
    return text && DateText::read(text, time);
  }
};

template <class Times>
struct Tree {
  // Its pools and the printer's buffer are kept.
  tinyxml2::XMLDocument document;
  tinyxml2::XMLPrinter printer = tinyxml2::XMLPrinter(nullptr, true);

  std::string_view printed() const { return {printer.CStr(), size_t(printer.CStrSize()) - 1}; }

  bool write(const Sales &sales, std::string_view &bytes) {
    document.Clear();
    XMLElement *root = document.NewElement("S");
    document.InsertEndChild(root);
    root->SetAttribute("n", sales.n);
    root->SetAttribute("m", sales.m);
    if (!Times::set(*root, "s", sales.s) || !Times::set(*root, "e", sales.e)) return false;
    for (const Voucher &voucher : sales.v) {
      XMLElement *element = root->InsertNewChildElement("I");
      element->SetAttribute("n", voucher.n);
      element->SetAttribute("s", voucher.s);
      element->SetAttribute("g", voucher.g.c_str());
      if (!Times::set(*element, "t", voucher.t)) return false;
      element->SetAttribute("b", voucher.b);
    }
    printer.ClearBuffer();
    document.Print(&printer);
    bytes = printed();
    return true;
  }

  bool read(std::string_view bytes, Sales &sales) {
    if (document.Parse(bytes.data(), bytes.size()) != XML_SUCCESS) return false;
    const XMLElement *root = document.FirstChildElement("S");
    if (!root || root->QueryUnsigned64Attribute("n", &sales.n) || root->QueryIntAttribute("m", &sales.m)) return false;
    if (!Times::read(*root, "s", sales.s) || !Times::read(*root, "e", sales.e)) return false;
    for (const XMLElement *element = root->FirstChildElement("I"); element; element = element->NextSiblingElement("I")) {
      Voucher &voucher = sales.v.emplace_back();
      const char *goods = element->Attribute("g");
      if (!goods || element->QueryUnsigned64Attribute("n", &voucher.n) || element->QueryDoubleAttribute("s", &voucher.s)) return false;
      if (!Times::read(*element, "t", voucher.t) || element->QueryBoolAttribute("b", &voucher.b)) return false;
      voucher.g = goods;
    }
    return true;
  }
};

// Written without a tree. It has no reader but that of the tree.
template <class Times>
struct Printer : Tree<Times> {
  bool write(const Sales &sales, std::string_view &bytes) {
    auto &printer = this->printer;
    printer.ClearBuffer();
    printer.OpenElement("S", true);
    printer.PushAttribute("n", sales.n);
    printer.PushAttribute("m", sales.m);
    if (!Times::push(printer, "s", sales.s) || !Times::push(printer, "e", sales.e)) return false;
    for (const Voucher &voucher : sales.v) {
      printer.OpenElement("I", true);
      printer.PushAttribute("n", voucher.n);
      printer.PushAttribute("s", voucher.s);
      printer.PushAttribute("g", voucher.g.c_str());
      if (!Times::push(printer, "t", voucher.t)) return false;
      printer.PushAttribute("b", voucher.b);
      printer.CloseElement(true);
    }
    printer.CloseElement(true);
    bytes = this->printed();
    return true;
  }
};

}  // namespace

SALES_PEER(peer_tinyxml2_sales, Tree<Integers>)
SALES_PEER(peer_tinyxml2_sales_dates, Tree<Dates>)
SALES_PEER(peer_tinyxml2_printer_sales, Printer<Integers>)
SALES_PEER(peer_tinyxml2_printer_sales_dates, Printer<Dates>)
