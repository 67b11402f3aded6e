//! Patch modules as table directories of the original have them, at the published test's tables
//! (docs/spec/ql.md 16.1 to 16.3): a patch that both tables share, one that decodes Protobuf with a
//! package of `node_modules`, and the template of the request's body.

mod common;

use bytes::Bytes;
use common::{Tables, json, text};
use polywire_hooks::{Body, Content, Hook, HookErrorKind, Hooks, Record, Reply, Request};

/// Shared by both tables: the style of the time, with `var`, prototypes and a module of helpers.
const COMMON: &str = r#"
'use strict';

var _ = require('./lib/helpers'),
    FILTERS = ['FreeShippingOnly', 'MinPrice', 'BestOfferOnly', 'ListingType'];

exports['patch uri'] = function(args) {
    var uri = args.uri, params = args.params, i = 0;
    if(params.offset && params.limit) {
        uri.setParam('paginationInput.pageNumber', params.offset / params.limit);
    }
    uri.removeEmptyParams();
    _.each(FILTERS, function(name) {
        if(params[name]) {
            uri.addParam('itemFilter(' + i + ').name', name);
            uri.addParam('itemFilter(' + i + ').value', params[name]);
            i++;
        }
    });
    return uri;
};

exports['patch status'] = function(args) {
    var body = args.body && (args.body['soapenv:Envelope'] ? args.body['soapenv:Envelope']['soapenv:Body'] : args.body),
        reply = body && body.findItemsByKeywordsResponse;
    if(!reply || reply.ack === 'Failure' || reply.errorMessage) {
        args.log('warn', 'upstream said ' + (reply ? reply.ack : 'nothing'));
        return 400;
    }
    return 200;
};
"#;

const HELPERS: &str = r#"
exports.each = function(list, f) {
    for(var i = 0; i < list.length; i++) {
        f.call(null, list[i], i);
    }
};
"#;

/// The patch of the Protobuf table: the common one, and a decoder with a descriptor that is loaded
/// once.
const PROTOBUF: &str = r#"
var fs = require('fs'), wire = require('tinybuf'),
    loaded = 0, schema = load();

function load() {
    loaded++;
    return new wire.Schema(fs.readFileSync(__dirname + '/find.desc'));
}

var common = require('./common');
for(var name in common) {
    exports[name] = common[name];
}

exports['parse response'] = function(args) {
    var length = 0, at = 0, all;
    args.body.forEach(function(buffer) {
        length += buffer.length;
    });
    all = new Buffer(length);
    args.body.forEach(function(buffer) {
        buffer.copy(all, at);
        at += buffer.length;
    });
    var reply = { findItemsByKeywordsResponse: schema.parse(all, 'FindItemsByKeywordsResponse') };
    if(args.headers['x-structure']) {
        return { content: reply };
    }
    return { content: JSON.stringify(reply), type: 'application/json', loaded: loaded };
};
"#;

/// A package without native code, for messages of texts, numbers and messages. Its descriptor is a
/// text: `Message name=number kind;…` a line.
const TINYBUF: &str = r#"
var util = require('util'), events = require('events'), assert = require('assert');

function Schema(text) {
    events.EventEmitter.call(this);
    this.types = {};
    var self = this;
    text.toString('utf8').split(/\r?\n/).forEach(function(line) {
        var parts = /^(\w+)\s+(.*)$/.exec(line);
        if(!parts) return;
        self.types[parts[1]] = parts[2].split(';').reduce(function(fields, field) {
            var f = /^(\w+)=(\d+) (repeated )?(\w+)$/.exec(field.trim());
            if(f) fields[f[2]] = { name: f[1], many: !!f[3], kind: f[4] };
            return fields;
        }, {});
    });
}
util.inherits(Schema, events.EventEmitter);
exports.Schema = Schema;

Schema.prototype.parse = function(bytes, type) {
    var fields = this.types[type], at = 0, made = {};
    assert(fields, util.format('no message %s', type));
    function varint() {
        var value = 0, scale = 1, byte;
        do {
            if(at >= bytes.length) throw new RangeError('the message ends within a number, at byte ' + at);
            byte = bytes[at++];
            value += (byte & 127) * scale;
            scale *= 128;
        } while(byte & 128);
        return value;
    }
    while(at < bytes.length) {
        var key = varint(), field = fields[Math.floor(key / 8)], value;
        switch(key & 7) {
        case 0: value = varint(); if(field && field.kind === 'bool') value = !!value; break;
        case 2:
            var length = varint();
            value = bytes.slice(at, at + length);
            at += length;
            if(field) value = field.kind === 'string' ? value.toString() : this.parse(value, field.kind);
            break;
        case 5: value = bytes.readFloatLE(at); at += 4; break;
        default: throw new Error('wire type ' + (key & 7));
        }
        if(!field) continue;
        if(field.many) (made[field.name] = made[field.name] || []).push(value);
        else made[field.name] = value;
    }
    return made;
};
"#;

const DESCRIPTOR: &str = "FindItemsByKeywordsResponse ack=1 string; version=2 string; searchResult=4 SearchResult; paginationOutput=5 PaginationOutput\r\n\
    SearchResult item=1 repeated Item\r\nItem itemId=1 string; title=2 string; autoPay=10 bool; sellingStatus=15 SellingStatus\r\nSellingStatus currentPrice=1 float; bidCount=3 int32\r\nPaginationOutput pageNumber=1 int32\r\n";

const TEMPLATE: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<findItemsByKeywordsRequest xmlns="http://www.ebay.com/marketplace/search/v1/services">
<% if (params['affiliate.customId'] || params['affiliate.networkId']) { -%>
  <affiliate><% ['customId', 'geoTargeting', 'networkId', 'trackingId'].forEach(function(name) { if (params['affiliate.' + name]) { %><<%= name %>><%= params['affiliate.' + name] %></<%= name %>><% } }) %></affiliate>
<% } -%>
<% if (params.limit) { -%>
  <paginationInput>
    <entriesPerPage><%= params.limit %></entriesPerPage>
<% if (params['paginationInput.pageNumber']) { -%>
    <pageNumber><%= params['paginationInput.pageNumber'] %></pageNumber>
<% } -%>
  </paginationInput>
<% } -%>
  <keywords><%= params.keywords %></keywords>
</findItemsByKeywordsRequest>
"#;

fn tables() -> (Tables, Hooks) {
    let tables = Tables::new(&[
        ("ebay/finding/common.js", COMMON),
        ("ebay/finding/lib/helpers.js", HELPERS),
        ("ebay/finding/protobuf.js", PROTOBUF),
        ("ebay/finding/find.desc", DESCRIPTOR),
        ("ebay/finding/request.ejs", TEMPLATE),
        ("node_modules/tinybuf/package.json", r#"{ "name": "tinybuf", "version": "0.3.1", "main": "lib/tinybuf" }"#),
        ("node_modules/tinybuf/lib/tinybuf.js", TINYBUF),
    ]);
    let hooks = tables.hooks();
    (tables, hooks)
}

fn record(params: &str) -> Record {
    common::record(params)
}

fn reply(headers: &[(&str, &str)]) -> Reply {
    let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    Reply { uri: "http://localhost:6000/mock".into(), status: 200, headers }
}

/// A reply in Protobuf, by hand: two items.
fn message() -> Vec<u8> {
    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        let mut made = vec![number << 3 | 2, bytes.len() as u8];
        made.extend_from_slice(bytes);
        made
    }
    let status = |price: f32, bids: u8| [&[0x0d][..], &price.to_le_bytes(), &[0x18, bids]].concat();
    let item = |id: &str, title: &str, price, bids| {
        [field(1, id.as_bytes()), field(2, title.as_bytes()), vec![0x50, 1], field(15, &status(price, bids))].concat()
    };
    let items = [field(1, &item("110", "première €", 1.5, 0)), field(1, &item("111", "second", 600.25, 200 & 0x7f))].concat();
    [field(1, b"Success"), field(2, b"1.11"), field(4, &items), field(5, &[8, 1])].concat()
}

#[test]
fn patch_uri_of_both_tables() {
    let (_tables, hooks) = tables();
    let patch = hooks.patch("ebay/finding/common.js").wait().unwrap();
    let ask = |params: &str| {
        patch.patch_uri(record(params), "http://localhost:6000/mock.xml?keywords=x%20y&sortOrder=&r=1").wait().unwrap().value
    };
    assert_eq!(ask(r#"{"keywords":"x y","limit":5,"offset":0}"#), ["http://localhost:6000/mock.xml?keywords=x%20y&r=1"]);
    assert_eq!(
        ask(r#"{"limit":5,"offset":10,"MinPrice":"5","ListingType":"Auction"}"#),
        [
            "http://localhost:6000/mock.xml?keywords=x%20y&r=1&paginationInput.pageNumber=2&itemFilter(0).name=MinPrice&itemFilter(0).value=5&itemFilter(1).name=ListingType&itemFilter(1).value=Auction"
        ]
    );
}

#[test]
fn patch_status_of_both_tables() {
    let (_tables, hooks) = tables();
    for module in ["ebay/finding/common.js", "ebay/finding/protobuf.js"] {
        let patch = hooks.patch(module).wait().unwrap();
        let ask = |body: &str| patch.patch_status(record("{}"), reply(&[]), json(body)).wait().unwrap().value;
        assert_eq!(ask(r#"{"findItemsByKeywordsResponse":{"ack":"Success","searchResult":{"item":[]}}}"#), 200);
        assert_eq!(
            ask(r#"{"soapenv:Envelope":{"soapenv:Header":{},"soapenv:Body":{"findItemsByKeywordsResponse":{"ack":"Success"}}}}"#),
            200
        );
        assert_eq!(ask(r#"{"findItemsByKeywordsResponse":{"ack":"Failure"}}"#), 400);
        assert_eq!(ask(r#"{"findItemsByKeywordsResponse":{"ack":"Warning","errorMessage":{"error":{}}}}"#), 400);
        assert_eq!(ask("{}"), 400);
    }
}

#[test]
fn parse_response_decodes_with_a_package() {
    let (_tables, hooks) = tables();
    let patch = hooks.patch("ebay/finding/protobuf.js").wait().unwrap();
    assert!(patch.has(Hook::ParseResponse) && patch.has(Hook::PatchUri) && patch.has(Hook::PatchStatus));
    let wanted = r#"{"findItemsByKeywordsResponse":{"ack":"Success","version":"1.11","searchResult":{"item":[{"itemId":"110","title":"première €","autoPay":true,"sellingStatus":{"currentPrice":1.5,"bidCount":0}},{"itemId":"111","title":"second","autoPay":true,"sellingStatus":{"currentPrice":600.25,"bidCount":72}}]},"paginationOutput":{"pageNumber":1}}}"#;
    let bytes = Bytes::from(message());
    for cut in [0, 1, 40, bytes.len()] {
        let parts = || vec![bytes.slice(..cut), bytes.slice(cut..)];
        let body = patch.parse_response(record("{}"), reply(&[]), parts()).wait().unwrap().value.unwrap();
        assert_eq!(body, Body { content: Content::Text(wanted.into()), media_type: Some("application/json".into()) });
        // The structure itself, which needs not be printed and parsed again.
        let body = patch.parse_response(record("{}"), reply(&[("x-structure", "1")]), parts()).wait().unwrap().value.unwrap();
        let Content::Data(data) = body.content else { panic!("a structure") };
        assert_eq!(text(&data), wanted);
    }
    let error = patch.parse_response(record("{}"), reply(&[]), vec![bytes.slice(..1)]).wait().unwrap_err();
    assert_eq!((error.kind(), error.message()), (HookErrorKind::Thrown, "RangeError: the message ends within a number, at byte 1"));
    assert_eq!(error.place().unwrap().file, "node_modules/tinybuf/lib/tinybuf.js");
}

#[test]
fn the_body_of_the_request() {
    let (_tables, hooks) = tables();
    let ask =
        |params: &str| hooks.template("ebay/finding/request.ejs", "application/xml", record(params), Request::default).wait().unwrap();
    assert_eq!(
        ask(r#"{"keywords":"cats & <dogs>","limit":5,"paginationInput.pageNumber":2,"affiliate.networkId":9,"affiliate.customId":"c"}"#),
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<findItemsByKeywordsRequest xmlns=\"http://www.ebay.com/marketplace/search/v1/services\">\n  \
         <affiliate><customId>c</customId><networkId>9</networkId></affiliate>\n  <paginationInput>\n    <entriesPerPage>5</entriesPerPage>\n    \
         <pageNumber>2</pageNumber>\n  </paginationInput>\n  <keywords>cats &amp; &lt;dogs&gt;</keywords>\n</findItemsByKeywordsRequest>\n"
    );
    assert!(ask(r#"{"keywords":"x"}"#).ends_with("services\">\n  <keywords>x</keywords>\n</findItemsByKeywordsRequest>\n"));
}
