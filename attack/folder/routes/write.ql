return insert into sink (x) values ('{x}') via route '/write?x={x}' using method get
