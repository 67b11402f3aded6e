select title, price, tag from catalogue where q = 'lamp' limit 2
