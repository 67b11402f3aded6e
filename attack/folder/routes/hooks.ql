u = require("lib/hostile.js"); x = u.run("{what}", "{text}"); return "{x}" via route '/hook/{what}' using method post
