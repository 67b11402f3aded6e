-- Credentials as old tables have them.
create table secret
    on select get from 'http://user:$SECRETpass@127.0.0.1:$SERVICE/quiet?api_key=$SECRETkey&access_token=$SECRETtoken&brand=$SECRETbrand&q={q}'
    using headers 'Authorization' = 'Bearer $SECRETbearer', 'Cookie' = 'a=$SECRETcookie', 'X-Api-Key' = '$SECRETheader', 'X-Brand' = '$SECRETown'
    using defaults password = '$SECRETdefault';
create table secretfails
    on select get from 'http://127.0.0.1:$SERVICE/failing?api_key=$SECRETkey&q={q}'
    using headers 'X-Api-Key' = '$SECRETheader';
create table moved
    on select get from 'http://127.0.0.1:$SERVICE/to?uri=http%3A%2F%2F127.0.0.1%3A$OTHER%2Flanded'
    using headers 'X-Api-Key' = '$SECRETheader', 'Authorization' = 'Bearer $SECRETbearer', 'Cookie' = 'a=$SECRETcookie', 'X-Brand' = '$SECRETown'
