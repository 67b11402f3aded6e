return {"ok": true} via route '/framing/Connection' using method get using headers 'Connection' = 'close'
