return insert into sink (x) values ('{x}') via route '/write' using method post
