// events: emitters and their listeners.
(function (native, host, require, module, exports) {
  'use strict';
  function EventEmitter() {
    if (!this._events || this._events === Object.getPrototypeOf(this)._events) this._events = Object.create(null);
  }
  const listeners = (emitter, name) => (emitter._events && emitter._events[name]) || [];
  function add(emitter, name, act, first) {
    if (typeof act !== 'function') throw new TypeError('a listener has to be a function');
    if (!emitter._events) emitter._events = Object.create(null);
    const all = listeners(emitter, name);
    emitter._events[name] = first ? [act, ...all] : [...all, act];
    return emitter;
  }

  EventEmitter.prototype.on = EventEmitter.prototype.addListener = function (name, act) { return add(this, name, act, false); };
  EventEmitter.prototype.prependListener = function (name, act) { return add(this, name, act, true); };
  EventEmitter.prototype.once = function (name, act) {
    const emitter = this;
    function once(...given) {
      emitter.removeListener(name, once);
      return act.apply(this, given);
    }
    once.listener = act;
    return add(this, name, once, false);
  };
  EventEmitter.prototype.removeListener = EventEmitter.prototype.off = function (name, act) {
    const all = listeners(this, name);
    const at = all.findLastIndex((each) => each === act || each.listener === act);
    if (at >= 0) this._events[name] = all.toSpliced(at, 1);
    return this;
  };
  EventEmitter.prototype.removeAllListeners = function (name) {
    if (name === undefined) this._events = Object.create(null);
    else if (this._events) delete this._events[name];
    return this;
  };
  EventEmitter.prototype.emit = function (name, ...given) {
    const all = listeners(this, name);
    if (all.length === 0 && name === 'error') throw given[0] instanceof Error ? given[0] : new Error('an error event that nobody listens to: ' + given[0]);
    for (const act of all) act.apply(this, given);
    return all.length > 0;
  };
  EventEmitter.prototype.listeners = function (name) { return listeners(this, name).map((each) => each.listener || each); };
  EventEmitter.prototype.listenerCount = function (name) { return listeners(this, name).length; };
  EventEmitter.prototype.eventNames = function () { return Reflect.ownKeys(this._events || {}).filter((name) => this._events[name].length); };
  EventEmitter.prototype.setMaxListeners = function () { return this; };
  EventEmitter.listenerCount = (emitter, name) => listeners(emitter, name).length;

  EventEmitter.EventEmitter = EventEmitter;
  module.exports = EventEmitter;
})
