return select * from one where q = '{q}' via route '/one?q={q}' using method get
