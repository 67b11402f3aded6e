return select * from cookies where k = '{k}' via route '/cookies/{k}' using method get
