return {"ok": true} via route '/framing/TE' using method get using headers 'TE' = 'close'
