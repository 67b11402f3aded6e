"""Reads the objects of a rendered chart, one JSON text a line, from standard input. Checks what they
say of each other, and writes the folder of the gateway, as its volume has it, to the path given."""

import json
import pathlib
import sys

objects = [json.loads(line) for line in sys.stdin]
objects = [one for one in objects if one]
kinds = {one["kind"]: one for one in objects}
assert len(kinds) == len(objects), "two objects of one kind"
for one in objects:
    assert one["apiVersion"] and one["metadata"]["name"] == "shop-polywire", one
    labels = one["metadata"]["labels"]
    assert labels["app.kubernetes.io/instance"] == "shop", one

pod = kinds["Deployment"]["spec"]["template"]
selector = kinds["Deployment"]["spec"]["selector"]["matchLabels"]
assert selector.items() <= pod["metadata"]["labels"].items()
assert kinds["Service"]["spec"]["selector"] == selector
container = pod["spec"]["containers"][0]
ports = {port["name"]: port["containerPort"] for port in container["ports"]}
for port in kinds["Service"]["spec"]["ports"]:
    assert port["targetPort"] in ports, port
grace = int(next(arg.split("=")[1] for arg in container["args"] if arg.startswith("--grace=")))
assert pod["spec"]["terminationGracePeriodSeconds"] > grace
if "HorizontalPodAutoscaler" in kinds:
    assert "replicas" not in kinds["Deployment"]["spec"]

data = kinds["ConfigMap"]["data"]
volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
assert {mount["name"] for mount in container["volumeMounts"]} == set(volumes)
hosts = json.loads(data["config.json"])["hosts"]
assert "shop-polywire.trade.svc" in hosts, hosts
for rule in kinds.get("Ingress", {}).get("spec", {}).get("rules", []):
    assert rule["host"] in hosts, rule

folder = pathlib.Path(sys.argv[1])
items = volumes["folder"]["configMap"]["items"]
assert {item["key"] for item in items} == set(data), "files without a place"
for item in items:
    file = folder / item["path"]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(data[item["key"]])
print(f"{len(objects)} objects: {', '.join(sorted(kinds))}")
