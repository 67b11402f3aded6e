return {"ok": true} via route '/parsed' using method post
