-- What customers say. Several ids make several requests, and a list of what each says.
create table reviews
  on select get from 'http://reviews.example/of/{#^id}'
    resultset 'reviews';
