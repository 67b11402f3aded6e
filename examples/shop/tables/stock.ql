-- How many pieces are left: a service that answers in **JSON**, one item at a time.
create table stock
  on select get from 'http://depot.example/stock/{#^id}';

-- The old depot's list, which knows less.
create table stock.old
  on select get from 'http://depot.example/old/stock?id={^id}'
    resultset 'row';
