u = require("lib/escape.js"); x = u.run("{how}"); return "{x}" via route '/escape/{how}' using method get
