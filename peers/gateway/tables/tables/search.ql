-- The search by keywords of a SOAP service.
create table search.xml
    on select post to '@backend@/reply.xml'
       using defaults limit = 50, offset = 0
       using bodyTemplate 'request.mu' type 'application/xml'
       resultset 'soapenv:Envelope.soapenv:Body.findItemsByKeywordsResponse'

-- Its items alone.
create table search.xml.items
    on select post to '@backend@/reply.xml'
       using defaults limit = 50, offset = 0
       using bodyTemplate 'request.mu' type 'application/xml'
       resultset 'soapenv:Envelope.soapenv:Body.findItemsByKeywordsResponse.searchResult.item'

-- The same search, answered in Protocol Buffers.
create table search.protobuf
    on select post to '@backend@/reply.protobuf'
       using defaults limit = 50, offset = 0
       using bodyTemplate 'request.mu' type 'application/xml'
       using decoder 'protobuf' schema 'search.proto' message 'example.market.search.v1.FindItemsByKeywordsResponse'

-- Its items alone.
create table search.protobuf.items
    on select post to '@backend@/reply.protobuf'
       using defaults limit = 50, offset = 0
       using bodyTemplate 'request.mu' type 'application/xml'
       using decoder 'protobuf' schema 'search.proto' message 'example.market.search.v1.FindItemsByKeywordsResponse'
       resultset 'searchResult.item'

-- The same search, answered in JSON.
create table search.json
    on select post to '@backend@/reply.json'
       using defaults limit = 50, offset = 0
       using bodyTemplate 'request.mu' type 'application/xml'
