// Makes the language's own objects unchangeable, so that no call and no module can change what
// others find.
(function (native, host) {
  'use strict';
  const { freeze, defineProperty, getPrototypeOf } = Object;
  const { ownKeys, apply, getOwnPropertyDescriptor } = Reflect;

  // Longer than any real list within the memory limit. The engine walks to a claimed length without
  // looking at the clock.
  const LONGEST = 1e7;

  function guard(name) {
    const original = Array.prototype[name];
    const guarded = {
      [name](...given) {
        if (this.length > LONGEST) throw new RangeError('Array.prototype.' + name + ': a length of ' + this.length + ' is too large');
        return apply(original, this, given);
      },
    }[name];
    defineProperty(guarded, 'length', { value: original.length });
    defineProperty(Array.prototype, name, { value: guarded });
  }

  // Softens members that programs give to objects of their own by plain assignment, which a frozen
  // prototype would forbid.
  function soften(proto, names) {
    for (const name of names || ownKeys(proto)) {
      const found = getOwnPropertyDescriptor(proto, name);
      if (!found || !('value' in found) || !found.configurable) continue;
      const { value, enumerable } = found;
      defineProperty(proto, name, {
        get() { return value; },
        set(given) {
          if (this === proto) throw new TypeError('the language\'s own objects cannot be changed: ' + String(name));
          defineProperty(this, name, { value: given, writable: true, enumerable: true, configurable: true });
        },
        enumerable,
        configurable: false,
      });
    }
  }

  // Roots are only kept until all members are softened.
  let kept = [];
  const hard = new Set();
  host.harden = function harden(root) {
    if (kept) {
      kept.push(root);
      return;
    }
    const waiting = [root];
    while (waiting.length) {
      const object = waiting.pop();
      if ((typeof object !== 'object' || object === null) && typeof object !== 'function') continue;
      if (hard.has(object)) continue;
      hard.add(object);
      for (const key of ownKeys(object)) {
        const found = getOwnPropertyDescriptor(object, key);
        if (!('value' in found)) waiting.push(found.get, found.set);
        else if (typeof found.value === 'object' || typeof found.value === 'function') waiting.push(found.value);
      }
      waiting.push(getPrototypeOf(object));
      if (!ArrayBuffer.isView(object)) freeze(object);
    }
  };

  host.lockDown = function lockDown() {
    for (const name of ['Atomics', 'SharedArrayBuffer', 'gc', 'navigator']) delete globalThis[name];
    for (const name of ['indexOf', 'lastIndexOf', 'join', 'toLocaleString', 'reverse', 'fill', 'slice', 'splice', 'copyWithin', 'sort',
      'unshift', 'shift', 'flat', 'toReversed', 'toSorted', 'toSpliced', 'with', 'concat']) guard(name);
    // Both would be state that outlives a call.
    defineProperty(Error, 'stackTraceLimit', { get() { return 10; }, set() {}, configurable: false });
    defineProperty(Error, 'prepareStackTrace', { get() { return undefined; }, set() {}, configurable: false });
    defineProperty(BigInt.prototype, 'toJSON', { value() { return this.toString(); }, configurable: true, writable: true });

    soften(Object.prototype);
    for (const name of ['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError', 'InternalError', 'AggregateError']) {
      if (globalThis[name]) soften(globalThis[name].prototype);
    }
    for (const type of [Array, Function, Date, RegExp, Promise, Map, Set, Uint8Array, globalThis.Buffer]) {
      soften(type.prototype, ['constructor', 'toString', 'toLocaleString', 'toJSON', 'name', 'inspect']);
    }

    const roots = kept;
    kept = null;
    roots.forEach(host.harden);
    host.harden(host.log);
    // Objects that only syntax reaches.
    const hidden = [function* () {}, async function () {}, async function* () {}, [][Symbol.iterator](), new Map()[Symbol.iterator](),
      new Set()[Symbol.iterator](), ''[Symbol.iterator](), 'a'.matchAll(/a/g)].map(getPrototypeOf);
    for (const object of hidden) host.harden(object);
    for (const key of ownKeys(globalThis)) {
      const found = getOwnPropertyDescriptor(globalThis, key);
      if (key === 'globalThis' || key === 'global') {
        defineProperty(globalThis, key, { writable: false, configurable: false });
        continue;
      }
      host.harden(found.value);
      if (found.configurable) defineProperty(globalThis, key, 'value' in found ? { writable: false, configurable: false } : { configurable: false });
    }
    // Otherwise a script could put an object with setters of its own between the globals and
    // Object.prototype.
    Object.setPrototypeOf(globalThis, Object.prototype);
    host.objectPrototype = Object.prototype;
    know(ownKeys(globalThis));
  };

  function know(keys) {
    host.known = new Set(keys);
    host.knownCount = host.known.size;
  }

  // Variables that a call forgot to declare go when it ends; those that modules made while loading
  // stay.
  host.keepGlobals = function keepGlobals() {
    const keys = ownKeys(globalThis);
    if (keys.length !== host.known.size) know(keys);
  };
  host.sweepGlobals = function sweepGlobals() {
    if (getPrototypeOf(globalThis) !== Object.prototype) Object.setPrototypeOf(globalThis, Object.prototype);
    const keys = ownKeys(globalThis);
    if (keys.length === host.known.size) return;
    for (const key of keys) if (!host.known.has(key)) delete globalThis[key];
  };
})
