// The names that programs written for Node expect everywhere.
(function (native, host) {
  'use strict';
  const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  define('global', globalThis);
  define('Buffer', host.standard('buffer').Buffer);

  const line = (severity) => (...given) => native.log(severity, host.standard('util').format(...given));
  define('console', {
    log: line('info'),
    info: line('info'),
    debug: line('info'),
    trace: line('info'),
    dir: (value) => native.log('info', host.standard('util').inspect(value)),
    warn: line('warn'),
    error: line('error'),
    assert(holds, ...given) { if (!holds) native.log('error', 'Assertion failed: ' + host.standard('util').format(...given)); },
    time() {},
    timeEnd() {},
  });

  define('process', {
    env: {},
    argv: [],
    pid: 0,
    platform: 'polywire',
    version: 'v0.0.0',
    versions: {},
    cwd: () => native.root,
    nextTick: (...given) => host.nextTick(...given),
    hrtime: () => { const now = native.now(); return [Math.floor(now / 1000), Math.floor(now % 1000 * 1e6)]; },
    uptime: () => native.now() / 1000,
    on() { return this; },
    exit() { throw new Error('process.exit is not for hooks'); },
  });
})
