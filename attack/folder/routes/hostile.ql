return select * from hostile where kind = '{kind}' via route '/hostile/{kind}' using method get
