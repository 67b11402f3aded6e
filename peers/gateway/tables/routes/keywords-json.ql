return select searchResult.items, errorMessage from search.json where keywords = "{keywords}"
    via route '/keywords/json/{keywords}' using method get
