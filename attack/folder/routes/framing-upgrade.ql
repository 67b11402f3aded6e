return {"ok": true} via route '/framing/Upgrade' using method get using headers 'Upgrade' = 'close'
