// crypto: digests, with and without a key.
(function (native, host, require, module, exports) {
  'use strict';
  const KNOWN = ['md5', 'sha1', 'sha256', 'sha512'];
  const bytes = (data, encoding) => (typeof data === 'string' ? Buffer.from(data, encoding) : Buffer.from(data));

  class Digest {
    #name;
    #key;
    #parts = [];
    #done = false;

    constructor(name, key) {
      const plain = String(name).toLowerCase().replace('-', '');
      if (!KNOWN.includes(plain)) throw new Error('Digest method not supported: ' + name + '; there are ' + KNOWN.join(', '));
      this.#name = plain;
      this.#key = key;
    }

    update(data, encoding) {
      if (this.#done) throw new Error('the digest has been taken already');
      this.#parts.push(bytes(data, encoding));
      return this;
    }

    digest(encoding) {
      if (this.#done) throw new Error('the digest has been taken already');
      this.#done = true;
      const made = Buffer.from(native.digest(this.#name, this.#key, Buffer.concat(this.#parts)));
      return encoding && encoding !== 'buffer' ? made.toString(encoding) : made;
    }
  }

  exports.createHash = (name) => new Digest(name, undefined);
  exports.createHmac = (name, key) => new Digest(name, bytes(key));
  exports.getHashes = () => KNOWN.slice();
  exports.timingSafeEqual = function timingSafeEqual(one, other) {
    if (one.length !== other.length) throw new RangeError('the lengths differ');
    let differs = 0;
    for (let at = 0; at < one.length; at++) differs |= one[at] ^ other[at];
    return differs === 0;
  };
})
