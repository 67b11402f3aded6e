return select searchResult.item, errorMessage from search.xml.hooks where keywords = "{keywords}"
    via route '/hooks/xml/{keywords}' using method get
