return select * from hosts where host = '{host}' via route '/host?host={host}' using method get
