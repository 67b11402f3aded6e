// Ways out of the sandbox. Each returns what it got, or throws.
var ways = {
    fs: function () { return require('fs').readFileSync('/etc/passwd', 'utf8'); },
    fsUp: function () { return require('fs').readFileSync('../../../../../../etc/passwd', 'utf8'); },
    fsOwn: function () { return require('fs').readFileSync(__dirname + '/../../../../../../../etc/passwd', 'utf8'); },
    fsProc: function () { return require('fs').readFileSync('/proc/self/environ', 'utf8'); },
    fsExists: function () { return String(require('fs').existsSync('/etc/passwd')) === 'true' ? 'root: it is there' : 'no'; },
    fsWrite: function () { require('fs').writeFileSync(__dirname + '/escaped', 'x'); return 'root: written'; },
    requireUp: function () { return require('../../../../../../etc/passwd'); },
    requireRoot: function () { return require('/etc/passwd'); },
    childProcess: function () { return 'root:' + require('child_process').execSync('id'); },
    net: function () { return 'root:' + require('net').connect(22); },
    http: function () { return 'root:' + require('http').get('http://127.0.0.1:$OTHER/escaped'); },
    os: function () { return 'root:' + require('os').hostname(); },
    vm: function () { return 'root:' + require('vm').runInNewContext('1'); },
    binding: function () { return 'root:' + process.binding('fs'); },
    exit: function () { process.exit(1); return 'root: it goes on'; },
    kill: function () { process.kill(process.pid); return 'root: it goes on'; },
    env: function () { return Object.keys(process.env).length ? 'root:' + JSON.stringify(process.env) : 'none'; },
    mainModule: function () { return 'root:' + process.mainModule.require('child_process'); },
    constructorChain: function () { return 'root:' + this.constructor.constructor('return process')().mainModule.require('fs'); },
    functionMaker: function () { return Function('return typeof std + typeof os + typeof scriptArgs + typeof bjson')() === 'undefinedundefinedundefinedundefined' ? 'none' : 'root:'; },
    std: function () { return 'root:' + std.getenv('HOME'); },
    osModule: function () { return 'root:' + os.exec(['id']); },
    dynamic: function () { return import('fs').then(function (fs) { return 'root:' + fs; }); },
    dynamicFile: function () { return import('/etc/passwd').then(function (text) { return 'root:' + text; }); },
    evalImport: function () { return eval('import("os")').then(function (os) { return 'root:' + os; }); },
    worker: function () { return 'root:' + new Worker('x.js'); },
    shared: function () { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000); return 'waited'; },
    objectPrototype: function () { Object.prototype.polluted = 'root:'; return {}.polluted || 'clean'; },
    arrayPrototype: function () { Array.prototype.map = function () { return 'root:'; }; return [].map(String).length === 0 ? 'clean' : 'root:'; },
    jsonParse: function () { JSON.parse = function () { return 'root:'; }; return JSON.parse('1') === 1 ? 'clean' : 'root:'; },
    setPrototype: function () { Object.setPrototypeOf(Object.prototype, { polluted: 'root:' }); return {}.polluted || 'clean'; },
    definePrototype: function () { Object.defineProperty(Object.prototype, 'polluted', { value: 'root:' }); return {}.polluted || 'clean'; },
    assignPrototype: function () { ({}).__proto__.polluted = 'root:'; return {}.polluted || 'clean'; },
    functionPrototype: function () { Function.prototype.call = function () { return 'root:'; }; return (function () { return 'clean'; }).call(); },
    promisePrototype: function () { Promise.prototype.then = function () { return 'root:'; }; return 'clean'; },
    errorTrace: function () { Error.prepareStackTrace = function (error, trace) { return trace; };
        var trace = new Error('x').stack; return Array.isArray(trace) && trace[0] && trace[0].getThis ? 'root:' + trace[0].getThis() : 'clean'; },
    globalLeft: function () { leftBehind = 'root:'; return typeof globalThis.leftBehind; },
    globalSeen: function () { return typeof leftBehind === 'undefined' ? 'clean' : leftBehind; },
    asked: function () { return {}.polluted || 'clean'; }
};

exports.run = function (how) {
    return ways[how].call(this);
};

// Looks at a value of a caller, and at an object that has nothing to do with it.
exports.members = function (value) {
    var copy = {};
    for (var name in value) copy[name] = value[name];
    Object.assign({}, value);
    return { own: {}.polluted === undefined && [].polluted === undefined && ''.polluted === undefined, type: typeof value };
};
