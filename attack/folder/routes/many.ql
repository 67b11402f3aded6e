return select ok from ids where k = '{ks}' via route '/many' using method post
