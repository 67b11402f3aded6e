// util: texts of values, inheritance, kinds of values.
(function (native, host, require, module, exports) {
  'use strict';
  const DEEPEST = 2;
  const MOST = 100;

  function inspect(value, options) {
    const depth = options && options.depth !== undefined ? (options.depth === null ? 20 : Math.min(options.depth, 20)) : DEEPEST;
    return show(value, depth, []);
  }

  function show(value, depth, above) {
    if (typeof value === 'string') return above.length ? '\'' + value.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n') + '\'' : '\'' + value + '\'';
    if (typeof value === 'bigint') return value + 'n';
    if (Object.is(value, -0)) return '-0';
    if (typeof value === 'function') return '[Function' + (value.name ? ': ' + value.name : '') + ']';
    if (typeof value !== 'object' || value === null) return String(value);
    if (above.includes(value)) return '[Circular]';
    if (value instanceof Date) return isNaN(value) ? 'Invalid Date' : value.toISOString();
    if (value instanceof RegExp) return String(value);
    if (value instanceof Error) return value.stack ? String(value) + '\n' + String(value.stack).trimEnd() : '[' + value + ']';
    if (typeof value.inspect === 'function' && value.inspect !== inspect) return String(value.inspect(depth));
    if (depth < 0) return Array.isArray(value) ? '[Array]' : '[Object]';
    const inner = above.concat([value]);
    const each = (member) => show(member, depth - 1, inner);
    const cut = (list, length) => (length > MOST ? list.concat('... ' + (length - MOST) + ' more') : list);
    if (Array.isArray(value) || ArrayBuffer.isView(value)) {
      const shown = [];
      for (let at = 0; at < value.length && at < MOST; at++) shown.push(each(value[at]));
      return wrap('[', cut(shown, value.length), ']');
    }
    if (value instanceof Map) return 'Map(' + value.size + ') ' + wrap('{', cut([...value].slice(0, MOST).map(([key, held]) => each(key) + ' => ' + each(held)), value.size), '}');
    if (value instanceof Set) return 'Set(' + value.size + ') ' + wrap('{', cut([...value].slice(0, MOST).map(each), value.size), '}');
    const keys = Object.keys(value);
    const type = value.constructor && value.constructor !== Object && value.constructor.name ? value.constructor.name + ' ' : '';
    return type + wrap('{', cut(keys.slice(0, MOST).map((key) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : show(key, 0, inner)) + ': ' + each(value[key])), keys.length), '}');
  }
  function wrap(open, shown, close) {
    if (shown.length === 0) return open + close;
    const line = open + ' ' + shown.join(', ') + ' ' + close;
    return line.length <= 76 && !line.includes('\n') ? line : open + ' ' + shown.join(',\n  ') + ' ' + close;
  }

  exports.inspect = inspect;
  exports.format = function format(first, ...rest) {
    const text = (value) => (typeof value === 'string' ? value : inspect(value));
    if (typeof first !== 'string') return [first, ...rest].map(text).join(' ');
    let next = 0;
    const made = first.replace(/%[sdifjoOc%]/g, (token) => {
      if (token === '%%') return rest.length ? '%' : token;
      if (next >= rest.length) return token;
      const value = rest[next++];
      switch (token) {
        case '%s': return typeof value === 'string' || typeof value === 'number' ? String(value) : text(value);
        case '%d': return String(Number(value));
        case '%i': return String(parseInt(value, 10));
        case '%f': return String(parseFloat(value));
        case '%j': try { return JSON.stringify(value); } catch (error) { return '[Circular]'; }
        case '%c': return '';
        default: return inspect(value, { depth: 4 });
      }
    });
    return [made, ...rest.slice(next).map(text)].join(' ');
  };
  exports.inherits = function inherits(type, parent) {
    type.super_ = parent;
    Object.setPrototypeOf(type.prototype, parent.prototype);
  };
  exports.deprecate = (act) => act;
  exports.log = (...given) => native.log('info', exports.format(...given));
  exports.debug = (...given) => native.log('info', exports.format(...given));
  exports.error = (...given) => native.log('error', exports.format(...given));
  exports.debuglog = () => () => {};
  exports.promisify = (act) => function (...given) {
    return new Promise((keep, fail) => act.call(this, ...given, (error, value) => (error ? fail(error) : keep(value))));
  };
  exports.callbackify = (act) => function (...given) {
    const done = given.pop();
    act.apply(this, given).then((value) => done(null, value), (error) => done(error || new Error('rejected')));
  };

  exports.isArray = Array.isArray;
  exports.isBoolean = (value) => typeof value === 'boolean';
  exports.isNull = (value) => value === null;
  exports.isNullOrUndefined = (value) => value === undefined || value === null;
  exports.isNumber = (value) => typeof value === 'number';
  exports.isString = (value) => typeof value === 'string';
  exports.isSymbol = (value) => typeof value === 'symbol';
  exports.isUndefined = (value) => value === undefined;
  exports.isRegExp = (value) => value instanceof RegExp;
  exports.isObject = (value) => typeof value === 'object' && value !== null;
  exports.isDate = (value) => value instanceof Date;
  exports.isError = (value) => value instanceof Error;
  exports.isFunction = (value) => typeof value === 'function';
  exports.isPrimitive = (value) => value === null || (typeof value !== 'object' && typeof value !== 'function');
  exports.isBuffer = (value) => Buffer.isBuffer(value);
  exports.isDeepStrictEqual = (one, other) => require('assert').same(one, other, true);
})
