return select * from told where q = '{q}' and lang = '{lang}' via route '/told?q={q}&lang={lang}' using method get
