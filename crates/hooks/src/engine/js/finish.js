// The end of a call.
(function (native, host) {
  'use strict';
  host.never = () => false;

  host.finish = function finish(globalsChanged) {
    host.dropTimers();
    if (globalsChanged) host.sweepGlobals();
  };
})
