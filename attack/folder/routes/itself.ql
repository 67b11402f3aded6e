return select * from itself via route '/itself' using method get
