return select * from behind where k = '{k}' via route '/behind/{k}' using method get
