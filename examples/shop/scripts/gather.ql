items = select * from catalogue where q = 'lamp';
prices = select id, gross from quotes where id in ('{items.id}');
left = select * from stock where id in ('{items.id}');
makers = select maker, days from suppliers;
return {"titles": "{items.title}", "prices": "{prices}", "left": "{left}", "makers": "{makers}"}
