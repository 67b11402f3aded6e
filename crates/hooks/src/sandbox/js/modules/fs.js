// fs: reading files below the table directory.
(function (native, host, require, module, exports) {
  'use strict';
  exports.readFileSync = function readFileSync(path, options) {
    const encoding = typeof options === 'string' ? options : options && options.encoding;
    const made = Buffer.from(native.readFile(String(path)));
    return encoding ? made.toString(encoding) : made;
  };
  exports.existsSync = (path) => native.exists(String(path));
})
