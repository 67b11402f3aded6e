-- Today's prices: a service that takes **XML** and answers in **Protobuf**.
create table quotes
  on select post to 'http://prices.example/quote'
    using patch 'quotes.js'
    using bodyTemplate 'quotes.ejs' type 'application/xml'
    using decoder 'protobuf' schema 'quotes.proto' message 'shop.Quotes'
    resultset 'quote';
