return select searchResult.item, errorMessage from search.protobuf.hooks where keywords = "{keywords}"
    via route '/hooks/protobuf/{keywords}' using method get
