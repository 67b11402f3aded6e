return select * from schemes where scheme = '{scheme}' via route '/scheme?scheme={scheme}' using method get
