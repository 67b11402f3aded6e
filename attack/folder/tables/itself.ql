create table itself on select get from 'http://127.0.0.1:$SELF/itself';
create table twice on select get from 'http://127.0.0.1:$SELF/twice?k={k}';
create table asks on select get from 'http://127.0.0.1:$SELF/q?s={^s}'
