return select * from secretfails where q = '{q}' via route '/secretfails?q={q}' using method get
