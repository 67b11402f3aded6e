create table grpc on select post to 'http://127.0.0.1:{config.ports.grpc}/shop.Items/Find'
  using encoder 'protobuf-grpc' schema 'shop.proto' message 'shop.Query'
  using decoder 'protobuf-grpc' schema 'shop.proto' message 'shop.Found';
create table grpc.gzip on select post to 'http://127.0.0.1:{config.ports.gzip}/shop.Items/Find'
  using encoder 'protobuf-grpc' schema 'shop.proto' message 'shop.Query'
  using decoder 'protobuf-grpc' schema 'shop.proto' message 'shop.Found';
create table grpc.absent on select post to 'http://127.0.0.1:{config.ports.grpc}/shop.Items/Absent'
  using encoder 'protobuf-grpc' schema 'shop.proto' message 'shop.Query'
  using decoder 'protobuf-grpc' schema 'shop.proto' message 'shop.Found';
