// http and https: there is no network. Packages require them at their top and use them for a part
// of their work, so they load, and their functions throw.
(function (native, host, require, module, exports) {
  'use strict';
  function refuse() {
    throw new Error('there is no network in the sandbox: requests are made by tables');
  }

  exports.Agent = class Agent {};
  exports.globalAgent = new exports.Agent();
  exports.request = refuse;
  exports.get = refuse;
  exports.createServer = refuse;
  exports.createClient = refuse;
})
