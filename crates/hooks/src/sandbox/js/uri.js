// The URI that a hook may change (docs/spec/ql.md 5.4).
(function (native, host) {
  'use strict';
  const querystring = host.standard('querystring');

  class MutableUri {
    #base;
    #fragment;
    #params = new Map();

    constructor(text) {
      text = String(text);
      const hash = text.indexOf('#');
      this.#fragment = hash < 0 ? '' : text.slice(hash);
      if (hash >= 0) text = text.slice(0, hash);
      const mark = text.indexOf('?');
      this.#base = mark < 0 ? text : text.slice(0, mark);
      if (mark < 0) return;
      for (const pair of querystring.pairs(text.slice(mark + 1))) this.addParam(pair[0], pair[1]);
    }

    addParam(name, value) {
      name = String(name);
      const values = list(value);
      const known = this.#params.get(name);
      this.#params.set(name, known ? known.concat(values) : values);
      return this;
    }

    setParam(name, value) {
      this.#params.set(String(name), list(value));
      return this;
    }

    getParam(name) {
      return plain(this.#params.get(String(name)));
    }

    removeParam(name, value) {
      name = String(name);
      const known = this.#params.get(name);
      if (!known) return this;
      const kept = value === undefined ? [] : known.filter((each) => each !== String(value));
      if (kept.length) this.#params.set(name, kept);
      else this.#params.delete(name);
      return this;
    }

    params() {
      const all = {};
      for (const [name, values] of this.#params) Object.defineProperty(all, name, { value: plain(values), writable: true, enumerable: true, configurable: true });
      return all;
    }

    removeEmptyParams() {
      for (const [name, values] of this.#params) {
        if (values.length > 0 && !values.includes('')) continue;
        const kept = values.filter((value) => value !== '');
        if (kept.length) this.#params.set(name, kept);
        else this.#params.delete(name);
      }
      return this;
    }

    clone() {
      return new MutableUri(this.format());
    }

    format() {
      let query = '';
      this.#params.forEach((values, name) => {
        for (const value of values) query += (query === '' ? '?' : '&') + querystring.escape(name) + '=' + querystring.escape(value);
      });
      return this.#base + query + this.#fragment;
    }

    toString() { return this.format(); }
    toJSON() { return this.format(); }
  }

  function list(value) {
    if (Array.isArray(value)) return value.map((each) => (each === undefined || each === null ? '' : String(each)));
    return [value === undefined || value === null ? '' : String(value)];
  }
  function plain(values) {
    return values && (values.length === 1 ? values[0] : values.slice());
  }

  host.mutableUri = (text) => new MutableUri(text);
  // Returns the URIs of the requests that a hook returned.
  host.addresses = function addresses(given) {
    if (given === undefined || given === null || given === false) return [];
    const all = Array.isArray(given) ? given : [given];
    return all.map((each) => {
      if (typeof each === 'string') return each;
      if (each && typeof each.format === 'function') return String(each.format());
      throw new TypeError('patch uri has to return a URI, a list of them, or nothing');
    });
  };
  host.harden(MutableUri);
})
