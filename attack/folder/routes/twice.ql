return select * from twice where k in ('1', '2') via route '/twice?k={k}' using defaults k = '0' using method get
