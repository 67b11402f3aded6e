//! Body templates.

mod common;

use std::time::Duration;

use common::{Tables, record};
use polywire_hooks::{HookError, HookErrorKind, Language, Record, Request, testing};

fn render(files: &[(&str, &str)], file: &str, media_type: &str, record: Record) -> Result<String, HookError> {
    let tables = Tables::new(files);
    let request = Request { uri: "http://h/".into(), headers: vec![("x-a".into(), "1".into())] };
    tables.hooks().template(file, media_type, record, || request).wait()
}

fn ejs(template: &str, params: &str) -> String {
    match render(&[("t.ejs", template)], "t.ejs", "application/xml", record(params)) {
        Ok(text) => text,
        Err(error) => format!("error: {error}"),
    }
}

fn mustache(template: &str, media_type: &str, params: &str) -> String {
    match render(&[("t.mu", template)], "t.mu", media_type, record(params)) {
        Ok(text) => text,
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn ejs_inserts_values_and_runs_code() {
    assert_eq!(ejs("a<%= params.x %>b<%- params.x %>c", r#"{"x":"<&\"'>"}"#), "a&lt;&amp;&#34;&#39;&gt;b<&\"'>c");
    assert_eq!(ejs("<% for (var i = 0; i < params.n.length; i++) { %>[<%= params.n[i] %>]<% } %>", r#"{"n":[1,2,3]}"#), "[1][2][3]");
    assert_eq!(
        ejs("<% params.n.forEach(function (n) { %><i><%= n.a %></i><% }) %>", r#"{"n":[{"a":1},{"a":"x y"}]}"#),
        "<i>1</i><i>x y</i>"
    );
    assert_eq!(
        ejs(
            "<% params.n.forEach(function (n) { %><<%= n %>/><% }) %>!<% var x = 1 %><%= x %><% if (x) { %>a<% } else { %>b<% } %>",
            r#"{"n":[1]}"#
        ),
        "<1/>!1a"
    );
    assert_eq!(ejs("<%= params.none %><%- params.none %>|<%= params.zero %><%= false %>", r#"{"zero":0}"#), "|0false");
    assert_eq!(ejs("<%= statement.type %> <%= uri %> <%- headers['x-a'] %> <%= locals.params.x; %>", r#"{"x":7}"#), "select http://h/ 1 7");
    assert_eq!(ejs("it's \\n \\ \u{2028}<%# nothing <b> %>é", "{}"), "it's \\n \\ \u{2028}é");
    assert_eq!(ejs("<%% x %%> <%= '%%>' %>", "{}"), "<% x %%> %&gt;");
    assert_eq!(ejs("a <% // why\n %>b<%= 1 // one\n %>c<% /* x */ %>", "{}"), "a b1c");
    assert_eq!(ejs("<%= 'http://x' %>", "{}"), "http://x");
    assert_eq!(ejs("", "{}"), "");
}

#[test]
fn ejs_swallows_blanks() {
    assert_eq!(ejs("<a>\n<% if (true) { -%>\n  x\n<% } -%>\n</a>\n", "{}"), "<a>\n  x\n</a>\n");
    assert_eq!(ejs("a\r\n<% -%>\r\nb", "{}"), "a\r\nb");
    assert_eq!(ejs("a\n  <%_ var x = 1 _%>  \n<%= x %>", "{}"), "a\n1");
    assert_eq!(ejs("a <%= 1 -%> b", "{}"), "a 1 b");
}

#[test]
fn ejs_includes_below_the_table_directory() {
    let files = [
        ("a/t.ejs", "<% include head %>|<% include ./sub/part.ejs %>|<%- include('head', { x: 'own' }) %>"),
        ("a/head.ejs", "head <%= locals.x || params.x %>"),
        ("a/sub/part.ejs", "part <%- include('../head') %>"),
        ("a/out.ejs", "<% include ../../secret %>"),
        ("a/self.ejs", "<% include self %>"),
        ("a/gone.ejs", "\n<% include gone2 %>"),
        ("../secret.ejs", "secret"),
    ];
    let run = |file: &str| render(&files, file, "", record(r#"{"x":"<x>"}"#));
    assert_eq!(run("a/t.ejs").unwrap(), "head &lt;x&gt;|part head &lt;x&gt;|head own");
    let error = run("a/out.ejs").unwrap_err();
    assert_eq!(error.kind(), HookErrorKind::Template);
    assert!(error.message().contains("no template ../../secret below"), "{error}");
    assert!(run("a/self.ejs").unwrap_err().message().contains("too deeply"));
    assert!(run("a/gone.ejs").unwrap_err().message().contains("no template gone2"));
    assert!(run("a/none.ejs").unwrap_err().message().contains("no template a/none.ejs"));
}

#[test]
fn mistakes_in_ejs_name_file_and_line() {
    let line = |template: &str| {
        let error = render(&[("t.ejs", template)], "t.ejs", "", record("{}")).unwrap_err();
        let place = error.place().unwrap_or_else(|| panic!("{error}")).clone();
        assert_eq!(place.file, "t.ejs");
        place.line
    };
    assert_eq!(line("a\n\n<%= nothing.x %>"), 3);
    assert_eq!(line("a\n<% if (true) { %>\nb\n<% } -%>\n\n<% nothing() %>"), 6);
    assert_eq!(line("<%\n var a = 1; // x\n var b = 2;\n%>\n<%# a\nb %>\n<%= none %>"), 7);
    assert_eq!(line("a\n<%= 1 + %>\n"), 2);
    let unclosed = ejs("a\nb <% c", "{}");
    assert_eq!(unclosed, "error: body template of t.ejs: a tag opened by <% is not closed by %> (t.ejs:2)");
    assert!(ejs("<%=: params.x | upcase %>", "{}").contains("filters"));
}

#[test]
fn templates_are_in_the_sandbox() {
    assert_eq!(ejs("<%= typeof require + typeof native + typeof host + typeof module %>", "{}"), "undefinedundefinedundefinedundefined");
    let tables = Tables::new(&[("t.ejs", "<% for (;;) {} %>")]);
    let hooks = tables.hooks_with(|settings| settings.time = Duration::from_millis(500));
    assert_eq!(hooks.template("t.ejs", "", record("{}"), Request::default).wait().unwrap_err().kind(), HookErrorKind::Time);
    assert_eq!(ejs("<% Object.prototype.x = 1; leaked = 2; %><%= typeof ({}).x %>", "{}"), "undefined");
}

#[test]
fn mustache_values_are_escaped_for_the_body() {
    let params = r#"{"x":"<a> & \"b\"\n'c'/é","n":1.50,"t":true,"z":0,"l":[1,"\"x"],"o":{"a":null}}"#;
    assert_eq!(mustache("{{params.x}}", "text/xml; charset=UTF-8", params), "&lt;a&gt; &amp; &quot;b&quot;\n&#39;c&#39;/é");
    assert_eq!(mustache("{{params.x}}", "application/json", params), r#"<a> & \"b\"\n'c'/é"#);
    assert_eq!(mustache("{{params.x}}", "application/vnd.x+json", params), r#"<a> & \"b\"\n'c'/é"#);
    assert_eq!(mustache("{{params.x}}", "application/x-www-form-urlencoded", params), "%3Ca%3E%20%26%20%22b%22%0A%27c%27%2F%C3%A9");
    assert_eq!(mustache("{{params.x}}", "text/plain", params), "<a> & \"b\"\n'c'/é");
    for raw in ["{{{params.x}}}", "{{&params.x}}", "{{{ params.x }}}", "{{& params.x }}"] {
        assert_eq!(mustache(raw, "text/xml", params), "<a> & \"b\"\n'c'/é");
    }
    assert_eq!(mustache("{{params.n}} {{params.t}} {{params.z}} {{params.none}}|{{params.none.more}}", "", params), "1.5 true 0 |");
    assert_eq!(mustache("{{params.l}} {{params.o}} {{params.l.1}}", "application/json", params), r#"[1,"\"x"] {"a":null} \"x"#);
    assert_eq!(mustache("{{params.l}}", "text/xml", params), "[1,&quot;\\&quot;x&quot;]");
}

#[test]
fn a_tag_is_closed_by_as_many_braces_as_it_was_opened_by() {
    let params = r#"{"x":"v"}"#;
    assert_eq!(mustache(r#"{"a":{"b":"{{params.x}}"}}"#, "application/json", params), r#"{"a":{"b":"v"}}"#);
    assert_eq!(mustache(r#"{"a":{{params.x}}}"#, "application/json", params), r#"{"a":v}"#);
    assert_eq!(mustache(r#"{"a":{"b":{{{params.x}}}}}"#, "application/json", params), r#"{"a":{"b":v}}"#);
    assert_eq!(mustache("{ {{{params.x}}}}", "", params), "{ v}");
    for template in ["<a>{{params.x}}}</a>", "<a>{{{params.x}}}}</a>", "<a>{{& params.x }}</a>", "<a>{{params.x}}}}</a>"] {
        assert_eq!(mustache(template, "application/xml", params), "<a>v</a>", "{template}");
    }
    assert_eq!(mustache(r#"{"a":"{{params.x}}}","b":{"c":1}}"#, "application/json", params), r#"{"a":"v","b":{"c":1}}"#);
    assert_eq!(mustache("{{#params}}<a>{{x}}}</a>{{/params}}", "application/xml", params), "<a>v</a>");
    // Neither reading closes as many braces as it opens.
    assert_eq!(mustache("}{{params.x}}}{{params.x}}", "", params), "}v}v");
    assert!(Language::Mustache.check("t.mu", "}{{x}}}").unwrap().is_some_and(|doubt| doubt.contains("0 braces opened and 2 closed")));
    assert_eq!(Language::Mustache.check("t.mu", "<a>{{x}}}</a>").unwrap(), None);
}

#[test]
fn mustache_sections_partials_and_delimiters() {
    let params =
        r#"{"list":[{"n":1,"in":["a","b"]},{"n":2,"in":[]}],"none":[],"off":false,"on":{"d":"deep"},"a.b":"dotted","text":"","zero":0}"#;
    assert_eq!(
        mustache("{{#params}}{{#list}}{{n}}{{#in}}({{.}}{{n}}){{/in}}{{^in}}-{{/in}};{{/list}}{{/params}}", "", params),
        "1(a1)(b1);2-;"
    );
    assert_eq!(
        mustache("{{#params.none}}x{{/params.none}}{{^params.none}}y{{/params.none}}{{^params.off}}z{{/params.off}}", "", params),
        "yz"
    );
    assert_eq!(
        mustache("{{#params.on}}{{d}}{{/params.on}}{{#params.text}}x{{/params.text}}{{#params.zero}}y{{/params.zero}}", "", params),
        "deep"
    );
    assert_eq!(mustache("{{params.a.b}} {{#params}}{{a.b}}{{/params}}", "", params), "dotted dotted");
    let masked = r#"{"a.b":"dotted","a":{"b":"parts","c.d":1},"list":[{"x":2}]}"#;
    assert_eq!(mustache("{{params.a.b}} {{params.a.c.d}} {{params.list.0.x}}{{params.list.1.x}}", "", masked), "parts 1 2");
    assert_eq!(mustache("a{{! not {{ this }}b{{=<% %>=}}<% params.a.b %>{{x}}<%={{ }}=%>{{params.on.d}}", "", params), "abdotted{{x}}deep");
    // Tags alone on their lines take these with them.
    assert_eq!(mustache("a\n  {{#params.on}}\n  {{d}}\r\n  {{/params.on}}\n{{! note }}\nb", "", params), "a\n  deep\r\nb");
    assert_eq!(mustache("{{#params.on}}\n{{/params.on}}", "", params), "");
    let files = [
        ("d/t.mu", "<\n  {{>part}}\n>{{> sub/more.mu}}"),
        ("d/part.mu", "{{#params.list}}\n{{n}}\n{{/params.list}}\n"),
        ("d/sub/more.mu", "{{params.on.d}}"),
        ("plain", "{{params.zero}}"),
    ];
    assert_eq!(render(&files, "d/t.mu", "", record(params)).unwrap(), "<\n  1\n  2\n>deep");
    assert_eq!(render(&files, "plain", "", record(params)).unwrap(), "0");
}

#[test]
fn mistakes_in_mustache_name_file_and_line() {
    assert_eq!(mustache("a\n{{#x}}\n", "", "{}"), "error: body template of t.mu: the section x is not closed (t.mu:2)");
    assert_eq!(mustache("a\n{{/x}}\n", "", "{}"), "error: body template of t.mu: x is closed, but no section is open (t.mu:2)");
    assert_eq!(mustache("{{#x}}\n\n{{/y}}", "", "{}"), "error: body template of t.mu: the section x of line 1 is closed as y (t.mu:3)");
    assert_eq!(mustache("{{x\n", "", "{}"), "error: body template of t.mu: a tag opened by {{ is not closed by }} (t.mu:1)");
    assert_eq!(mustache("{{{x}}", "", "{}"), "error: body template of t.mu: a tag opened by {{ is not closed by }}} (t.mu:1)");
    assert!(mustache("{{}}", "", "{}").contains("without a name"));
    assert!(mustache("{{=<%=}}", "", "{}").contains("delimiters"));
    assert!(mustache(&"{{#x}}".repeat(101), "", "{}").contains("nested deeper"));
    assert!(mustache("{{>../../x}}", "", "{}").contains("no template ../../x below"));
    let files = [("t.mu", "{{>t}}"), ("t.html", "x")];
    assert!(render(&files, "t.mu", "", record("{}")).unwrap_err().message().contains("too large"));
    assert!(render(&files, "t.html", "", record("{}")).unwrap_err().message().contains("no known template language"));
    // Sections multiply: a list of a hundred, six deep.
    let list = format!(r#"{{"l":[{}]}}"#, vec!["1"; 100].join(","));
    let nested = "{{#params.l}}".repeat(6) + "x" + &"{{/params.l}}".repeat(6);
    assert!(mustache(&nested, "", &list).contains("too large"));
}

#[test]
fn any_text_is_a_template_or_told_why_not() {
    let parts = [
        "<%",
        "%>",
        "<%=",
        "<%-",
        "<%_",
        "_%>",
        "-%>",
        "<%#",
        "<%%",
        "%%>",
        "include a",
        "{{",
        "}}",
        "{{{",
        "}}}",
        "{{#a}}",
        "{{/a}}",
        "{{^",
        "{{=",
        "=}}",
        "{{!",
        "{{>",
        "a",
        " ",
        "\n",
        "\r\n",
        "é",
        "//",
        "'",
        "\\",
    ];
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..20_000 {
        let text: String = (0..random.usize(0..12)).map(|_| parts[random.usize(0..parts.len())]).collect();
        testing::template(&text);
    }
    // Long ones, in linear time.
    for part in parts {
        testing::template(&part.repeat(50_000));
    }
}

#[test]
fn mustache_waits_for_no_thread_unless_it_may_take_long() {
    let tables = Tables::new(&[("t.ejs", "x"), ("t.mu", "{{params.x}}")]);
    // Nothing gets a thread.
    let hooks = tables.hooks_with(|settings| settings.waiting = 0);
    let made = |file: &str, params: &str| hooks.template(file, "", record(params), Request::default).wait().map_err(|error| error.kind());
    assert_eq!(made("t.mu", r#"{"x":1}"#), Ok("1".into()));
    assert_eq!(made("none.mu", "{}"), Err(HookErrorKind::Template));
    assert_eq!(made("t.ejs", r#"{"x":1}"#), Err(HookErrorKind::Busy));
    let many = (0..2000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    assert_eq!(made("t.mu", &format!(r#"{{"x":1,"many":[{many}]}}"#)), Err(HookErrorKind::Busy));
    // The parameters are few, but the template goes through them again and again.
    let ten = |text: &str| text.replace('x', "{{#params.n}}x{{/params.n}}");
    tables.write("many.mu", (0..4).fold("x".to_string(), |text, _| ten(&text)));
    let few = r#"{"n":[1,2,3,4,5,6,7,8,9,0]}"#;
    assert_eq!(made("many.mu", few), Err(HookErrorKind::Busy));
    assert_eq!(tables.hooks().template("many.mu", "", record(few), Request::default).wait().unwrap().len(), 10_000);
}
