return select * from away where uri = '{uri}' via route '/away?uri={uri}' using method get
