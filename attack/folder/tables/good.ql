create table good on select get from 'http://127.0.0.1:$SERVICE/good?id={^id}'
