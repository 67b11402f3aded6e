return select * from twice where k in ('1', '2') via route '/twice?k={k}' using method get using defaults k = '0'
