-- Items with their prices and what is left of them: one request of the caller's, and as many of ours as it takes.
items = select id, title, maker from catalogue where q = '{words}' and maker = '{maker}' limit 10;
priced = select i.id as id, i.title as title, p.gross as price from catalogue as i, quotes as p
    where i.q = '{words}' and i.maker = '{maker}' and p.id = i.id;
return {"items": "{priced}", "from": "{items[0][2]}"}
    via route '/search/{words}?maker={maker}'
    with optional params
    using method get
    using headers 'Cache-Control' = 'max-age=60'
