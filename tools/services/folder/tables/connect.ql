create table connect on select post to 'http://localhost:{config.ports.connect}/shop.Items/Find'
  using headers 'Connect-Protocol-Version' = '1'
  using encoder 'protobuf' schema 'shop.proto' message 'shop.Query'
  using decoder 'protobuf' schema 'shop.proto' message 'shop.Found';
create table connect.json on select post to 'http://localhost:{config.ports.connect}/shop.Items/Find'
  using headers 'Connect-Protocol-Version' = '1'
  using encoder 'json';
create table connect.grpc on select post to 'http://127.0.0.1:{config.ports.connectGrpc}/shop.Items/Find'
  using encoder 'protobuf-grpc' schema 'shop.proto' message 'shop.Query'
  using decoder 'protobuf-grpc' schema 'shop.proto' message 'shop.Found';
