create table cached on select get from 'http://127.0.0.1:$SERVICE/counted?k={^k}' expires 60;
create table cookies on select get from 'http://127.0.0.1:$SERVICE/cookie?k={^k}' expires 60;
create table failing on select get from 'http://127.0.0.1:$SERVICE/failing?k={^k}' expires 60;
create table splits on select get from 'http://127.0.0.1:$SERVICE/split?k={^k}' expires 60;
create table behind on select get from 'http://127.0.0.1:$SERVICE/behind?k={^k}' expires 60
