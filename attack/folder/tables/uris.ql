-- A token in each part of a URI.
create table users on select get from 'http://127.0.0.1:$SERVICE/users/{^id}/profile';
create table plain on select get from 'http://127.0.0.1:$SERVICE/plain/{^`id`}/profile';
create table search on select get from 'http://127.0.0.1:$SERVICE/search?fixed=1&q={^q}&last=1';
create table hosts on select get from 'http://{^host}:$SERVICE/host';
create table ports on select get from 'http://127.0.0.1:{^port}/port';
create table schemes on select get from '{^scheme}://127.0.0.1:$SERVICE/scheme'
