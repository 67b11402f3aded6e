// url: the parts of a URI by RFC 3986, under Node's names.
(function (native, host, require, module, exports) {
  'use strict';
  const querystring = require('querystring');
  // RFC 3986, appendix B.
  const PARTS = /^([a-zA-Z][a-zA-Z0-9+.-]*:)?(\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/;

  function Url() {
    for (const name of ['protocol', 'slashes', 'auth', 'host', 'port', 'hostname', 'hash', 'search', 'query', 'pathname', 'path', 'href']) this[name] = null;
  }
  Url.prototype.format = function () { return exports.format(this); };
  Url.prototype.toString = Url.prototype.format;
  Url.prototype.resolve = function (to) { return exports.resolve(this.href, to); };

  exports.Url = Url;
  exports.parse = function parse(text, withQuery) {
    if (text instanceof Url) return text;
    if (typeof text !== 'string') throw new TypeError('url.parse takes text, not ' + typeof text);
    const made = new Url();
    const [, scheme, authority, path, search, hash] = PARTS.exec(text.trim());
    if (scheme) made.protocol = scheme.toLowerCase();
    if (authority !== undefined) {
      made.slashes = true;
      let host = authority.slice(2);
      const at = host.lastIndexOf('@');
      if (at >= 0) {
        made.auth = querystring.unescape(host.slice(0, at));
        host = host.slice(at + 1);
      }
      const [, name, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?/.exec(host);
      made.hostname = name.replace(/^\[|\]$/g, '').toLowerCase();
      if (port) made.port = port;
      made.host = name.toLowerCase() + (port ? ':' + port : '');
    }
    made.pathname = path || (authority !== undefined ? '/' : null);
    made.search = search === undefined ? (withQuery ? '' : null) : search;
    const query = search === undefined ? null : search.slice(1);
    made.query = withQuery ? querystring.parse(query || '') : query;
    made.hash = hash === undefined ? null : hash;
    made.path = made.pathname === null && search === undefined ? null : (made.pathname || '') + (search || '');
    made.href = exports.format(made);
    return made;
  };

  exports.format = function format(url) {
    if (typeof url === 'string') return exports.parse(url).href;
    const { protocol, auth, hash } = url;
    let { host, pathname, search } = url;
    if (!host && url.hostname) host = (url.hostname.includes(':') ? '[' + url.hostname + ']' : url.hostname) + (url.port ? ':' + url.port : '');
    if (!search && url.query && typeof url.query === 'object' && Object.keys(url.query).length) search = '?' + querystring.stringify(url.query);
    const scheme = protocol ? (protocol.endsWith(':') ? protocol : protocol + ':') : '';
    const slashes = url.slashes || (host && /^(https?|ftp|file):?$/.test(protocol || 'http'));
    if (pathname && host && !pathname.startsWith('/')) pathname = '/' + pathname;
    return scheme + (slashes ? '//' : '') + (auth ? querystring.escape(auth).replace(/%3A/i, ':') + '@' : '') + (host || '') + (pathname || '').replace(/[?#]/g, encodeURIComponent)
      + (search ? (search.startsWith('?') ? search : '?' + search).replace(/#/g, '%23') : '') + (hash ? (hash.startsWith('#') ? hash : '#' + hash) : '');
  };

  function withoutDots(path) {
    const kept = [];
    const all = path.split('/');
    all.forEach((part, at) => {
      const end = at === all.length - 1;
      if (part === '..') {
        if (kept.length > 1) kept.pop();
        if (end) kept.push('');
      } else if (part === '.') {
        if (end) kept.push('');
      } else {
        kept.push(part);
      }
    });
    return kept.join('/');
  }

  // RFC 3986, 5.2.
  exports.resolve = function resolve(from, to) {
    const base = PARTS.exec(String(from));
    const ref = PARTS.exec(String(to));
    let [, scheme, authority, path, search, hash] = ref;
    if (scheme) path = withoutDots(path);
    else {
      scheme = base[1];
      if (authority !== undefined) path = withoutDots(path);
      else {
        authority = base[2];
        if (path === '') {
          path = base[3];
          if (search === undefined) search = base[4];
        } else if (path.startsWith('/')) path = withoutDots(path);
        else path = withoutDots(base[3] === '' && authority !== undefined ? '/' + path : base[3].slice(0, base[3].lastIndexOf('/') + 1) + path);
      }
    }
    return exports.parse((scheme || '') + (authority || '') + path + (search || '') + (hash || '')).href;
  };
})
