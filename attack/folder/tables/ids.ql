-- One request for each `k`, and a long request id back.
create table ids on select get from 'http://127.0.0.1:$SERVICE/id?n={n}&k={k}' using defaults n = '500';
create table rows on select get from 'http://127.0.0.1:$SERVICE/rows?n={n}&k={k}' using defaults n = '50';
create table one on select get from 'http://127.0.0.1:$SERVICE/one?q={q}&r={r}';
create table losses on select get from 'http://127.0.0.1:$SERVICE/losses'
