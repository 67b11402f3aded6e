u = require("lib/hostile.js"); x = u.run("{what}", ""); return "{x}" via route '/hook/{what}' using method get
