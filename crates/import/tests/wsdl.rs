//! Tables of WSDL 1.1.

use polywire_import::{Imported, Settings, wsdl};

const TYPES: &str = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:shop" targetNamespace="urn:shop" elementFormDefault="qualified">
<xs:element name="Find" type="t:Query"/>
<xs:element name="FindResponse"><xs:complexType><xs:sequence><xs:element name="FindResult" minOccurs="0"><xs:complexType><xs:sequence>
<xs:element name="item" type="t:Item" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>
<xs:element name="Sell"><xs:complexType><xs:sequence><xs:element name="item" type="t:Item" maxOccurs="9"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="Done"><xs:complexType/></xs:element>
<xs:complexType name="Base"><xs:sequence><xs:element name="lang" type="xs:string"><xs:annotation><xs:documentation>
  Language of texts.</xs:documentation></xs:annotation></xs:element></xs:sequence></xs:complexType>
<xs:complexType name="Query"><xs:complexContent><xs:extension base="t:Base"><xs:sequence>
<xs:element name="page"><xs:complexType><xs:sequence><xs:element name="size" type="xs:int"/><xs:element name="from" type="xs:int" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
<xs:choice><xs:element name="colour" type="t:Colour"/><xs:element name="again" type="t:Query"/></xs:choice>
<xs:element name="text" type="xs:string" maxOccurs="unbounded"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
<xs:complexType name="Item"><xs:sequence><xs:element name="title" type="xs:string"/><xs:element name="left" type="xs:int"/></xs:sequence></xs:complexType>
<xs:simpleType name="Colour"><xs:restriction base="xs:string"><xs:enumeration value="red"/><xs:enumeration value="blue"/></xs:restriction></xs:simpleType>
</xs:schema>"#;

fn description(types: &str, style: &str, usage: &str) -> String {
    let operation = |name: &str| {
        format!(
            "<operation name=\"{name}\"><soap:operation soapAction=\"urn:shop/{name}\"/><input><soap:body use=\"{usage}\"/></input></operation>"
        )
    };
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:s="urn:shop" targetNamespace="urn:shop">
<types>{types}</types>
<message name="FindIn"><part name="p" element="s:Find"/></message><message name="FindOut"><part name="p" element="s:FindResponse"/></message>
<message name="SellIn"><part name="p" element="s:Sell"/></message><message name="SellOut"><part name="p" element="s:Done"/></message>
<portType name="Port"><operation name="FindItems"><documentation>Finds items.</documentation><input message="s:FindIn"/><output message="s:FindOut"/></operation>
<operation name="Sell"><input message="s:SellIn"/><output message="s:SellOut"/></operation></portType>
<binding name="Binding" type="s:Port"><soap:binding transport="http://schemas.xmlsoap.org/soap/http" style="{style}"/>{}{}</binding>
<service name="Shop"><port name="P" binding="s:Binding"><soap:address location="http://shop.example/soap"/></port><port name="Q" binding="s:Gone"/></service>
</definitions>"#,
        operation("FindItems"),
        operation("Sell")
    )
}

fn import(text: &str) -> polywire_core::Result<Imported> {
    wsdl::import(text.as_bytes(), "shop.wsdl", &mut |_, _| Err("is not there".to_owned()), &Settings::default())
}

#[test]
fn operations_are_tables() {
    let imported = import(&description(TYPES, "document", "literal")).unwrap();
    let text = imported.tables[0].text();
    let expected = "\
-- SOAP 1.2: `FindItems`
-- Finds items.
--
-- - `lang`: string, required. Language of texts.
-- - `page.size`: int, required
-- - `page.from`: int
-- - `colour`: one of `red`, `blue`
";
    assert!(text.starts_with(expected), "{text}");
    for line in [
        "-- - `text`: list of string, required",
        "-- Returns rows: `title` string, `left` int.",
        "create table Shop.FindItems",
        "  on select post to 'http://shop.example/soap'",
        "    using headers 'SOAPAction' = 'urn:shop/FindItems'",
        "    resultset 'FindResult.item'",
    ] {
        assert!(text.lines().any(|known| known == line), "{line}\n{text}");
    }
    let clause = "    using soap '1.2' element '{urn:shop}Find' order 'lang', 'page.size', 'page.from', 'colour', 'again.lang'";
    assert!(text.lines().any(|line| line.starts_with(clause) && line.ends_with(", 'text';")), "{text}");
    let text = imported.tables[1].text();
    assert!(text.contains("create table Shop.Sell\n  on insert post to"), "{text}");
    assert!(text.contains("-- - `item`: list of Item, required\n"), "{text}");
    let remarks: Vec<String> = imported.remarks.iter().map(ToString::to_string).collect();
    assert_eq!(remarks, ["service Shop, port Q: its binding is not described"]);
}

#[test]
fn schemas_come_from_other_documents() {
    let import_of = |location: &str| {
        format!(
            "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"><xs:import namespace=\"urn:shop\" schemaLocation=\"{location}\"/></xs:schema>"
        )
    };
    let text = description(&import_of("types/shop.xsd"), "document", "literal");
    let mut asked = Vec::new();
    let mut load = |base: &str, location: &str| {
        asked.push(format!("{base} {location}"));
        // A document that imports itself.
        let unqualified = TYPES
            .replace("qualified", "unqualified")
            .replace("<xs:element name=\"Find\"", "<xs:include schemaLocation=\"shop.xsd\"/><xs:element name=\"Find\"");
        Ok((format!("/types/{}", location.rsplit('/').next().unwrap()), unqualified.into_bytes()))
    };
    let imported = wsdl::import(text.as_bytes(), "/shop.wsdl", &mut load, &Settings::default()).unwrap();
    assert_eq!(asked, ["/shop.wsdl types/shop.xsd", "/types/shop.xsd shop.xsd"]);
    let text = imported.tables[0].text();
    assert!(text.contains("using soap '1.2' element '{urn:shop}q:Find' order"), "{text}");
    let missing = import(&description(&import_of("gone.xsd"), "document", "literal")).unwrap();
    assert!(missing.remarks.iter().any(|remark| remark.to_string() == "gone.xsd: is not there"), "{:?}", missing.remarks);
}

#[test]
fn what_no_table_can_say_is_refused() {
    for (text, expected) in [
        (description(TYPES, "rpc", "literal"), "has the style `rpc`, expected `document`"),
        (description(TYPES, "document", "encoded"), "has `encoded` messages, expected `literal`"),
        ("<description xmlns='http://www.w3.org/ns/wsdl'/>".to_owned(), "WSDL 2.0"),
        ("<html/>".to_owned(), "the element `html`"),
        ("<a>".to_owned(), "line 1"),
        ("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>".to_owned(), "document type"),
        ("<definitions xmlns='http://schemas.xmlsoap.org/wsdl/'/>".to_owned(), "no service with a port"),
        ("\u{fffd}".to_owned(), ""),
    ] {
        let error = import(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(wsdl::import(b"\xff\xfe<", "a", &mut |_, _| Err(String::new()), &Settings::default()).is_err());
}

#[test]
fn types_that_hold_each_other_end() {
    let element = "<xs:element name=\"n\" type=\"t:Query\"/>".replace("name=\"n\"", "name=\"NAME\"");
    let many: String = (0..50).map(|n| element.replace("NAME", &format!("e{n}"))).collect();
    let types = TYPES.replace("<xs:choice>", &format!("<xs:choice>{many}"));
    let imported = import(&description(&types, "document", "literal")).unwrap();
    assert_eq!(imported.tables.len(), 2);
}
