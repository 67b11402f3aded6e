-- Orders, in **JSON** both ways.
create table orders
  on insert post to 'http://orders.example/orders'
    using defaults pieces = 1
    using bodyTemplate 'orders.json.mu' type 'application/json';
