return {"ok": true} via route '/framing/Keep-Alive' using method get using headers 'Keep-Alive' = 'close'
