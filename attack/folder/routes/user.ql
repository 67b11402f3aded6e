return select * from users where id = '{id}' via route '/user/{id}' using method get
