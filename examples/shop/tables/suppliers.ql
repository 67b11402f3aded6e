-- Where things come from: a file in **CSV** with a header.
create table suppliers
  on select get from 'http://files.example/suppliers.csv'
    with numbers 'days';
