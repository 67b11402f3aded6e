return {"ok": true} via route '/labelled?q={q}' using method get using headers 'X-Q' = '{q}', 'Cache-Control' = 'max-age={q}'
