"""Asks real services by tables, and compares answers and errors with what is expected."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
POLYWIRE, NODE_FOLDER = sys.argv[1:]

FOUND = [["lamplamp", 2, ["a", "ü"]]]
NONE = {"code": "rpc_status", "rpcStatus": "NOT_FOUND", "rpcMessage": "kein Fund: 100 %"}
FIND = "text = 'lamp' and most = 2 and tags in ('a', 'ü')"
ITEMS = [["a < b & c", 0], ["a < b & c", 1]]
FAULT = {"code": "soap_fault"}

# Tables made of descriptions: the words behind `import`, `{…}` being a port.
IMPORTS = [
    ["proto", "{folder}/shop.proto", "--server", "http://127.0.0.1:{grpc}", "--prefix", "new.grpc"],
    ["proto", "{folder}/shop.proto", "--server", "http://localhost:{connect}", "--prefix", "new.connect", "--connect", "--force"],
    ["wsdl", "http://localhost:{soap11}/?wsdl", "--prefix", "new.soap11"],
    ["wsdl", "http://localhost:{soap12}/?wsdl", "--prefix", "new.soap12"],
]

# Script, and the result, or members of the error.
CASES = [
    *[(f"select title, left, tags from {table} where {FIND}", FOUND) for table in ("grpc", "grpc.gzip", "connect", "connect.json", "connect.grpc")],
    *[(f"select * from {table} where text = 'none'", NONE) for table in ("grpc", "grpc.gzip", "connect", "connect.json", "connect.grpc")],
    ("select * from grpc.absent where text = 'a'", {"code": "rpc_status", "rpcStatus": "UNIMPLEMENTED"}),
    # 3 MB in one message.
    *[(f"select title from {table} where text = 'lamp' and most = 800000", ["lamp" * 800000]) for table in ("grpc", "grpc.gzip", "connect")],
    *[(f"select title, left from {table} where text = 'a < b & c' and most = 2", ITEMS) for table in ("soap", "soap.new")],
    *[(f"select * from {table} where text = 'none' and most = 1", FAULT) for table in ("soap", "soap.new")],
    *[(f"select title, left, tags from new.{protocol}.Items.Find where {FIND}", FOUND) for protocol in ("grpc", "connect")],
    *[(f"select * from new.{protocol}.Items.Find where text = 'none'", NONE) for protocol in ("grpc", "connect")],
    # The schema of the services asks for this order of elements.
    *[(f"select title, left from new.soap1{n}.Shop.find where most = 2 and text = 'a < b & c'", ITEMS) for n in (1, 2)],
    # The schema of the service refuses it. By SOAP 1.2 spyne 2.14 fails at that itself.
    ("select * from soap where text = 'a' and most = 'many'", FAULT),
]


def start(command):
    """Starts services; they end with this program."""
    services = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    line = services.stdout.readline()
    if not line:
        sys.exit(f"{command[1]} did not start")
    return services, json.loads(line)


def answer(script, folder):
    """Returns the exit code and the result of a script."""
    done = subprocess.run([POLYWIRE, "query", script, "--tables", folder], capture_output=True, text=True, timeout=60)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        return done.returncode, done.stdout + done.stderr


def agrees(expected, code, result):
    """Returns whether a result is as expected, or an error has the members."""
    if isinstance(expected, dict):
        return code == 1 and isinstance(result, dict) and expected.items() <= result.items()
    return code == 0 and result == expected


def main():
    with tempfile.TemporaryDirectory() as made:
        folder = f"{made}/folder"
        shutil.copytree(HERE / "folder", folder)
        descriptors = f"{made}/shop.binpb"
        protoc = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}/tables", f"--descriptor_set_out={descriptors}", "shop.proto"]
        subprocess.run(protoc, check=True)
        # Modules are looked up from where the file lies.
        shutil.copy(HERE / "connect.mjs", NODE_FOLDER)
        started = [start([sys.executable, str(HERE / "rpc.py")]), start(["node", f"{NODE_FOLDER}/connect.mjs", descriptors])]
        config = {
            "ports": {name: port for _, ports in started for name, port in ports.items()},
            "allowPrivate": ["127.0.0.1:*", "localhost:*"],
            "http2Hosts": ["127.0.0.1"],
        }
        pathlib.Path(folder, "config.json").write_text(json.dumps(config))
        for words in IMPORTS:
            words = [word.format(folder=f"{folder}/tables", **config["ports"]) for word in words]
            subprocess.run([POLYWIRE, "import", *words, "--out", f"{folder}/tables"], check=True, stderr=subprocess.DEVNULL)
        wrong = 0
        for script, expected in CASES:
            code, result = answer(script, folder)
            if not agrees(expected, code, result):
                wrong += 1
                print(f"check-services: {script}\n  expected {str(expected)[:300]}\n  saw {code}, {str(result)[:300]}", file=sys.stderr)
        code, result = answer("select left from grpc where text = 'time'", folder)
        seconds = result[0] if isinstance(result, list) and result else result
        if code != 0 or not isinstance(seconds, int) or not 30 <= seconds <= 60:
            wrong += 1
            print(f"check-services: the service saw {result} seconds left of 60", file=sys.stderr)
        for services, _ in started:
            services.stdin.close()
            services.wait()
    print(f"check-services: {len(CASES) + 1 - wrong} of {len(CASES) + 1} right")
    return 1 if wrong else 0


sys.exit(main())
