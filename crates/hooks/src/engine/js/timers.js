// setTimeout and its kin. Nothing runs by itself: a call that waits for an answer runs what is due;
// other calls drop it.
(function (native, host) {
  'use strict';
  let ticks = [];
  let timers = [];
  let last = 0;

  function add(act, delay, given, period) {
    if (typeof act !== 'function') throw new TypeError('a timer needs a function');
    const wait = Math.min(Math.max(Number(delay) || 0, 0), 2147483647);
    const timer = { id: ++last, act, given, due: native.now() + wait, period: period ? Math.max(wait, 1) : 0, unref() { return this; }, ref() { return this; } };
    timers.push(timer);
    return timer;
  }
  function remove(timer) {
    const id = typeof timer === 'object' && timer ? timer.id : timer;
    timers = timers.filter((each) => each.id !== id);
  }

  const timing = {
    setTimeout(act, delay, ...given) { return add(act, delay, given, false); },
    setInterval(act, delay, ...given) { return add(act, delay, given, true); },
    setImmediate(act, ...given) { return add(act, 0, given, false); },
    clearTimeout: remove,
    clearInterval: remove,
    clearImmediate: remove,
  };
  for (const name of Object.keys(timing)) Object.defineProperty(globalThis, name, { value: timing[name], writable: true, configurable: true });

  host.nextTick = function nextTick(act, ...given) {
    if (typeof act !== 'function') throw new TypeError('nextTick takes a function');
    ticks.push(() => act(...given));
  };

  function runReady() {
    do {
      while (ticks.length) ticks.shift()();
    } while (native.job() || ticks.length);
  }

  // Runs what waits until `done`, or until nothing is left that could make it so.
  host.settle = function settle(done) {
    for (;;) {
      runReady();
      if (done() || timers.length === 0) return;
      let next = timers[0];
      for (const timer of timers) if (timer.due < next.due) next = timer;
      native.sleep(next.due - native.now());
      if (next.period) next.due += next.period;
      else remove(next);
      next.act(...next.given);
    }
  };

  // Returns the value of a promise, or the value itself.
  host.outcome = function outcome(value) {
    if (typeof value !== 'object' || value === null || typeof value.then !== 'function') return value;
    let state = 0;
    let result;
    value.then((given) => { state = 1; result = given; }, (error) => { state = 2; result = error; });
    host.settle(() => state !== 0);
    if (state === 0) throw new Error('the returned promise is never settled');
    if (state === 2) throw result;
    return result;
  };

  host.dropTimers = function dropTimers() {
    if (ticks.length) ticks = [];
    if (timers.length) timers = [];
  };
})
