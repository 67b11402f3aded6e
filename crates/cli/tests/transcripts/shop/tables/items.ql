create table items
    on select get from 'http://shop.example/items?q={q}'
    resultset 'items'
