return select id as id, name as name from good where id = '{id}' via route '/good/{id}' using method get
