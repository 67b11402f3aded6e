// What a customer pays, to the cent.

exports['patch response'] = function (args) {
    args.body.quote.forEach(function (quote) {
        quote.gross = Math.round(quote.net_cents * (100 + quote.vat_percent) / 100) / 100;
    });
    return args.body;
};
