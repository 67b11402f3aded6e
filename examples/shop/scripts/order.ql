insert into orders (item, pieces, note) values ('0071', 2, 'to the back door, "please"')
