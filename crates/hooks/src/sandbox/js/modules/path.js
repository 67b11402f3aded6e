// path: names of files, with slashes.
(function (native, host, require, module, exports) {
  'use strict';
  function parts(text, absolute) {
    const kept = [];
    for (const part of text.split('/')) {
      if (part === '' || part === '.') continue;
      if (part !== '..') kept.push(part);
      else if (kept.length && kept[kept.length - 1] !== '..') kept.pop();
      else if (!absolute) kept.push(part);
    }
    return kept;
  }

  exports.sep = '/';
  exports.delimiter = ':';
  exports.isAbsolute = (path) => String(path).startsWith('/');
  exports.normalize = function normalize(path) {
    const absolute = path.startsWith('/');
    const text = parts(path, absolute).join('/');
    const end = path.endsWith('/') && text !== '' ? '/' : '';
    return (absolute ? '/' : '') + text + end || '.';
  };
  exports.join = (...given) => exports.normalize(given.filter((each) => each !== '').join('/'));
  exports.resolve = function resolve(...given) {
    let path = '';
    for (let at = given.length - 1; at >= 0 && !path.startsWith('/'); at--) if (given[at]) path = given[at] + (path && '/' + path);
    if (!path.startsWith('/')) path = native.root + (path && '/' + path);
    return '/' + parts(path, true).join('/');
  };
  exports.relative = function relative(from, to) {
    const left = parts(exports.resolve(from), true);
    const right = parts(exports.resolve(to), true);
    let same = 0;
    while (same < left.length && same < right.length && left[same] === right[same]) same++;
    return left.slice(same).map(() => '..').concat(right.slice(same)).join('/');
  };
  exports.dirname = function dirname(path) {
    const trimmed = path.replace(/(?!^)\/+$/, '');
    const cut = trimmed.lastIndexOf('/');
    if (cut < 0) return '.';
    return cut === 0 ? '/' : trimmed.slice(0, cut);
  };
  exports.basename = function basename(path, ending) {
    const trimmed = path.replace(/\/+$/, '');
    const name = trimmed.slice(trimmed.lastIndexOf('/') + 1);
    return ending && name !== ending && name.endsWith(ending) ? name.slice(0, -ending.length) : name;
  };
  exports.extname = function extname(path) {
    const name = exports.basename(path);
    const dot = name.lastIndexOf('.');
    return dot <= 0 ? '' : name.slice(dot);
  };
  exports.parse = function parse(path) {
    const base = exports.basename(path);
    const ext = exports.extname(base);
    const root = path.startsWith('/') ? '/' : '';
    const dir = path.includes('/') ? exports.dirname(path) : '';
    return { root, dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
  };
  exports.format = ({ root = '', dir, base, name = '', ext = '' }) => (dir ? (dir === root ? dir : dir + '/') : root) + (base || name + ext);
  exports.posix = exports;
})
