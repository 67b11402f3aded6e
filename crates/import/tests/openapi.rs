//! Tables of OpenAPI descriptions.

use polywire_import::{Imported, Settings, openapi};

fn import(text: &str, name: &str) -> Imported {
    openapi::import(text.as_bytes(), name, &Settings::default()).unwrap()
}

fn texts(imported: &Imported) -> Vec<String> {
    imported.tables.iter().map(polywire_import::Table::text).collect()
}

const V3: &str = r##"
openapi: 3.1.0
info: { title: The Shop }
servers: [{ url: "https://{region}.shop.example/v1/", variables: { region: { default: eu } } }]
security: [{ token: [] }]
paths:
  /items:
    get:
      operationId: findItems
      summary: Finds items.
      parameters:
        - { name: q, in: query, required: true, description: Words to find, schema: { type: string } }
        - { $ref: "#/components/parameters/per~1page" }
        - { name: color, in: query, schema: { type: array, items: { type: string, enum: [red, blue] } } }
        - { name: size, in: query, explode: false, schema: { type: array, items: { type: integer } } }
        - { name: near, in: query, style: deepObject, schema: { type: object } }
        - { name: X-Trace, in: header, schema: { type: string } }
        - { name: X-Shop, in: header, required: true, schema: { type: string } }
      responses:
        "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Item" } } } } }
    post:
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } }
    head: {}
  /items/{id}/photos/{no}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { security: [] }
    put:
      security: [{ key: [] }]
      requestBody: { content: { application/json: { schema: { type: object, properties: { id: { type: string }, alt: { type: string } } } } } }
    patch: { requestBody: { content: { text/plain: {} } } }
    delete: { deprecated: true, requestBody: { content: { application/json: {} } } }
  /orders:
    post:
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: { type: object, required: [item], properties: { item: { type: string }, note-text: { type: string }, tag: { type: array, items: {} } } }
components:
  parameters: { "per/page": { name: per-page, in: query, schema: { type: integer, minimum: 1, maximum: 100, default: 20 } } }
  securitySchemes:
    token: { type: http, scheme: bearer }
    key: { type: apiKey, in: query, name: api-key }
  schemas:
    Item:
      allOf:
        - { type: object, required: [title], properties: { title: { type: string, description: Name of it }, a.b: { type: string } } }
        - { properties: { id: { type: integer, readOnly: true }, again: { $ref: "#/components/schemas/Item" } } }
"##;

#[test]
fn operations_of_a_path_are_the_verbs_of_a_table() {
    let imported = import(V3, "shop.yaml");
    let texts = texts(&imported);
    assert_eq!((imported.operations, imported.made, texts.len()), (8, 7, 4), "{:#?}", imported.remarks);
    let expected = "\
-- **select**: `GET /items` (`findItems`): Finds items.
--
-- - `q`: string, required. Words to find
-- - `per_page`: integer, 1 to 100, by default `20` (query `per-page`)
-- - `color`: list of string, one of `red`, `blue`
-- - `size`: list of integer
-- - `X_Shop`: string, required (header `X-Shop`)
--
-- Returns list of Item: `title` string, `a.b` string, `again` Item.
--
-- **insert**: `POST /items`
--
-- - `title`: string, required. Name of it
-- - `again`: Item
create table items
  on select get from 'https://eu.shop.example/v1/items?q={^q}&per-page={?per_page}&color={?*color}&size={?|size}'
    using headers 'X-Shop' = '{X_Shop}',
                  'Authorization' = 'Bearer {config.the_shop.token}'
  on insert post to 'https://eu.shop.example/v1/items'
    using headers 'Authorization' = 'Bearer {config.the_shop.token}'
    using encoder 'json';
";
    assert_eq!(texts[0], expected);
    for line in [
        "create table items.photos.no",
        "  on select get from 'https://eu.shop.example/v1/items/{^id}/photos/{^no}'",
        "  on update put to 'https://eu.shop.example/v1/items/{^path_id}/photos/{^no}?api-key={config.the_shop.key}'",
        "-- - `path_id`: integer, required (path `id`)",
        "-- **delete**: `DELETE /items/{id}/photos/{no}` Deprecated.",
    ] {
        assert!(texts[1].lines().any(|known| known == line), "{line}\n{}", texts[1]);
    }
    assert!(texts[2].contains("create table items.photos.no.patch\n  on update patch '"), "{}", texts[2]);
    assert!(texts[3].contains("using bodyTemplate 'orders.insert.form' type 'application/x-www-form-urlencoded'"), "{}", texts[3]);
    assert_eq!(imported.files, [("orders.insert.form".to_owned(), b"item={^item}&note-text={?note_text}&tag={?*tag}".to_vec())]);
    let remarks: Vec<String> = imported.remarks.iter().map(ToString::to_string).collect();
    for remark in [
        "servers[0].variables.region: has its default `eu`",
        "paths./items.get.parameters.near: is an object by `deepObject`: it is left out",
        "paths./items.get.parameters.X-Trace: is an optional header, which would be sent empty: it is left out",
        "paths./items.post.requestBody: `a.b` has a dot, which leads into an object: a request cannot send it",
        "paths./items.head: HEAD is no verb of a table",
        "paths./items/{id}/photos/{no}.patch.requestBody: the body, of type text/plain, is no object: give it as the only value, `insert into … values (…)`",
        "paths./items/{id}/photos/{no}.delete: DELETE has no body: it is left out",
    ] {
        assert!(remarks.iter().any(|known| known == remark), "{remark}\n{remarks:#?}");
    }
    assert_eq!(remarks.len(), 7, "{remarks:#?}");
    assert_eq!(imported.needs.len(), 2, "{:?}", imported.needs);
}

#[test]
fn swagger_has_bodies_and_forms_among_its_parameters() {
    let text = r##"{"swagger": "2.0", "info": {"title": "Shop"}, "host": "shop.example", "basePath": "/v2", "schemes": ["http", "https"],
        "consumes": ["application/json"], "securityDefinitions": {"basic": {"type": "basic"}}, "security": [{"basic": []}],
        "paths": {"/items/{id}": {
            "post": {"parameters": [{"name": "id", "in": "path", "type": "string"},
                {"name": "body", "in": "body", "schema": {"$ref": "#/definitions/Item"}},
                {"name": "tags", "in": "query", "type": "array", "items": {"type": "string"}},
                {"name": "sort", "in": "query", "type": "array", "collectionFormat": "multi", "items": {"type": "string"}}]},
            "put": {"consumes": ["application/x-www-form-urlencoded"], "parameters": [{"name": "id", "in": "path", "type": "string"},
                {"name": "left", "in": "formData", "type": "integer", "required": true}]}}},
        "definitions": {"Item": {"type": "object", "properties": {"title": {"type": "string"}}}}}"##;
    let imported = import(text, "http://127.0.0.1/description");
    let expected = "\
create table items.id
  on insert post to 'https://shop.example/v2/items/{^id}?tags={?|tags}&sort={?*sort}'
    using headers 'Authorization' = 'Basic {config.shop.basic}'
    using encoder 'json'
  on update put to 'https://shop.example/v2/items/{^id}'
    using headers 'Authorization' = 'Basic {config.shop.basic}'
    using bodyTemplate 'items.id.update.form' type 'application/x-www-form-urlencoded';
";
    let text = &texts(&imported)[0];
    assert!(text.ends_with(expected), "{text}");
    assert_eq!(imported.files[0].1, b"left={^left}");
    assert!(imported.remarks.is_empty(), "{:?}", imported.remarks);
}

#[test]
fn the_address_comes_from_the_user_the_description_or_the_configuration() {
    let uri = |servers: &str, name: &str, server: Option<&str>| {
        let text =
            format!("{{\"openapi\": \"3.0.3\", \"info\": {{\"title\": \"It's\"}}, {servers} \"paths\": {{\"/a\": {{\"get\": {{}}}}}}}}");
        let settings = Settings { server: server.map(str::to_owned), ..Settings::default() };
        openapi::import(text.as_bytes(), name, &settings).unwrap().tables[0].actions[0].uri.clone()
    };
    let absolute = "\"servers\": [{\"url\": \"https://user:pw@h.example/v1\"}],";
    let relative = "\"servers\": [{\"url\": \"../v2\"}],";
    assert_eq!(uri(absolute, "a.json", None), "https://h.example/v1/a");
    assert_eq!(uri(absolute, "a.json", Some("http://localhost:81/")), "http://localhost:81/a");
    assert_eq!(uri(relative, "https://h.example/docs/a.json", None), "https://h.example/v2/a");
    assert_eq!(uri(relative, "a.json", None), "{config.it_s.server}/a");
    assert_eq!(uri("\"servers\": [{\"url\": \"file:///etc\"}],", "a.json", None), "{config.it_s.server}/a");
    assert_eq!(uri("", "a.json", None), "{config.it_s.server}/a");
}

#[test]
fn what_is_no_description_is_refused() {
    for (text, expected) in [
        ("{}", "without `openapi` or `swagger`"),
        ("openapi: 4.0.0\npaths: {}", "version 4.0.0 of OpenAPI"),
        ("swagger: \"1.2\"\npaths: {}", "version 1.2 of OpenAPI"),
        ("openapi: 3.0.0", "without `paths`"),
        ("{\"openapi\": \"3.0.0\", ", "at byte"),
        ("", "exactly one message"),
        ("openapi: 3.0.0\npaths: {}\n---\nopenapi: 3.0.0\n", "a second message"),
    ] {
        let error = openapi::import(text.as_bytes(), "a", &Settings::default()).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn hostile_descriptions_end_soon_and_stay_inside() {
    let circle = r##"{"openapi": "3.0.0", "paths": {"/a": {"$ref": "#/paths/~1a"}, "/b": {"get": {"parameters": [{"$ref": "#/x"}, {"$ref": "http://h/x"}]}}}, "x": {"$ref": "#/y"}, "y": {"$ref": "#/x"}}"##;
    let imported = import(circle, "a.json");
    assert_eq!((imported.tables.len(), imported.remarks.len()), (1, 3), "{:?}", imported.remarks);
    // Parts that name each other: five to the power of eight without a bound.
    let part = "{\"$ref\": \"#/s\"}";
    let parts = [part; 5].join(", ");
    let deep = format!(
        "{{\"openapi\": \"3.0.0\", \"paths\": {{\"/a\": {{\"post\": {{\"requestBody\": {{\"content\": {{\"application/json\": {{\"schema\": {part}}}}}}}}}}}}}, \
         \"s\": {{\"allOf\": [{parts}], \"oneOf\": [{parts}], \"items\": {part}}}}}"
    );
    assert_eq!(import(&deep, "a.json").tables.len(), 1);
    let names = r##"{"openapi": "3.0.0", "info": {"title": "../../x"}, "servers": [{"url": "https://h.example"}], "paths": {
        "/../../etc/passwd": {"post": {"requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": {"a": {}}}}}}}},
        "/con": {"get": {}}, "/CON": {"get": {}}, "/a'b;--\ncreate table x": {"get": {"summary": "x\ncreate table y on select get from 'http://evil/'"}},
        "/{a}/{^b}/{": {"get": {}}, "/\u0000": {"get": {}}}}"##;
    let imported = import(names, "a.json");
    for table in &imported.tables {
        assert!(table.name.chars().all(|letter| letter.is_ascii_alphanumeric() || "._".contains(letter)), "{}", table.name);
        let text = table.text();
        assert!(!text.contains("http://evil") || text.lines().all(|line| line.starts_with("--") || !line.contains("evil")), "{text}");
    }
    let mut files: Vec<String> = imported.tables.iter().map(|table| polywire_import::names::file(&table.name)).collect();
    files.extend(imported.files.iter().map(|(name, _)| name.clone()));
    assert!(files.iter().all(|name| !name.contains(['/', '\\']) && !name.starts_with('.')), "{files:?}");
    let unique: std::collections::HashSet<String> = files.iter().map(|name| name.to_lowercase()).collect();
    assert_eq!(unique.len(), files.len(), "{files:?}");
    assert_eq!(imported.tables.len(), 6, "{:?}", imported.remarks);
}

#[test]
fn a_long_description_is_read_in_time() {
    let mut text = String::from("openapi: 3.0.0\nservers: [{url: \"https://h.example\"}]\npaths:\n");
    for n in 0..5000 {
        text += &format!(
            "  /a{n}/{{id}}:\n    get:\n      parameters:\n        - $ref: '#/components/parameters/p{n}'\n      responses:\n        '200': {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/s{n}'}}}}}}}}\n"
        );
    }
    text += "components:\n  parameters:\n";
    (0..5000).for_each(|n| text += &format!("    p{n}: {{name: q, in: query, schema: {{type: string}}}}\n"));
    text += "  schemas:\n";
    (0..5000).for_each(|n| text += &format!("    s{n}: {{type: object, properties: {{a{n}: {{type: string}}}}}}\n"));
    let imported = import(&text, "a.yaml");
    assert_eq!((imported.tables.len(), imported.remarks.len()), (5000, 0));
    assert!(imported.tables[4999].text().contains("Returns s4999: `a4999` string."));
}
