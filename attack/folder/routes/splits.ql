return select * from splits where k = '{k}' via route '/splits/{k}' using method get
