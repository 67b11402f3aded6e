// Buffer: bytes with Node's names, a kind of Uint8Array.
(function (native, host, require, module, exports) {
  'use strict';
  const LONGEST = 0x3fffffff;

  function Buffer(value, encoding, length) {
    if (typeof value === 'number') return Buffer.alloc(value);
    return Buffer.from(value, encoding, length);
  }
  Object.setPrototypeOf(Buffer, Uint8Array);
  Object.setPrototypeOf(Buffer.prototype, Uint8Array.prototype);

  const dress = (bytes) => Object.setPrototypeOf(bytes, Buffer.prototype);
  const over = (buffer, offset, length) => dress(new Uint8Array(buffer, offset, length));
  host.buffer = (arrayBuffer) => over(arrayBuffer);

  const NAMES = { utf8: 'utf8', 'utf-8': 'utf8', ascii: 'ascii', latin1: 'latin1', binary: 'latin1', base64: 'base64', base64url: 'base64url', hex: 'hex',
    ucs2: 'utf16le', 'ucs-2': 'utf16le', utf16le: 'utf16le', 'utf-16le': 'utf16le' };
  function encodingOf(name) {
    if (name === undefined || name === null || name === '') return 'utf8';
    const known = NAMES[String(name).toLowerCase()];
    if (!known) throw new TypeError('Unknown encoding: ' + name);
    return known;
  }

  Buffer.alloc = function alloc(size, fill, encoding) {
    size = Number(size);
    if (!(size >= 0 && size <= LONGEST)) throw new RangeError('a Buffer cannot have the size ' + size);
    const made = dress(new Uint8Array(size));
    return fill === undefined || fill === 0 ? made : made.fill(fill, encoding);
  };
  Buffer.allocUnsafe = Buffer.allocUnsafeSlow = (size) => Buffer.alloc(size);

  Buffer.from = function from(value, encoding, length) {
    if (typeof value === 'string') return over(native.encode(value, encodingOf(encoding)));
    if (value instanceof ArrayBuffer) return over(value, encoding, length);
    if (ArrayBuffer.isView(value)) return dress(Uint8Array.from(value));
    if (value && value.type === 'Buffer' && Array.isArray(value.data)) return dress(Uint8Array.from(value.data));
    if (value && typeof value === 'object' && typeof value.length === 'number') return dress(Uint8Array.from(value));
    if (value && typeof value.valueOf() === 'string') return Buffer.from(value.valueOf(), encoding);
    throw new TypeError('a Buffer is made of text, bytes, a list of numbers, or another Buffer');
  };

  Buffer.concat = function concat(list, total) {
    if (!Array.isArray(list)) throw new TypeError('Buffer.concat takes a list of Buffers');
    if (total === undefined) total = list.reduce((sum, each) => sum + each.length, 0);
    const made = Buffer.alloc(total);
    let at = 0;
    for (const each of list) {
      if (at >= total) break;
      made.set(each.length > total - at ? each.subarray(0, total - at) : each, at);
      at += each.length;
    }
    return made;
  };
  Buffer.isBuffer = (value) => value instanceof Buffer;
  Buffer.isEncoding = (name) => typeof name === 'string' && Object.hasOwn(NAMES, name.toLowerCase());
  Buffer.byteLength = (value, encoding) => (typeof value === 'string' ? native.encode(value, encodingOf(encoding)).byteLength : value.byteLength);
  Buffer.compare = function compare(one, other) {
    const shared = Math.min(one.length, other.length);
    for (let at = 0; at < shared; at++) if (one[at] !== other[at]) return one[at] < other[at] ? -1 : 1;
    return Math.sign(one.length - other.length);
  };

  const within = (at, length, otherwise) => {
    if (at === undefined) return otherwise;
    at = Math.trunc(Number(at)) || 0;
    if (at < 0) at += length;
    return Math.min(Math.max(at, 0), length);
  };

  const methods = {
    toString(encoding, start, end) {
      return native.decode(start === undefined && end === undefined ? this : this.subarray(within(start, this.length, 0), within(end, this.length, this.length)),
        encodingOf(encoding));
    },
    toLocaleString(...given) { return this.toString(...given); },
    toJSON() { return { type: 'Buffer', data: Array.from(this) }; },
    inspect() { return '<Buffer ' + this.toString('hex', 0, 50).replace(/..(?=.)/g, '$& ') + (this.length > 50 ? ' ...' : '') + '>'; },
    slice(start, end) { return this.subarray(within(start, this.length, 0), within(end, this.length, this.length)); },
    equals(other) { return Buffer.compare(this, other) === 0; },
    compare(other) { return Buffer.compare(this, other); },
    copy(target, at, start, end) {
      const source = this.subarray(within(start, this.length, 0), within(end, this.length, this.length));
      at = Math.trunc(Number(at)) || 0;
      const fits = source.subarray(0, Math.max(target.length - at, 0));
      target.set(fits, at);
      return fits.length;
    },
    write(text, offset, length, encoding) {
      if (typeof offset === 'string') { encoding = offset; offset = 0; length = undefined; }
      else if (typeof length === 'string') { encoding = length; length = undefined; }
      offset = within(offset, this.length, 0);
      const room = Math.min(length === undefined ? Infinity : length, this.length - offset);
      return Buffer.from(String(text), encoding).copy(this, offset, 0, room);
    },
    fill(value, start, end, encoding) {
      if (typeof start === 'string') { encoding = start; start = undefined; }
      if (typeof value === 'string') value = Buffer.from(value, encoding);
      start = within(start, this.length, 0);
      end = within(end, this.length, this.length);
      if (typeof value === 'number') return Uint8Array.prototype.fill.call(this, value, start, end);
      if (value.length === 0) return Uint8Array.prototype.fill.call(this, 0, start, end);
      for (let at = start; at < end; at++) this[at] = value[(at - start) % value.length];
      return this;
    },
    indexOf(value, from, encoding) {
      if (typeof value === 'number') return Uint8Array.prototype.indexOf.call(this, value & 255, from);
      const wanted = typeof value === 'string' ? Buffer.from(value, encoding) : value;
      if (wanted.length === 0) return within(from, this.length, 0);
      for (let at = within(from, this.length, 0); at + wanted.length <= this.length; at++) {
        let same = 0;
        while (same < wanted.length && this[at + same] === wanted[same]) same++;
        if (same === wanted.length) return at;
      }
      return -1;
    },
    includes(value, from, encoding) { return this.indexOf(value, from, encoding) >= 0; },
  };

  const view = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  const NUMBERS = [['UInt8', 'Uint8', 1], ['Int8', 'Int8', 1], ['UInt16', 'Uint16', 2], ['Int16', 'Int16', 2], ['UInt32', 'Uint32', 4], ['Int32', 'Int32', 4],
    ['Float', 'Float32', 4], ['Double', 'Float64', 8], ['BigUInt64', 'BigUint64', 8], ['BigInt64', 'BigInt64', 8]];
  for (const [name, kind, size] of NUMBERS) {
    for (const order of size === 1 ? [''] : ['LE', 'BE']) {
      const little = order === 'LE';
      const read = (buffer, at) => view(buffer)['get' + kind](at === undefined ? 0 : at, little);
      const write = (buffer, value, at) => { view(buffer)['set' + kind](at === undefined ? 0 : at, value, little); return (at || 0) + size; };
      for (const each of new Set([name, name.replace('UInt', 'Uint')])) {
        methods['read' + each + order] = function (at) { return read(this, at); };
        methods['write' + each + order] = function (value, at) { return write(this, value, at); };
      }
    }
  }
  for (const name of Object.keys(methods)) Object.defineProperty(Buffer.prototype, name, { value: methods[name], writable: true, configurable: true });
  Object.defineProperty(Buffer.prototype, 'parent', { get() { return this.buffer; }, configurable: true });

  exports.Buffer = Buffer;
  exports.SlowBuffer = Buffer;
  exports.kMaxLength = LONGEST;
})
