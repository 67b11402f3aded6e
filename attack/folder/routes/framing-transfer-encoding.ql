return {"ok": true} via route '/framing/Transfer-Encoding' using method get using headers 'Transfer-Encoding' = 'close'
