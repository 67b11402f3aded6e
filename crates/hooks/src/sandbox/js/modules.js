// CommonJS modules: files below the table directory, packages of its node_modules, and the built-in
// ones.
(function (native, host) {
  'use strict';
  const loaded = new Map();
  const builtIn = new Map();
  let depth = 0;

  function load(file) {
    const known = loaded.get(file);
    if (known) return known;
    const dirname = native.directory(file);
    const module = { id: file, filename: file, loaded: false, exports: {}, children: [], paths: [] };
    loaded.set(file, module);
    depth++;
    try {
      if (file.endsWith('.json')) {
        module.exports = native.json(file);
      } else {
        const require = makeRequire(dirname);
        module.require = require;
        native.compile(file).call(module.exports, module.exports, require, module, file, dirname);
      }
      module.loaded = true;
    } catch (error) {
      loaded.delete(file);
      throw error;
    } finally {
      depth--;
    }
    if (depth === 0) host.keepGlobals();
    return module;
  }

  function standard(name) {
    const known = builtIn.get(name);
    if (known) return known.exports;
    const make = native.builtIn(name);
    if (!make) return undefined;
    const module = { exports: {} };
    builtIn.set(name, module);
    make.call(module.exports, native, host, standard, module, module.exports);
    host.harden(module.exports);
    return module.exports;
  }

  function makeRequire(dirname) {
    function require(name) {
      if (typeof name !== 'string' || name === '') throw new TypeError('require takes the name of a module');
      const found = standard(name.startsWith('node:') ? name.slice(5) : name);
      if (found !== undefined) return found;
      return load(native.resolve(dirname, name)).exports;
    }
    require.resolve = (name) => native.resolve(dirname, name);
    require.cache = {};
    require.extensions = {};
    return require;
  }

  host.standard = standard;
  host.load = (file) => load(file).exports;
})
