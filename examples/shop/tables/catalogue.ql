-- What the shop sells: a service that answers in **XML**.
--
-- A reply with one item has the same shape as one with many, and ids keep their zeros, since the table says so.
create table catalogue
  on select get from 'http://catalogue.example/items?q={^q}&maker={maker}&limit={limit}&language={language}'
    using headers 'X-Shop-Key' = '{config.shop.key}'
    using defaults language = '{config.shop.language}'
    using patch 'catalogue.js'
    resultset 'reply.items.item'
    expires 60
    with arrays 'reply.items.item', 'reply.items.item.tag'
         numbers 'reply.items.item.price'
         text 'reply.items.item.id';
