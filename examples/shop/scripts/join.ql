sold = select i.id as id, i.title as title, i.maker as maker, p.gross as price, p.offer as offer
    from catalogue as i, quotes as p where i.q = 'lamp' and p.id = i.id;
makers = select * from suppliers;
return select s.title as title, s.price as price, s.offer as offer, m.town as town, m.days as days
    from sold as s, makers as m where m.maker = s.maker
