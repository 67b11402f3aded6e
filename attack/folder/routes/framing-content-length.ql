return {"ok": true} via route '/framing/Content-Length' using method get using headers 'Content-Length' = 'close'
