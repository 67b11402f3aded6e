return select text as text from long where n = '{n}' via route '/long/{n}' using method get
