// Calls of functions of modules, made by the host.
(function (native, host) {
  'use strict';

  function member(file, path) {
    let owner;
    let value = host.load(file);
    for (const name of path) {
      owner = value;
      value = value === undefined || value === null ? undefined : value[name];
    }
    return { owner, value };
  }

  // Returns the names of the functions that a module exports.
  host.exported = function exported(file) {
    const exports = host.load(file);
    if (exports === null || (typeof exports !== 'object' && typeof exports !== 'function')) return [];
    return Object.keys(exports).filter((name) => typeof exports[name] === 'function');
  };

  host.exportedValue = (file, name) => member(file, [name]).value;

  // Calls a hook. A hook that is missing by now lets everything pass. One that returns nothing
  // leaves the member `field` of its record as the record now has it.
  host.hook = function hook(file, name, record, field, given) {
    const { owner, value } = member(file, [name]);
    if (typeof value !== 'function') return field === null ? given && true : record[field];
    const result = host.outcome(given ? value.call(owner, record, ...given) : value.call(owner, record));
    return result === undefined && field !== null && field !== 'uri' ? record[field] : result;
  };

  host.apply = function apply(file, name, given) {
    const { owner, value } = member(file, name.split('.'));
    if (typeof value !== 'function') throw new TypeError('the module exports no function ' + name);
    return host.outcome(value.apply(owner, given));
  };

  // Calls a function for one row after the other; it answers through the receiver. The first of
  // `asked` is at `first` in `rows`; without `rows`, these are fetched when a function looks at
  // them.
  host.rows = function rows(file, name, asked, rows, first, given) {
    let all = rows;
    const { value } = member(file, name.split('.'));
    if (typeof value !== 'function') throw new TypeError('the module exports no function ' + name);
    const answers = [];
    for (let at = 0; at < asked.length; at++) {
      const index = first + at;
      let answered = false;
      let failure;
      let answer;
      const next = (error, result) => {
        if (answered) return;
        answered = true;
        failure = error;
        answer = result;
      };
      const receiver = {
        row: asked[at],
        get rows() {
          if (all === undefined) all = native.later(host);
          return all;
        },
        set rows(value) { Object.defineProperty(this, 'rows', { value, writable: true, enumerable: true, configurable: true }); },
        index,
        next,
        callback: next,
      };
      const returned = value.apply(receiver, given[at]);
      if (!answered) host.outcome(returned);
      if (!answered) host.settle(() => answered);
      if (!answered) throw new Error(name + ' has not answered for row ' + index + ': it has to call this.next(error, row)');
      if (failure !== undefined && failure !== null && failure !== false) throw failure;
      answers.push(answer === undefined ? null : answer);
    }
    return answers;
  };

  // Calls a function that answers through a callback (error).
  host.authorise = function authorise(file, params, config) {
    const exports = host.load(file);
    const auth = typeof exports === 'function' ? exports : exports && exports.auth;
    if (typeof auth !== 'function') throw new TypeError('the module exports no function auth');
    let answered = false;
    let failure;
    const returned = auth.call(exports, params, config, (error) => {
      if (answered) return;
      answered = true;
      failure = error;
    });
    if (!answered) host.outcome(returned);
    if (!answered) host.settle(() => answered);
    if (!answered) throw new Error('auth has not answered: it has to call its third argument');
    if (failure !== undefined && failure !== null && failure !== false) throw failure;
    return params;
  };

  // Calls a transformer, which returns the structure or passes it to its callback.
  host.transform = function transform(file, text, headers) {
    const { owner, value } = member(file, ['toJson']);
    if (typeof value !== 'function') throw new TypeError('the module exports no function toJson');
    let answered = false;
    let failed = false;
    let answer;
    const keep = (failure) => (result) => {
      if (answered) return;
      answered = true;
      failed = failure;
      answer = result;
    };
    const returned = host.outcome(value.call(owner, text, keep(false), keep(true), headers));
    if (!answered && returned !== undefined) return returned;
    if (!answered) host.settle(() => answered);
    if (!answered) throw new Error('toJson has returned nothing: it has to return the structure, or to pass it to its second argument');
    if (failed) throw answer;
    return answer;
  };
})
