return select * from one where q = '{q}' and r = '{r}' via route '/two/{q}' using method post
