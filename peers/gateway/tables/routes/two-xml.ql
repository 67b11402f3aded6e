return select itemId, title from search.xml.items where keywords = "{keywords}"
    via route '/two/xml/{keywords}' using method get
