return select * from losses via route '/losses' using method get
