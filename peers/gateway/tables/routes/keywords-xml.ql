return select searchResult.item, errorMessage from search.xml where keywords = "{keywords}"
    via route '/keywords/xml/{keywords}' using method get
