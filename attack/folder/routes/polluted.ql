u = require("lib/escape.js"); x = u.members("{value}"); return "{x}" via route '/polluted' using method post
