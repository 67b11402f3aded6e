//! Bodies of replies and requests, and answers.

use std::path::PathBuf;

use bytes::Bytes;
use polywire_core::Limits;
use polywire_core::format::Dialect;
use polywire_core::value::Value;
use polywire_core::walk::Path;
use polywire_doc::{Datum, Place, Reads, Ref, Shape, View, Wanted};
use polywire_formats::registry;
use polywire_gateway::decode::{Decoder, Offer, Undecodable, infer, offers, request_body};
use polywire_testing::{self as testing, Rng};

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn decoded(body: &[u8], content_type: Option<&str>) -> Result<String, Undecodable> {
    let decoder = Decoder::by_media_type();
    let decoded = decoder.decode(&Bytes::copy_from_slice(body), content_type, &Wanted::everything())?;
    Ok(String::from_utf8(decoded.value.to_json()).unwrap())
}

#[test]
fn the_media_type_decides() {
    for (body, content_type, expected) in [
        (&br#"{"a":1}"#[..], None, r#"{"a":1}"#),
        (br#"{"a":1}"#, Some("JSON"), r#"{"a":1}"#),
        (br#"{"a":1,"b":2,"a":3}"#, Some("application/vnd.api+json"), r#"{"a":3,"b":2}"#),
        (b"\xef\xbb\xbf[18446744073709551616]", Some("application/json"), "[18446744073709551616]"),
        (b"<a>1</a>", Some("XML"), r#"{"a":1}"#),
        (b"<a>1</a>", Some("text/xml;charset=UTF-8"), r#"{"a":1}"#),
        (b"<a>caf\xe9</a>", Some("application/rss+xml; charset=ISO-8859-1"), r#"{"a":"café"}"#),
        (b"<?xml version='1.0' encoding='ISO-8859-1'?><a>caf\xe9</a>", Some("application/xml"), r#"{"a":"café"}"#),
        (b"<?xml version='1.0' encoding='UTF-16'?><a>caf\xe9</a>", Some("application/xml; charset=latin1"), r#"{"a":"café"}"#),
        (b"a,b\n1,2\n", Some("text/csv"), r#"[["a","b"],["1","2"]]"#),
        (b"a,b\n1,2\n", Some("text/csv; header=present"), r#"[{"a":"1","b":"2"}]"#),
        (b"a,b\n1,2\n", Some("text/csv;header"), r#"[{"a":"1","b":"2"}]"#),
        (b"{}", Some("text/plain"), "{}"),
        (b"<a>1</a>", Some("text/html"), r#"{"a":1}"#),
        (b"\xa1\x61a\x18\x64", Some("application/cbor"), r#"{"a":100}"#),
        (b"{\"a\":1}\n{\"a\":2}\n", Some("application/x-ndjson"), r#"[{"a":1},{"a":2}]"#),
        (b"a: 1\nb: [x]\n", Some("application/yaml"), r#"{"a":1,"b":["x"]}"#),
        (b"", None, "{}"),
        (b" \r\n\t", Some("application/xml"), "{}"),
        (b"", Some("image/png"), "{}"),
    ] {
        let found = decoded(body, content_type).unwrap_or_else(|error| panic!("{content_type:?}: {error}"));
        assert_eq!(found, expected, "{content_type:?}");
    }
}

#[test]
fn floats_keep_digits_beyond_the_shortest() {
    let json = br#"{"a":-65.613616999999977,"b":[0.1,100,43.420273000000009,1e400],"c":{"d":4.3420273000000009e1}}"#;
    let decode = |wanted: &Wanted| Decoder::by_media_type().decode(&bytes(std::str::from_utf8(json).unwrap()), None, wanted).unwrap().value;
    let value = decode(&Wanted::everything());
    assert_eq!(String::from_utf8(value.to_json()).unwrap(), String::from_utf8_lossy(json));
    assert_eq!(decoded(b"a: 1.50\nb: [43.420273000000009]\n", Some("application/yaml")).unwrap(), r#"{"a":1.5,"b":[43.420273000000009]}"#);
    // A number that is selected, one by itself, and one that goes through a writer.
    assert_eq!(decode(&Wanted::paths([["c", "d"]])).to_json(), br#"{"c":{"d":4.3420273000000009e1}}"#);
    let member = |datum: &Datum, name: &str| datum.view().get(name).map(|member| member.to_datum()).unwrap();
    assert_eq!(member(&value, "a").to_json(), b"-65.613616999999977");
    assert_eq!(Datum::list([member(&value, "a"), Datum::F64(2.0)]).to_json(), b"[-65.613616999999977,2]");
    let mut writer = registry::find("json").unwrap().writer.unwrap()();
    let mut out = Vec::new();
    value.emit(&mut *writer).and_then(|()| writer.finish(&mut out)).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), String::from_utf8_lossy(json));
    // The digits are no part of the value.
    assert_eq!(member(&value, "a"), Datum::F64(-65.613_616_999_999_98));
    assert_eq!(Value::from(&member(&value, "a")), Value::F64(-65.613_616_999_999_98));
}

#[test]
fn what_cannot_be_read_is_told_with_its_source() {
    let unknown = decoded(b"\x89PNG", Some("image/png; q=1")).unwrap_err();
    assert!(matches!(&unknown, Undecodable::UnknownType { kind, subtype, .. } if kind == "image" && subtype == "png"));
    assert!(unknown.to_string().contains("No transformer available"));
    assert!(matches!(decoded(b"x", Some("application/octet-stream")), Err(Undecodable::UnknownType { .. })));
    for (body, content_type, what) in [
        (&b"{\"a\":"[..], "application/json", "at byte 5"),
        (b"{\"a\":[1,x]}", "application/json", "at byte 8, in a"),
        (b"<a><b></a>", "application/xml", "`</b>`"),
        (b"neither", "text/plain", "expected"),
        (b"{}", "application/json; charset=klingon", "klingon"),
        (b"\"\xff\"", "application/json", "UTF-8"),
    ] {
        let error = decoded(body, Some(content_type)).unwrap_err();
        assert!(matches!(error, Undecodable::Wrong { .. }) && error.to_string().contains(what), "{error}");
        assert_eq!(error.source_text(), String::from_utf8_lossy(body));
    }
}

#[test]
fn skipped_bytes_are_counted() {
    let text = format!(r#"{{"junk":"{}","rows":[{{"a":1,"b":[1,2,3]}},{{"a":2}}]}}"#, "x".repeat(1000));
    let wanted = Wanted::paths([["rows", "a"]]);
    let decoded = Decoder::by_media_type().decode(&bytes(&text), None, &wanted).unwrap();
    assert_eq!(String::from_utf8(decoded.value.to_json()).unwrap(), r#"{"rows":[{"a":1},{"a":2}]}"#);
    assert!((1000..1000 + 40).contains(&decoded.skipped), "{}", decoded.skipped);
}

#[test]
fn a_table_declares_convention_and_shape() {
    let mut shape = Shape::default();
    shape.list(&Path::parse("r.i").unwrap());
    shape.reads(&Path::parse("r.i.id").unwrap(), Reads::Text);
    let decoder = Decoder::by_media_type().shape(shape);
    let json = |decoder: &Decoder, body: &str, content_type: &str| {
        let decoded = decoder.decode(&bytes(body), Some(content_type), &Wanted::everything()).unwrap();
        String::from_utf8(decoded.value.to_json()).unwrap()
    };
    assert_eq!(json(&decoder, "<r><i><id>007</id></i></r>", "XML"), r#"{"r":{"i":[{"id":"007"}]}}"#);
    assert_eq!(json(&decoder, r#"{"r":{"i":{"id":7}}}"#, "JSON"), r#"{"r":{"i":[{"id":7}]}}"#);
    let badgerfish = Decoder::by_media_type().convention("badgerfish").unwrap();
    assert_eq!(json(&badgerfish, "<r>1</r>", "XML"), r#"{"r":{"$":"1"}}"#);
    assert_eq!(json(&badgerfish, "a\n1\n", "text/csv"), r#"[["a"],["1"]]"#);
    assert!(Decoder::by_media_type().convention("nonsense").is_err());
}

/// A folder for the files of one test.
fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn items(folder: &str) -> Dialect {
    let path = scratch(folder).join("items.proto");
    std::fs::write(
        &path,
        "syntax = \"proto2\"; message Items { repeated Item item = 1; optional string note = 2; }
         message Item { optional string title = 1; optional float price = 2; optional uint64 id = 3; optional Inner inner = 4; }
         message Inner { optional string text = 1; }",
    )
    .unwrap();
    Dialect::with_schema(registry::find("protobuf").unwrap(), &path, Some("Items"), &[]).unwrap()
}

fn some_items() -> Value {
    let item = |n: u64| {
        let inner = Value::record([("text", Value::text("not wanted".repeat(5)))]);
        Value::record([
            ("title", Value::text(format!("title {n}"))),
            ("price", Value::F32(599.99)),
            ("id", Value::UInt(9_007_199_254_740_993 + n)),
            ("inner", inner),
        ])
    };
    Value::record([("item", Value::List((0..2).map(item).collect())), ("note", Value::text("n"))])
}

#[test]
fn a_decoder_with_a_schema_reads_only_the_columns() {
    let dialect = items("columns");
    let mut writer = dialect.writer().unwrap();
    some_items().emit(&mut *writer).unwrap();
    let mut body = Vec::new();
    writer.finish(&mut body).unwrap();
    let body = Bytes::from(body);
    let decoder = Decoder::by_media_type().dialect(dialect);
    // A charset on a binary body means nothing.
    let content_type = Some("application/octet-stream; charset=UTF-16");
    let whole = decoder.decode(&body, content_type, &Wanted::everything()).unwrap();
    assert_eq!(whole.value, Datum::from(&some_items()));
    assert_eq!(whole.skipped, 0);
    let wanted = Wanted::paths([["item", "price"], ["item", "id"]]);
    let part = decoder.decode(&body, content_type, &wanted).unwrap();
    let expected = r#"{"item":[{"price":599.99,"id":9007199254740993},{"price":599.99,"id":9007199254740994}]}"#;
    assert_eq!(String::from_utf8(part.value.to_json()).unwrap(), expected);
    assert!(part.skipped > 100, "{}", part.skipped);
    assert!(matches!(decoder.decode(&body.slice(..body.len() - 1), None, &wanted), Err(Undecodable::Wrong { .. })));
}

#[test]
fn answers_are_in_what_the_caller_accepts() {
    let bound = items("answers");
    let all = offers(std::slice::from_ref(&bound));
    let value = Datum::from(&some_items());
    let json = Offer::wanted(&all, None).unwrap();
    assert_eq!(json.media_type, "application/json");
    let answer = json.write(&value).unwrap();
    assert_eq!((answer.content_type.as_str(), answer.bytes, answer.losses.len()), ("application/json", value.to_json(), 0));
    assert!(Offer::wanted(&all, Some("image/png, application/json;q=0")).is_none());
    for accept in [
        "application/xml",
        "text/xml",
        "application/msgpack",
        "application/cbor",
        "application/bson",
        "application/psyc",
        "application/yaml",
    ] {
        let offer = Offer::wanted(&all, Some(&format!("{accept}, */*;q=0.1"))).unwrap();
        assert_eq!(offer.media_type, accept);
        let answer = offer.write(&value).unwrap_or_else(|error| panic!("{accept}: {error}"));
        assert_eq!(answer.content_type, if accept == "text/xml" { "text/xml; charset=utf-8" } else { accept });
        let format = registry::by_media_type(accept).unwrap();
        let back = testing::value_of(format, &answer.bytes).unwrap_or_else(|error| panic!("{accept}: {error}"));
        if answer.losses.is_empty() {
            assert_eq!(Datum::from(&back), value, "{accept}");
        }
    }
    let protobuf = Offer::wanted(&all, Some("application/protobuf, application/x-protobuf")).unwrap();
    let answer = protobuf.write(&value).unwrap();
    assert!(answer.losses.is_empty(), "{:?}", answer.losses);
    let back = Decoder::by_media_type().dialect(bound).decode(&Bytes::from(answer.bytes), None, &Wanted::everything()).unwrap();
    assert_eq!(back.value, value);
}

#[test]
fn losses_of_answers_are_told() {
    let all = offers(&[]);
    let value = Datum::object([("at", Datum::Bytes(vec![1, 2].into())), ("f", Datum::F32(0.5))]);
    let yaml = Offer::wanted(&all, Some("application/x-bencode")).unwrap();
    let answer = yaml.write(&value).unwrap();
    assert!(!answer.losses.is_empty());
}

#[test]
fn request_bodies_are_understood() {
    let read = |body: &str, content_type: Option<&str>| request_body(&bytes(body), content_type, &Limits::DEFAULT);
    let json = |body: &str, content_type: &str| String::from_utf8(read(body, Some(content_type)).unwrap().to_json()).unwrap();
    assert_eq!(json("a=1&b=x+y%21&a=2&c", "application/x-www-form-urlencoded"), r#"{"a":["1","2"],"b":"x y!","c":""}"#);
    assert_eq!(json("<a><b>1</b></a>", "application/xml"), r#"{"a":{"b":1}}"#);
    assert_eq!(json(r#"{"a":[1]}"#, "application/json"), r#"{"a":[1]}"#);
    assert_eq!(read("x", Some("image/png")).unwrap(), Datum::Bytes(b"x"[..].into()));
    assert_eq!(read("{}", None).unwrap().to_json(), b"{}");
    assert!(read("<a>", Some("text/xml")).is_err());
    let many = (0..20_000).map(|n| format!("k{n}={n}")).collect::<Vec<_>>().join("&");
    assert_eq!(read(&many, Some("application/x-www-form-urlencoded")).unwrap().view().len(), 20_000);
}

#[test]
fn a_recorded_reply_tells_what_to_declare() {
    let body = "<e xmlns='u'><h><n>3</n></h><list total='2'><row k='1'><id>0123</id><price c='USD'>9.5</price><tag>a</tag><tag>b</tag><size>10</size><mixed>1</mixed></row>\
                <row k='2'><id>4</id><price c='EUR'>4</price><tag>c</tag><size>11</size><mixed>one</mixed></row></list></e>";
    let draft = infer([(&bytes(body), Some("text/xml"))]).unwrap();
    let shown = |paths: Vec<Path>| paths.iter().map(Path::to_string).collect::<Vec<_>>();
    assert_eq!(draft.result_set.as_ref().map(Path::to_string).as_deref(), Some("e.list.row"));
    assert_eq!(shown(draft.shape.lists()), ["e.list.row", "e.list.row.tag"]);
    assert_eq!(
        shown(draft.shape.read_as(Reads::Number)),
        ["e.h.n", "e.list.total", "e.list.row.k", "e.list.row.size", "e.list.row.price.$t"]
    );
    assert_eq!(shown(draft.shape.read_as(Reads::Text)), ["e.list.row.id", "e.list.row.mixed"]);

    // With what it declares, one row has the shape of two.
    let decoder = Decoder::by_media_type().shape(draft.shape);
    let one = "<e><list total='1'><row k='1'><id>5</id><tag>a</tag><mixed>1</mixed></row></list></e>";
    let decoded = decoder.decode(&bytes(one), Some("text/xml"), &Wanted::everything()).unwrap();
    assert_eq!(
        String::from_utf8(decoded.value.to_json()).unwrap(),
        r#"{"e":{"list":{"total":1,"row":[{"k":1,"id":"5","tag":["a"],"mixed":"1"}]}}}"#
    );

    let draft = infer([(&bytes(r#"{"a":{"rows":[{"x":1},{"x":2}]},"b":[{}]}"#), None)]).unwrap();
    assert_eq!(draft.result_set.map(|path| path.to_string()).as_deref(), Some("a.rows"));
    let draft = infer([(&bytes(r#"[{"x":1}]"#), None)]).unwrap();
    assert_eq!(draft.result_set, None);
    assert!(infer([(&bytes("<a>"), Some("XML"))]).is_err());
}

#[test]
fn several_replies_tell_more() {
    let (one, two) =
        (bytes("<r><hit><id>1</id><code>7</code></hit></r>"), bytes("<r><hit><id>1</id></hit><hit><id>2</id><code>07</code></hit></r>"));
    let shown = |paths: Vec<Path>| paths.iter().map(Path::to_string).collect::<Vec<_>>();
    let alone = infer([(&one, Some("text/xml"))]).unwrap();
    assert_eq!((alone.result_set, shown(alone.shape.lists())), (None, vec![]));
    let both = infer([(&one, Some("text/xml")), (&two, Some("text/xml"))]).unwrap();
    assert_eq!(both.result_set.map(|path| path.to_string()).as_deref(), Some("r.hit"));
    assert_eq!(shown(both.shape.lists()), ["r.hit"]);
    assert_eq!(shown(both.shape.read_as(Reads::Text)), ["r.hit.code"]);
}

#[test]
fn one_element_is_known_by_its_parent() {
    for (body, list) in [
        ("<r><items><item><id>1</id></item></items></r>", Some("r.items.item")),
        ("<r xmlns:p='u'><p:Categories><p:Category><id>1</id></p:Category></p:Categories></r>", Some("r.p:Categories.p:Category")),
        ("<r><ItemArray><Item><id>1</id></Item></ItemArray></r>", Some("r.ItemArray.Item")),
        ("<r><boxes><box><id>1</id></box></boxes></r>", Some("r.boxes.box")),
        ("<r><address><add>1</add></address></r>", None),
        ("<r><price><currency>EUR</currency></price></r>", None),
    ] {
        let draft = infer([(&bytes(body), Some("text/xml"))]).unwrap();
        assert_eq!(draft.result_set.map(|path| path.to_string()).as_deref(), list, "{body}");
    }
    let json = infer([(&bytes(r#"{"items":{"item":{"id":1}}}"#), None)]).unwrap();
    assert_eq!((json.result_set, json.shape.lists().len()), (None, 0));
}

#[test]
fn random_bodies_do_no_harm() {
    let mut rng = Rng::with_seed(21);
    let seeds: [(&[u8], &str); 6] = [
        (br#"{"a":[1,{"b":"c\u0041"}],"n":1.5e3}"#, "application/json"),
        (b"<a x='1'><b>&amp;</b><b/><c><![CDATA[x]]></c></a>", "text/xml"),
        (b"a,b\n\"1\",2\n", "text/csv; header=present"),
        (b"\x82\xa1a\x93\x01\x02\xc0", "application/msgpack"),
        (b"\xa2\x61a\x01\x61b\x82\x02\x03", "application/cbor"),
        (b"{\"a\":1}\n[2]\n", "application/x-ndjson"),
    ];
    let all = offers(&[]);
    for _ in 0..4000 {
        let (seed, content_type) = seeds[rng.usize(..seeds.len())];
        let body = Bytes::from(testing::mutate(&mut rng, seed));
        for wanted in [Wanted::everything(), Wanted::paths([["a", "b"]])] {
            let Ok(decoded) = Decoder::by_media_type().decode(&body, Some(content_type), &wanted) else { continue };
            assert!(decoded.skipped <= body.len() as u64);
            // A decoded value can be answered in any format, or an error says why not.
            let offer = &all[rng.usize(..all.len())];
            let _ = offer.write(&decoded.value).map_err(|error| assert!(!error.to_string().is_empty()));
        }
    }
}

/// A partly decoded value is the whole one without the unwanted members: hooks rely on it.
#[test]
fn a_part_is_the_whole_without_what_is_not_wanted() {
    let mut rng = Rng::with_seed(81);
    let mut judged = 0;
    let mut judge = |decoder: &Decoder, body: &Bytes, media_type: &str, rng: &mut Rng| {
        let Ok(whole) = decoder.decode(body, Some(media_type), &Wanted::everything()) else { return };
        for _ in 0..4 {
            let mut wanted = Wanted::nothing();
            for _ in 0..rng.usize(0..4) {
                let path = random_path(whole.value.view(), rng);
                let path = path.iter().map(String::as_str);
                match rng.bool() {
                    true => wanted.add(path),
                    false => wanted.reach(path),
                }
            }
            let part = decoder.decode(body, Some(media_type), &wanted).unwrap();
            assert_part(part.value.view(), whole.value.view(), &wanted, wanted.root(), media_type);
            judged += 1;
        }
    };
    for format in registry::FORMATS {
        let Some(media_type) = format.media_types.first().filter(|_| format.writer.is_some()) else { continue };
        for _ in 0..60 {
            let shape = if rng.bool() { testing::Shape::PLAIN } else { testing::Shape::ANY };
            let value = Value::record([("a", testing::value(&mut rng, shape)), ("b", testing::value(&mut rng, shape))]);
            if let Ok(bytes) = testing::write(format, &value) {
                judge(&Decoder::by_media_type(), &Bytes::from(bytes), media_type, &mut rng);
            }
        }
    }
    const XML: &str = "application/xml";
    let conventions = registry::conventions(registry::by_media_type(XML).unwrap()).unwrap();
    for _ in 0..300 {
        let mut text = String::new();
        random_element(&mut rng, 0, &mut text);
        for convention in conventions.list() {
            judge(&Decoder::by_media_type().convention(convention.name).unwrap(), &bytes(&text), XML, &mut rng);
        }
    }
    assert!(judged > 2000, "{judged}");
}

fn random_path(value: Ref<'_>, rng: &mut Rng) -> Vec<String> {
    let (mut path, mut value) = (Vec::new(), value);
    while rng.u8(0..6) > 0 {
        value = match value.view() {
            View::List(items) if items.len() > 0 => items.clone().nth(rng.usize(0..items.len())).unwrap(),
            View::Object(members) if members.len() > 0 => {
                let (name, member) = members.clone().nth(rng.usize(0..members.len())).unwrap();
                path.push(name.to_owned());
                member
            }
            _ => break,
        };
    }
    path
}

fn assert_part(part: Ref<'_>, whole: Ref<'_>, wanted: &Wanted, place: Place, media_type: &str) {
    let told = || format!("{media_type}, {wanted:?}: {part:?} of {whole:?}");
    match (part.view(), whole.view()) {
        (View::Object(members), View::Object(_)) => {
            for (name, member) in members {
                let other = whole.get(name).unwrap_or_else(|| panic!("{name} in {}", told()));
                match wanted.member(place, name) {
                    Some(place) => assert_part(member, other, wanted, place, media_type),
                    None => assert_eq!(member.kind(), other.kind(), "{}", told()),
                }
            }
            let missing = whole.members().find(|(name, _)| wanted.member(place, name).is_some() && part.get(name).is_none());
            assert!(missing.is_none(), "{missing:?} in {}", told());
        }
        (View::List(items), View::List(others)) => {
            assert_eq!(items.len(), others.len(), "{}", told());
            items.zip(others).for_each(|(item, other)| assert_part(item, other, wanted, place, media_type));
        }
        _ => assert_eq!(part.to_datum(), whole.to_datum(), "{}", told()),
    }
}

fn random_element(rng: &mut Rng, depth: u32, out: &mut String) {
    let name = ["a", "b", "c", "d"][rng.usize(0..4)];
    out.push_str(&format!("<{name}"));
    for attribute in ["x", "y", "xmlns:z"] {
        if rng.u8(0..5) == 0 {
            out.push_str(&format!(" {attribute}='{}'", rng.u8(..)));
        }
    }
    out.push('>');
    for _ in 0..rng.usize(0..5) {
        match rng.u8(0..4) {
            0 => out.push_str(" text "),
            1 => out.push_str("<![CDATA[12]]>"),
            _ if depth < 4 => random_element(rng, depth + 1, out),
            _ => out.push('7'),
        }
    }
    out.push_str(&format!("</{name}>"));
}
