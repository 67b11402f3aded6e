"""Services by grpcio and spyne. Prints a line of JSON with their ports, and ends with its input."""

import concurrent.futures
import json
import logging
import pathlib
import sys
import tempfile
import threading
from wsgiref.simple_server import WSGIRequestHandler, make_server

import grpc
from grpc_tools import protoc
from spyne import Application, Array, ComplexModel, Fault, Integer, ServiceBase, Unicode, rpc
from spyne.protocol.soap import Soap11, Soap12
from spyne.server.wsgi import WsgiApplication

PROTO = pathlib.Path(__file__).parent / "folder/tables/shop.proto"


def grpc_servers():
    with tempfile.TemporaryDirectory() as made:
        if protoc.main(["protoc", f"-I{PROTO.parent}", f"--python_out={made}", f"--grpc_python_out={made}", PROTO.name]):
            sys.exit("protoc failed")
        sys.path.insert(0, made)
        import shop_pb2
        import shop_pb2_grpc

    class Items(shop_pb2_grpc.ItemsServicer):
        def Find(self, query, context):
            if query.text == "none":
                context.abort(grpc.StatusCode.NOT_FOUND, "kein Fund: 100 %")
            if query.text == "time":
                return shop_pb2.Found(title="time", left=int(context.time_remaining() or -1))
            return shop_pb2.Found(title=query.text * query.most, left=query.most, tags=query.tags)

    for name, compression in (("grpc", grpc.Compression.NoCompression), ("gzip", grpc.Compression.Gzip)):
        server = grpc.server(concurrent.futures.ThreadPoolExecutor(2), compression=compression)
        shop_pb2_grpc.add_ItemsServicer_to_server(Items(), server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        yield name, port, server


class Item(ComplexModel):
    __namespace__ = "urn:shop"
    title = Unicode
    left = Integer


class Shop(ServiceBase):
    @rpc(Unicode, Integer, _returns=Array(Item))
    def find(ctx, text, most):
        if text == "none":
            raise Fault("Client.None", "no <item> & no rug")
        return [Item(title=text, left=n) for n in range(most)]


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def soap_servers():
    for name, version in (("soap11", Soap11), ("soap12", Soap12)):
        application = Application([Shop], "urn:shop", in_protocol=version(validator="lxml"), out_protocol=version())
        server = make_server("127.0.0.1", 0, WsgiApplication(application), handler_class=Quiet)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield name, server.server_port, server


# Faults are expected.
logging.disable(logging.CRITICAL)
running = [*grpc_servers(), *soap_servers()]
print(json.dumps({name: port for name, port, _ in running}), flush=True)
sys.stdin.read()
