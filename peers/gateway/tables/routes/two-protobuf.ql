return select itemId, title from search.protobuf.items where keywords = "{keywords}"
    via route '/two/protobuf/{keywords}' using method get
