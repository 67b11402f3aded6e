// What the published test has its tables do: pages by number, filters as indexed parameters, a failure that comes with status 200.
var filters = ['FreeShippingOnly', 'MinPrice', 'BestOfferOnly', 'ListingType'];

exports['patch uri'] = function (args) {
    var uri = args.uri, params = args.params, used = 0;
    if (Number(params.offset) && Number(params.limit)) {
        uri.addParam('paginationInput.pageNumber', params.offset / params.limit);
    }
    uri.removeEmptyParams();
    filters.forEach(function (name) {
        if (params[name]) {
            uri.addParam('itemFilter(' + used + ').name', name);
            uri.addParam('itemFilter(' + used + ').value', params[name]);
            used += 1;
        }
    });
    return uri;
};

exports['patch status'] = function (args) {
    var body = args.body, envelope = body && body['soapenv:Envelope'];
    var reply = envelope ? envelope['soapenv:Body'].findItemsByKeywordsResponse : body;
    return reply && (reply.ack === 'Failure' || reply.errorMessage) ? 400 : 200;
};
