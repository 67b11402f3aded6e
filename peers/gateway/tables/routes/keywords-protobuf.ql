return select searchResult.item, errorMessage from search.protobuf where keywords = "{keywords}"
    via route '/keywords/protobuf/{keywords}' using method get
