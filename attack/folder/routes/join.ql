return select a.id as id, b.asked as asked from rows as a, one as b where a.n = '{n}' and b.q = a.id via route '/join?n={n}' using method get
