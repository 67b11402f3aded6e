return select * from failing where k = '{k}' via route '/failing/{k}' using method get
