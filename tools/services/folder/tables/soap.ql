create table soap on select post to 'http://localhost:{config.ports.soap11}/'
  using headers 'SOAPAction' = 'find'
  resultset 'findResult.Item'
  using soap '1.1' element '{urn:shop}find';
create table soap.new on select post to 'http://localhost:{config.ports.soap12}/'
  using headers 'SOAPAction' = 'find'
  resultset 'findResult.Item'
  using soap '1.2' element '{urn:shop}find';
