// querystring: the query part of a URI, and forms.
(function (native, host, require, module, exports) {
  'use strict';
  exports.escape = (value) => encodeURIComponent(String(value).toWellFormed());
  exports.unescape = function unescape(text) {
    try {
      return decodeURIComponent(text);
    } catch (error) {
      // Bytes that are not UTF-8, and lone percent signs, stand for themselves.
      const bytes = text.replace(/%([0-9a-fA-F]{2})|[\u0080-\uffff]+/g, (found, hex) => (hex ? String.fromCharCode(parseInt(hex, 16)) : Buffer.from(found).toString('latin1')));
      return Buffer.from(bytes, 'latin1').toString();
    }
  };
  // Names and values in order.
  exports.pairs = function pairs(text, separator, equals) {
    const made = [];
    for (const part of String(text).split(separator || '&')) {
      if (part === '') continue;
      const at = part.indexOf(equals || '=');
      made.push(at < 0 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + (equals || '=').length))]);
    }
    return made;
  };
  // Most parts have nothing to decode.
  function decode(part) {
    if (part.includes('+')) part = part.replace(/\+/g, ' ');
    return part.includes('%') ? exports.unescape(part) : part;
  }
  exports.parse = exports.decode = function parse(text, separator, equals, options) {
    const made = Object.create(null);
    if (typeof text !== 'string' || text === '') return made;
    const most = options && typeof options.maxKeys === 'number' ? options.maxKeys : 1000;
    let all = exports.pairs(text, separator, equals);
    if (most > 0) all = all.slice(0, most);
    for (const [name, value] of all) {
      if (!(name in made)) made[name] = value;
      else if (Array.isArray(made[name])) made[name].push(value);
      else made[name] = [made[name], value];
    }
    return made;
  };
  exports.stringify = exports.encode = function stringify(object, separator, equals) {
    if (object === null || typeof object !== 'object') return '';
    const text = (value) => (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint' || Number.isFinite(value) ? String(value) : '');
    const pair = (name, value) => exports.escape(name) + (equals || '=') + exports.escape(text(value));
    const made = [];
    for (const name of Object.keys(object)) {
      const value = object[name];
      if (Array.isArray(value)) for (const each of value) made.push(pair(name, each));
      else made.push(pair(name, value));
    }
    return made.join(separator || '&');
  };
})
