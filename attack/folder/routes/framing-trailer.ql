return {"ok": true} via route '/framing/Trailer' using method get using headers 'Trailer' = 'close'
