a = select * from one where q = '{list}'; return "{a}" via route '/bodied' using method post
