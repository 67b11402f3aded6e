//! The built-in modules and names that programs written for Node lean on.

mod common;

use common::eval;

fn all(probes: &[(&str, &str)]) {
    for (expression, expected) in probes {
        assert_eq!(eval(expression), *expected, "{expression}");
    }
}

#[test]
fn buffer() {
    all(&[
        ("Buffer.from('é').length", "2"),
        ("new Buffer('68e9', 'hex').toString('binary')", "\"hé\""),
        ("Buffer('abc')[1]", "98"),
        ("new Buffer(3).length", "3"),
        ("Buffer.from([1, 257, -1]).toString('hex')", "\"0101ff\""),
        ("Buffer.from('aGk=', 'base64') + ''", "\"hi\""),
        ("Buffer.from('hi').toString('base64')", "\"aGk=\""),
        ("Buffer.concat([Buffer.from('a'), new Buffer('b'), Buffer.alloc(2, 'c')]).toString()", "\"abcc\""),
        ("Buffer.concat([Buffer.from('abc'), Buffer.from('def')], 4).toString('utf-8', 1)", "\"bcd\""),
        ("Buffer.from('hello').slice(1, -1).toString()", "\"ell\""),
        ("Buffer.from('hello').toString('ascii', 1, 3)", "\"el\""),
        (
            "(function () { var b = Buffer.from('abc'), s = b.slice(1); s[0] = 120; return b.toString() + Buffer.isBuffer(s) + (s instanceof Uint8Array) + (s instanceof Buffer); })()",
            "\"axctruetruetrue\"",
        ),
        ("Buffer.from('abc').equals(Buffer.from('abc')) && Buffer.compare(Buffer.from('a'), Buffer.from('ab'))", "-1"),
        ("[Buffer.from('abcabc').indexOf('ca'), Buffer.from('abc').indexOf(99), Buffer.from('abc').includes('x')]", "[2,2,false]"),
        ("Buffer.isBuffer(new Uint8Array(1)) || Buffer.isBuffer('x') || !Buffer.isBuffer(Buffer.from(''))", "false"),
        ("Buffer.byteLength('é€') + Buffer.byteLength('aGk=', 'base64')", "7"),
        ("JSON.stringify(Buffer.from('a'))", r#""{\"type\":\"Buffer\",\"data\":[97]}""#),
        ("Buffer.from(JSON.parse(JSON.stringify(Buffer.from('ab')))).toString()", "\"ab\""),
        (
            "(function () { var b = Buffer.alloc(16); b.writeUInt16BE(258, 0); b.writeInt32LE(-2, 2); b.writeDoubleBE(0.5, 6); return [b.readUInt16BE(0), b.readUInt8(1), b.readInt32LE(2), b.readDoubleBE(6), b.toString('hex', 0, 6)]; })()",
            r#"[258,2,-2,0.5,"0102feffffff"]"#,
        ),
        (
            "(function () { var b = Buffer.alloc(4); return [b.write('é!', 1), b.copy(b, 0, 1, 3), b.toString('hex')]; })()",
            r#"[3,2,"c3a9a921"]"#,
        ),
        ("Buffer.from('abc').fill('xy').toString() + Buffer.alloc(2, 120)", "\"xyxxx\""),
        ("Array.from(Buffer.from('ab').map(function (x) { return x + 1; })).join()", "\"98,99\""),
        ("require('util').inspect(Buffer.from('ab'))", "\"<Buffer 61 62>\""),
        ("[...Buffer.from('é')].length + (function () { var n = 0; for (var x of Buffer.from('ab').entries()) n++; return n; })()", "4"),
        ("(function () { try { Buffer.alloc(-1); } catch (e) { return e.name; } })()", "\"RangeError\""),
        ("(function () { try { Buffer.from('a', 'ebcdic'); } catch (e) { return e.message; } })()", "\"Unknown encoding: ebcdic\""),
        ("(function () { try { Buffer.from('ab').readUInt32LE(0); } catch (e) { return e.name; } })()", "\"RangeError\""),
        ("require('buffer').Buffer === Buffer && Buffer.isEncoding('UTF-8') && !Buffer.isEncoding('toString')", "true"),
    ]);
}

#[test]
fn path() {
    all(&[
        (
            "(function (p) { return [p.join('a', '..', '/b/', './c'), p.normalize('/a/../../b/'), p.normalize(''), p.dirname('/a/b/'), p.dirname('a'), p.dirname('/a'), p.basename('/a/b.js', '.js'), p.extname('a.b.c'), p.extname('.x'), p.isAbsolute('/a')]; })(require('path'))",
            r#"["b/c","/b/",".","/a",".","/","b",".c","",true]"#,
        ),
        ("require('path').resolve('/a', 'b', '../c') + require('path').relative('/a/b/c', '/a/d')", "\"/a/c../../d\""),
        ("require('path').resolve('x') === process.cwd() + '/x'", "true"),
        ("require('path').parse('/d/f.x.js')", r#"{"root":"/","dir":"/d","base":"f.x.js","ext":".js","name":"f.x"}"#),
        ("require('path').format(require('path').parse('/d/f.x.js'))", "\"/d/f.x.js\""),
    ]);
}

#[test]
fn util() {
    all(&[
        (
            "require('util').format('%s %d %j %% %s', 'a', '42', { b: [1] }, null, 'more', { c: 1 })",
            r#""a 42 {\"b\":[1]} % null more { c: 1 }""#,
        ),
        ("require('util').format('100%') + require('util').format(1, 'a') + require('util').format('%s')", "\"100%1 a%s\""),
        (
            "(function () { function A() {} A.prototype.hi = function () { return 'hi'; }; function B() {} require('util').inherits(B, A); return new B().hi() + (B.super_ === A) + (new B() instanceof A); })()",
            "\"hitruetrue\"",
        ),
        (
            "require('util').inspect({ a: 'x', 'b-c': [1, undefined, null], f: function g() {}, d: { e: { f: { g: 1 } } }, s: new Set([1]), m: new Map([['k', 2]]) })",
            "\"{ a: 'x',\\n  'b-c': [ 1, undefined, null ],\\n  f: [Function: g],\\n  d: { e: { f: [Object] } },\\n  s: Set(1) { 1 },\\n  m: Map(1) { 'k' => 2 } }\"",
        ),
        ("(function () { var a = { n: 1 }; a.a = a; return require('util').inspect(a); })()", "\"{ n: 1, a: [Circular] }\""),
        (
            "(function (u) { return [u.isArray([]), u.isDate(new Date()), u.isRegExp(/a/), u.isError(new Error()), u.isFunction(u), u.isObject(null), u.isString(''), u.isUndefined(), u.isPrimitive(null), u.isBuffer(Buffer.alloc(0))]; })(require('util'))",
            "[true,true,true,true,false,false,true,true,true,true]",
        ),
        ("require('util').inspect(new Array(200).join('x').split('x')).length > 100", "true"),
    ]);
}

#[test]
fn url_and_querystring() {
    all(&[
        (
            "require('url').parse('HTTP://u:p%40@Host.X:8080/p/a?q=1&q=2#h', true)",
            r##"{"protocol":"http:","slashes":true,"auth":"u:p@","host":"host.x:8080","port":"8080","hostname":"host.x","hash":"#h","search":"?q=1&q=2","query":{"q":["1","2"]},"pathname":"/p/a","path":"/p/a?q=1&q=2","href":"http://u:p%40@host.x:8080/p/a?q=1&q=2#h"}"##,
        ),
        ("(function (u) { return [u.path, u.query, u.host]; })(require('url').parse('/a/b?c=d'))", r#"["/a/b?c=d","c=d",null]"#),
        (
            "(function (u) { delete u.search; u.query.b = ['2', '3']; return u.format(); })(require('url').parse('http://h/p?a=1', true))",
            "\"http://h/p?a=1&b=2&b=3\"",
        ),
        (
            "require('url').format({ protocol: 'https', hostname: '::1', port: 8, pathname: 'x', search: 'a=b', hash: 'c' })",
            "\"https://[::1]:8/x?a=b#c\"",
        ),
        // RFC 3986, 5.4.1 and 5.4.2.
        (
            "['g', './g', '/g', '//g', '?y', 'g?y', '#s', '', '.', '..', '../g', '../../../g', 'g;x=1/../y', 'http:g:h'].map(function (to) { return require('url').resolve('http://a/b/c/d;p?q', to); })",
            r##"["http://a/b/c/g","http://a/b/c/g","http://a/g","http://g/","http://a/b/c/d;p?y","http://a/b/c/g?y","http://a/b/c/d;p?q#s","http://a/b/c/d;p?q","http://a/b/c/","http://a/b/","http://a/b/g","http://a/g","http://a/b/c/y","http:g:h"]"##,
        ),
        (
            "require('querystring').parse('a=1&b=x+y%21&a=2&c&=d&%E9=%zz&__proto__=1')",
            "{\"a\":[\"1\",\"2\"],\"b\":\"x y!\",\"c\":\"\",\"\":\"d\",\"\u{fffd}\":\"%zz\",\"__proto__\":\"1\"}",
        ),
        (
            "require('querystring').stringify({ a: [1, 'é'], b: true, c: null, d: { e: 1 }, f: 'x y&z' })",
            r#""a=1&a=%C3%A9&b=true&c=&d=&f=x%20y%26z""#,
        ),
        (
            "require('querystring').parse('a:1;b:2', ';', ':').b + require('querystring').stringify({ a: 1, b: 2 }, ';', ':')",
            "\"2a:1;b:2\"",
        ),
    ]);
}

#[test]
fn crypto() {
    // The vectors of RFC 1321 A.5, RFC 3174 7.3, FIPS 180-2 B.1 and RFC 4231 4.3.
    all(&[
        ("require('crypto').createHash('md5').update('abc').digest('hex')", "\"900150983cd24fb0d6963f7d28e17f72\""),
        (
            "require('crypto').createHash('SHA1').update('a').update(new Buffer('bc')).digest('hex')",
            "\"a9993e364706816aba3e25717850c26c9cd0d89d\"",
        ),
        ("require('crypto').createHash('sha256').update('abc').digest('base64')", "\"ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=\""),
        (
            "require('crypto').createHmac('sha256', 'Jefe').update('what do ya want ').update('for nothing?').digest('hex')",
            "\"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843\"",
        ),
        (
            "require('crypto').createHmac('md5', 'Jefe').update('what do ya want for nothing?').digest('hex')",
            "\"750c783e6ab0b503eaa86e310a5db738\"",
        ),
        ("require('crypto').createHash('sha512').update('').digest().length", "64"),
        ("Buffer.isBuffer(require('crypto').createHash('sha1').update('é', 'latin1').digest())", "true"),
        (
            "(function () { try { require('crypto').createHash('md4'); } catch (e) { return e.message; } })()",
            "\"Digest method not supported: md4; there are md5, sha1, sha256, sha512\"",
        ),
        (
            "(function (h) { h.digest(); try { h.update('x'); } catch (e) { return e.message; } })(require('crypto').createHash('md5'))",
            "\"the digest has been taken already\"",
        ),
    ]);
}

#[test]
fn events_assert_and_the_rest() {
    all(&[
        ("(function () {
            var Emitter = require('events').EventEmitter, seen = [];
            function Mine() { Emitter.call(this); } require('util').inherits(Mine, Emitter);
            var e = new Mine(), f = function (x) { seen.push('f' + x); };
            e.on('a', f); e.once('a', function (x) { seen.push('once' + x); }); e.emit('a', 1); e.emit('a', 2); e.removeListener('a', f);
            seen.push(e.emit('a', 3), e.listeners('a').length, new Mine()._events === e._events);
            try { e.emit('error', new Error('boom')); } catch (error) { seen.push(error.message); }
            return seen;
          })()", r#"["f1","once1","f2",false,0,false,"boom"]"#),
        ("(function (a) {
            a(true); a.ok(1); a.equal(1, '1'); a.strictEqual('a', 'a'); a.deepEqual({ a: [1] }, { a: ['1'] }); a.notEqual(1, 2); a.throws(function () { throw new TypeError('x'); }, TypeError); a.throws(function () { throw new Error('abc'); }, /b/);
            var failed = [];
            [function () { a(0, 'zero'); }, function () { a.deepStrictEqual({ a: 1 }, { a: '1' }); }, function () { a.throws(function () {}); }, function () { a.strictEqual(1, 2); }].forEach(function (f) { try { f(); } catch (e) { failed.push(e.name + ' ' + e.message); } });
            return failed;
          })(require('assert'))", r#"["AssertionError zero","AssertionError { a: 1 } deepStrictEqual { a: '1' }","AssertionError Missing expected exception","AssertionError 1 === 2"]"#),
        ("typeof setTimeout + typeof clearTimeout + typeof setImmediate + typeof process.nextTick + typeof console.log + (global === globalThis) + typeof __dirname + typeof require.resolve", r#""functionfunctionfunctionfunctionfunctiontruestringfunction""#),
        ("require('node:path') === require('path')", "true"),
        ("[process.argv.length, process.platform, typeof process.hrtime()[0], typeof process.uptime()]", r#"[0,"polywire","number","number"]"#),
    ]);
}

#[test]
fn timers_run_in_order_while_a_call_waits() {
    let (_tables, patch) = common::patch(
        "exports['patch response'] = function () {
            return new Promise(function (keep) {
                var seen = [], every = setInterval(function () { seen.push('every'); }, 4), never = setTimeout(function () { seen.push('never'); }, 1);
                clearTimeout(never);
                setTimeout(function (a, b) { seen.push(a + b); clearInterval(every); keep(seen.join()); }, 10, 'x', 'y');
                setImmediate(function () { seen.push('immediate'); });
                Promise.resolve().then(function () { seen.push('promise'); });
                process.nextTick(function () { seen.push('tick'); });
                seen.push('now');
            });
         };
         exports['patch mediaType'] = function () { setTimeout(function () { throw new Error('not run'); }, 0); process.nextTick(function () { throw new Error('not run'); }); return 'x'; };",
    );
    let reply = polywire_hooks::Reply::default;
    let seen = patch.patch_response(common::record("{}"), reply(), polywire_doc::Datum::Null).wait().unwrap().value;
    let seen = common::text(&seen);
    assert!(seen.starts_with("\"now,tick,promise,immediate,every,") && seen.ends_with(",xy\""), "{seen}");
    // A call that has its answer waits for nothing.
    assert_eq!(patch.patch_media_type(common::record("{}"), reply(), "").wait().unwrap().value.as_deref(), Some("x"));
    assert!(patch.patch_response(common::record("{}"), reply(), polywire_doc::Datum::Null).wait().is_ok());
}

#[test]
fn what_packages_require_and_a_sandbox_has_not() {
    all(&[
        ("require('sys').inspect([1])", "\"[ 1 ]\""),
        ("typeof require('http').request + typeof require('https').Agent", "\"functionfunction\""),
        (
            "(function () { try { require('http').get('http://h/'); } catch (e) { return e.message; } })()",
            "\"there is no network in the sandbox: requests are made by tables\"",
        ),
    ]);
}
