// The service dislikes parameters without a value, and says errors with status 200.

exports['patch uri'] = function (args) {
    return args.uri.removeEmptyParams();
};

exports['patch status'] = function (args) {
    return args.body.reply && args.body.reply.error ? 400 : 200;
};
