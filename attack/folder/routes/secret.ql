return select * from secret where q = '{q}' via route '/secret?q={q}' using method get
