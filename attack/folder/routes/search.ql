return select * from search where q = '{q}' via route '/search?q={q}' using method get
