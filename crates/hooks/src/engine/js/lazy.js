// Values of the host as objects that are filled when a script looks at them.
(function (native, host) {
  'use strict';
  const { get, set, has, ownKeys, getOwnPropertyDescriptor, defineProperty, deleteProperty, setPrototypeOf, preventExtensions } = Reflect;

  // Members are fetched one by one. Those of a small list, and of a small object after some of
  // them, are fetched all at once.
  const FEW = 24;
  const SOME = 4;
  const INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

  class Handler {
    constructor(call, at, count, list, part, up) {
      this.call = call;
      this.at = at;
      this.count = count;
      this.list = list;
      // An object of which members may be missing: looking at them all, or changing them, needs the
      // others.
      this.part = part && !list;
      this.up = up;
      this.full = false;
      this.dirty = false;
      this.fetched = null;
      this.proxy = null;
    }

    fill(target) {
      native.fill(host, this.call, this.at, target, this, this.fetched);
      this.fetched = null;
      this.full = true;
    }

    soil(target) {
      if (!this.full) this.fill(target);
      for (let node = this; node && !node.dirty; node = node.up) node.dirty = true;
    }

    get(target, key, receiver) {
      if (this.full) return receiver === this.proxy ? target[key] : get(target, key, receiver);
      if (typeof key !== 'string') return target[key];
      if (this.list) {
        if (key === 'length') return this.count;
        if (!INDEX.test(key)) return target[key];
      }
      if (!this.part && this.count <= FEW && (this.list || (this.fetched !== null && this.fetched.size >= SOME))) {
        this.fill(target);
        return target[key];
      }
      const value = this.fetch(key);
      return value === undefined ? target[key] : value;
    }

    fetch(key) {
      if (this.fetched === null) this.fetched = new Map();
      let value = this.fetched.get(key);
      if (value !== undefined) return value;
      value = native.member(host, this.call, this.at, key, this);
      if (value !== undefined) this.fetched.set(key, value);
      return value;
    }

    has(target, key) {
      if (!this.full) {
        if (this.part && typeof key === 'string') return this.fetch(key) !== undefined || has(target, key);
        this.fill(target);
      }
      return has(target, key);
    }

    ownKeys(target) {
      if (!this.full) this.fill(target);
      return ownKeys(target);
    }

    getOwnPropertyDescriptor(target, key) {
      if (!this.full) {
        if (this.part && typeof key === 'string') {
          const value = this.fetch(key);
          return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
        }
        this.fill(target);
      }
      return getOwnPropertyDescriptor(target, key);
    }

    set(target, key, value, receiver) {
      if (receiver !== this.proxy) {
        if (!this.full) this.fill(target);
        return set(target, key, value, receiver);
      }
      this.soil(target);
      return set(target, key, value, target);
    }

    deleteProperty(target, key) {
      this.soil(target);
      return deleteProperty(target, key);
    }

    defineProperty(target, key, descriptor) {
      this.soil(target);
      return defineProperty(target, key, descriptor);
    }

    setPrototypeOf(target, proto) {
      this.soil(target);
      return setPrototypeOf(target, proto);
    }

    preventExtensions(target) {
      this.soil(target);
      return preventExtensions(target);
    }
  }

  Object.freeze(Handler.prototype);
  host.Handler = Handler.prototype;

  host.wrap = function wrap(call, at, count, list, part, up) {
    const handler = new Handler(call, at, count, list, part, up || null);
    handler.proxy = new Proxy(list ? [] : {}, handler);
    return handler.proxy;
  };
})
