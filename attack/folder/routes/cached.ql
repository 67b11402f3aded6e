return select * from cached where k = '{k}' via route '/cached/{k}' using method get
