-- Any path of the service, for replies that are attacks.
create table bombs on select get from 'http://127.0.0.1:$SERVICE/bomb?coding={^coding}';
create table hostile on select get from 'http://127.0.0.1:$SERVICE/{^kind}';
create table long on select get from 'http://127.0.0.1:$SERVICE/long?n={^n}';
create table away on select get from 'http://127.0.0.1:$SERVICE/to?uri={^uri}';
create table sink on insert post to 'http://127.0.0.1:$SERVICE/sink?x={x}';
create table told on select get from 'http://127.0.0.1:$SERVICE/told?q={q}' using headers 'X-Q' = '{q}', 'Accept-Language' = '{lang}'
