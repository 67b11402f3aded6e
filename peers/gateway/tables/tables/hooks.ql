-- The search of the SOAP service, with the hooks and the body template of the published test.
create table search.xml.hooks
    on select post to '@backend@/reply.xml'
       using defaults limit = 50, offset = 0
       using patch 'search.js'
       using bodyTemplate 'request.ejs' type 'application/xml'
       resultset 'soapenv:Envelope.soapenv:Body.findItemsByKeywordsResponse'

-- The same in Protocol Buffers.
create table search.protobuf.hooks
    on select post to '@backend@/reply.protobuf'
       using defaults limit = 50, offset = 0
       using patch 'search.js'
       using bodyTemplate 'request.ejs' type 'application/xml'
       using decoder 'protobuf' schema 'search.proto' message 'example.market.search.v1.FindItemsByKeywordsResponse'
