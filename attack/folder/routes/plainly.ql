return select * from plain where id = '{id}' via route '/plain?id={id}' using method get
