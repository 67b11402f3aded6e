"""The package `protobuf` as a judge: a list of JSON objects a line in, the list of their answers out.

{"proto": text}   compiles a schema: {"set": base64 of its descriptor set}, or {"error": text}
{"root": name}    chooses the type of what follows: {}
{"fields": ""}    tells what the schema was resolved to: {"messages": {name: [fields]}, "enums": {name: closed}}
{"bytes": base64} parses a message: {"json": text, "bytes": base64}, or {"error": text}; without JSON, {"bytes": base64, "unprintable": text}
{"text": text}    parses the text format: {"bytes": base64, "text": its own}, or {"error": text}
{"json": text}    parses JSON: {"bytes": base64}, or {"error": text}
"""

import base64
import json
import os
import sys
import tempfile

import grpc_tools
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory, text_format
from grpc_tools import protoc

INCLUDE = os.path.join(os.path.dirname(grpc_tools.__file__), "_proto")


class Judge:
    def __init__(self):
        self.pool = None
        self.type = None
        self.folder = tempfile.mkdtemp()

    def proto(self, text):
        source = os.path.join(self.folder, "t.proto")
        target = os.path.join(self.folder, "t.set")
        with open(source, "w") as file:
            file.write(text)
        if protoc.main(["protoc", "-I" + self.folder, "-I" + INCLUDE, "--include_imports", "--descriptor_set_out=" + target, source]) != 0:
            return {"error": "protoc refuses it"}
        with open(target, "rb") as file:
            compiled = file.read()
        self.pool = descriptor_pool.DescriptorPool()
        for one in descriptor_pb2.FileDescriptorSet.FromString(compiled).file:
            self.pool.Add(one)
        return {"set": base64.b64encode(compiled).decode()}

    def root(self, name):
        self.type = message_factory.GetMessageClass(self.pool.FindMessageTypeByName(name))
        # Extensions are known once their messages are.
        for file in ["t.proto"]:
            message_factory.GetMessageClassesForFiles([file], self.pool)
        return {}

    def fields(self, _):
        messages, enums = {}, {}

        def default(field):
            value = field.default_value
            if field.is_repeated or field.message_type:
                return None
            return value.hex() if isinstance(value, bytes) else str(value)

        def told(field):
            return {
                "name": field.name,
                "json": field.json_name,
                "number": field.number,
                "type": field.type,
                "repeated": field.is_repeated,
                "required": field.is_required,
                "presence": field.has_presence,
                "packed": field.is_packed,
                "oneof": field.containing_oneof.name if field.containing_oneof else None,
                "of": (field.message_type or field.enum_type).full_name if field.message_type or field.enum_type else None,
                "default": default(field),
            }

        def message(one):
            proto = descriptor_pb2.DescriptorProto()
            one.CopyToProto(proto)
            # The oneof that stands for the word `optional` is none.
            optional = {field.name for field in proto.field if field.proto3_optional}
            fields = [told(field) for field in one.fields]
            messages[one.full_name] = [{**field, "oneof": None} if field["name"] in optional else field for field in fields]
            for nested in one.nested_types:
                message(nested)
            for nested in one.enum_types:
                enums[nested.full_name] = nested.is_closed

        file = self.pool.FindFileByName("t.proto")
        for one in file.message_types_by_name.values():
            message(one)
        for one in file.enum_types_by_name.values():
            enums[one.full_name] = one.is_closed
        return {"messages": messages, "enums": enums}

    def bytes(self, encoded):
        message = self.type()
        message.ParseFromString(base64.b64decode(encoded))
        if not message.IsInitialized():
            return {"error": "required fields are missing"}
        answer = {"bytes": base64.b64encode(message.SerializeToString(deterministic=True)).decode()}
        try:
            answer["json"] = json_format.MessageToJson(message, descriptor_pool=self.pool, indent=None)
        except Exception as error:
            answer["unprintable"] = str(error)
        return answer

    def text(self, text):
        message = text_format.Parse(text, self.type(), descriptor_pool=self.pool)
        said = text_format.MessageToString(message, descriptor_pool=self.pool)
        return {"bytes": base64.b64encode(message.SerializeToString(deterministic=True)).decode(), "text": said}

    def json(self, text):
        message = json_format.Parse(text, self.type(), descriptor_pool=self.pool)
        if not message.IsInitialized():
            return {"error": "required fields are missing"}
        return {"bytes": base64.b64encode(message.SerializeToString(deterministic=True)).decode()}


def main():
    judge = Judge()

    def answer(question):
        [(verb, argument)] = question.items()
        try:
            return getattr(judge, verb)(argument)
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"}

    for line in sys.stdin:
        print(json.dumps([answer(question) for question in json.loads(line)]), flush=True)


main()
