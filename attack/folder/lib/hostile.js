// Calls that run for ever or take all memory, one a built-in of the language.
var cases = {
    warm: function () { return 'ok'; },
    indexOf: function (text) { return text.indexOf(half(text) + 'b'); },
    lastIndexOf: function (text) { return text.lastIndexOf('b' + half(text)); },
    includes: function (text) { return text.includes(half(text) + 'b'); },
    split: function (text) { return text.split(half(text) + 'b').length; },
    replace: function (text) { return text.replace(half(text) + 'b', '').length; },
    replaceAll: function (text) { return text.replaceAll(half(text) + 'b', '').length; },
    pattern: function (text) { return /^(a+)+$/.test(text.slice(0, 60) + 'b'); },
    backReference: function (text) { return /(a*)*\1b/.test(text.slice(0, 200000)); },
    lookBehind: function (text) { return text.replace(/(?<=a*)b/g, '').length; },
    matchAll: function (text) { return Array.from((text + 'b').matchAll(/a*?c/g)).length; },
    sort: function (text) { return text.split('').sort(function () { return Math.random() - 0.5; }).length; },
    sortSparse: function () { var list = []; list.length = 4294967295; list.sort(); return 'sorted'; },
    arrayIndexOf: function () { var list = []; list.length = 4294967295; return list.indexOf(1); },
    arrayFill: function () { return new Array(4294967295).fill(0).length; },
    arrayLike: function () { return Array.prototype.includes.call({ length: 9007199254740991 }, 1); },
    reverse: function () { return Array.prototype.reverse.call({ length: 9007199254740991 }).length; },
    join: function () { return new Array(4294967295).join('').length; },
    from: function () { return Array.from({ length: 9007199254740991 }).length; },
    concat: function () { var list = []; list.length = 4294967295; return list.concat(list).length; },
    proxies: function () {
        var deep = new Proxy({}, { ownKeys: function () { return ['a']; },
            getOwnPropertyDescriptor: function () { return { enumerable: true, configurable: true, value: 1 }; }, get: function () { return deep; } });
        return JSON.stringify(deep);
    },
    wideProxy: function () {
        return JSON.stringify(new Proxy([], { get: function (list, name) { return name === 'length' ? 9007199254740991 : 0; } })).length;
    },
    parse: function () { return JSON.parse('[' + '['.repeat(5000000)); },
    reviver: function (text) { return JSON.parse('"' + text + '"', function again(key, value) { return JSON.parse('"' + value + '"', again); }); },
    repeat: function () { return 'a'.repeat(1073741823).length; },
    pad: function () { return 'a'.padStart(1073741823, 'bc').length; },
    typed: function () { return new Float64Array(134217727).sort().length; },
    typedIndexOf: function () { var bytes = new Uint8Array(60000000); for (var n = 0; n < 1e9; n++) bytes.indexOf(1); return 'found'; },
    bigInt: function () { return String((3n ** 10000000n) * (7n ** 10000000n)).length; },
    bigText: function (text) { return String(BigInt('9'.repeat(5000000))).length; },
    numbers: function (text) { return Number('1'.repeat(60000000)); },
    normalize: function (text) { return '\u1e9b\u0323'.repeat(8000000).normalize('NFKD').length; },
    localeCompare: function (text) { for (;;) text.localeCompare(text + 'b'); },
    upper: function (text) { for (;;) text = text.toUpperCase(); },
    encode: function (text) { for (;;) encodeURIComponent(text); },
    buffer: function () { return Buffer.alloc(4000000000).length; },
    bufferFind: function (text) { return Buffer.from(text).indexOf(half(text) + 'b'); },
    hash: function (text) { var hash = require('crypto').createHash('sha512'); for (;;) hash.update(text); },
    loop: function () { for (;;); },
    promises: function () { return new Promise(function () { (function again() { Promise.resolve().then(again); })(); }); },
    timers: function () { return new Promise(function () { (function again() { setTimeout(again, 0); })(); }); },
    never: function () { return new Promise(function () {}); },
    recursion: function again() { return again() + 1; },
    getter: function () { var deep = { get a() { return deep.a; } }; return deep.a; },
    memory: function () { var all = []; for (;;) all.push(new Array(100000).join('x')); },
    collide: function (text) { var all = {}; for (var n = 0; n < 1e8; n++) all['k' + n] = n; return 'kept'; },
    caught: function () { for (;;) try { for (;;); } catch (error) { continue; } finally { continue; } },
    generator: function () { function* all() { for (;;) yield 1; } return Array.from(all()).length; },
    giant: function () { var list = [1]; for (var n = 0; n < 60; n++) list = [list, list]; return list; },
    circle: function () { var own = {}; own.own = own; return own; },
    date: function (text) { for (;;) Date.parse(text); },
    functionText: function (text) { return new RegExp('(?:' + text.slice(0, 2000000) + ')*').test('b'); },
    captures: function () { return new RegExp('(a)?'.repeat(200)).test('a'.repeat(1000)); },
    counted: function () { return new RegExp('((a{1,250}){1,250}){1,250}b').test('a'.repeat(100000)); }
};

function half(text) {
    return text.slice(0, text.length / 2);
}

exports.run = function (what, text) {
    return cases[what](text);
};
exports.names = Object.keys(cases);
