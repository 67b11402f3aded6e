// assert: claims that throw when they do not hold.
(function (native, host, require, module, exports) {
  'use strict';
  const { inspect } = require('util');

  function AssertionError({ message, actual, expected, operator }) {
    const error = new Error(message || inspect(actual) + ' ' + operator + ' ' + inspect(expected));
    Object.setPrototypeOf(error, AssertionError.prototype);
    Object.assign(error, { name: 'AssertionError', code: 'ERR_ASSERTION', actual, expected, operator });
    return error;
  }
  AssertionError.prototype = Object.create(Error.prototype);

  function fail(actual, expected, message, operator) {
    if (message instanceof Error) throw message;
    throw new AssertionError({ message, actual, expected, operator });
  }

  function same(one, other, strict, above = []) {
    if (strict ? Object.is(one, other) : one == other) return true;
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return !strict && one !== one && other !== other;
    if (above.some(([left, right]) => left === one && right === other)) return true;
    if (Array.isArray(one) !== Array.isArray(other)) return false;
    if (strict && Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
    if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
    if (one instanceof RegExp && other instanceof RegExp) return String(one) === String(other);
    const inner = above.concat([[one, other]]);
    if ((one instanceof Map && other instanceof Map) || (one instanceof Set && other instanceof Set)) return same([...one], [...other], strict, inner);
    const keys = Object.keys(one);
    if (keys.length !== Object.keys(other).length) return false;
    return keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key], strict, inner));
  }

  const assert = (value, message) => { if (!value) fail(value, true, message, '=='); };
  assert.ok = assert;
  assert.same = same;
  assert.AssertionError = AssertionError;
  assert.fail = (message) => fail(undefined, undefined, message || 'Failed', 'fail');
  assert.equal = (one, other, message) => { if (!(one == other || (one !== one && other !== other))) fail(one, other, message, '=='); };
  assert.notEqual = (one, other, message) => { if (one == other) fail(one, other, message, '!='); };
  assert.strictEqual = (one, other, message) => { if (!Object.is(one, other)) fail(one, other, message, '==='); };
  assert.notStrictEqual = (one, other, message) => { if (Object.is(one, other)) fail(one, other, message, '!=='); };
  assert.deepEqual = (one, other, message) => { if (!same(one, other, false)) fail(one, other, message, 'deepEqual'); };
  assert.notDeepEqual = (one, other, message) => { if (same(one, other, false)) fail(one, other, message, 'notDeepEqual'); };
  assert.deepStrictEqual = (one, other, message) => { if (!same(one, other, true)) fail(one, other, message, 'deepStrictEqual'); };
  assert.notDeepStrictEqual = (one, other, message) => { if (same(one, other, true)) fail(one, other, message, 'notDeepStrictEqual'); };
  assert.ifError = (value) => { if (value !== undefined && value !== null) throw value; };
  assert.throws = function throws(act, expected, message) {
    try {
      act();
    } catch (error) {
      const holds = expected === undefined || typeof expected === 'string' ? true
        : expected instanceof RegExp ? expected.test(String(error))
          : typeof expected === 'function' ? error instanceof expected || (!(expected.prototype instanceof Error) && expected !== Error && expected(error) === true)
            : Object.keys(expected).every((key) => same(error[key], expected[key], true));
      if (!holds) throw error;
      return;
    }
    fail(undefined, expected, typeof expected === 'string' ? expected : message || 'Missing expected exception', 'throws');
  };
  assert.doesNotThrow = (act) => { act(); };
  assert.strict = assert;
  module.exports = assert;
})
