#!/usr/bin/env python3
"""Checks the files of deploy/ that no test starts: compose files, Kubernetes manifests and the drop-in of systemd.

Usage: check_deploy.py SOURCE. Prints a line for each fault; the exit code is 1 if there is one. docs/reference/settings.md and
docs/reference/rest.md, which are generated, say which settings and routes exist.
"""
import pathlib
import re
import sys

import yaml

source = pathlib.Path(sys.argv[1])
deploy = source / "deploy"
settings = (source / "docs/reference/settings.md").read_text()
routes = (source / "docs/reference/rest.md").read_text()
faults = []


def check(holds, *words):
    if not holds:
        faults.append(" ".join(str(word) for word in words))


def check_settings(file, names):
    """Every variable of Ladder in a file is one of its settings."""
    for name in names:
        check(f"`{name.removeprefix('LADDER_').lower()}`" in settings or name == "LADDER_IMAGE", file, "sets", name, "which is no setting")


def seconds(text):
    return int(str(text).removesuffix("s"))


# The parts of the Compose specification that the files use.
SERVICE_KEYS = {"image", "command", "restart", "read_only", "cap_drop", "security_opt", "tmpfs", "ports", "volumes", "environment", "depends_on",
                "healthcheck", "stop_grace_period", "user"}
CONDITIONS = {"service_healthy", "service_completed_successfully", "service_started"}


def check_compose(file):
    name = file.relative_to(source)
    text = file.read_text()
    document = yaml.safe_load(text)
    check(set(document) <= {"services", "volumes", "x-node"}, name, "has unknown parts:", *document)
    services, volumes = document["services"], document.get("volumes", {})
    for service, its in services.items():
        where = f"{name}: {service}"
        check("image" in its, where, "has no image")
        check(set(its) <= SERVICE_KEYS, where, "has unknown keys:", *(set(its) - SERVICE_KEYS))
        for port in its.get("ports", []):
            check(re.fullmatch(r"([\d.]+:)?\d+:\d+", port), where, "has the port", port)
        for volume in its.get("volumes", []):
            origin = volume.split(":")[0]
            check(origin in volumes or origin.startswith("./"), where, "mounts", origin, "which is not declared")
        depends = its.get("depends_on", {})
        for other in depends:
            check(other in services, where, "depends on", other, "which does not exist")
            condition = depends[other].get("condition") if isinstance(depends, dict) else "service_started"
            check(condition in CONDITIONS, where, "has the condition", condition)
            check(condition != "service_healthy" or "healthcheck" in services.get(other, {}), where, "waits for the health of", other)
        environment = its.get("environment", {})
        check(all(isinstance(value, str) for value in environment.values()), where, "has a variable that is not a string")
        check_settings(where, [variable for variable in environment if variable.startswith("LADDER_")])
        delay = int(environment.get("LADDER_DRAIN_DELAY", 0)) if service != "init" else 0
        check(seconds(its.get("stop_grace_period", "10s")) >= delay + 10 or "LADDER_DB" not in environment or service == "init", where,
              "is killed before it has drained")
    check_settings(name, re.findall(r"\$\{(LADDER_\w+)", text))
    check(set(volumes) == {v.split(":")[0] for its in services.values() for v in its.get("volumes", [])} - {v for its in services.values()
          for v in (w.split(":")[0] for w in its.get("volumes", [])) if v.startswith("./")}, name, "has volumes that nothing uses")


API_VERSIONS = {"Namespace": "v1", "Secret": "v1", "ConfigMap": "v1", "Service": "v1", "Deployment": "apps/v1", "PodDisruptionBudget": "policy/v1",
                "Ingress": "networking.k8s.io/v1"}
CONTAINER_KEYS = {"name", "image", "args", "envFrom", "ports", "readinessProbe", "livenessProbe", "startupProbe", "resources", "securityContext",
                  "volumeMounts"}


def check_container(where, container, pod, objects):
    check(set(container) <= CONTAINER_KEYS, where, "has unknown keys:", *(set(container) - CONTAINER_KEYS))
    ports = {port["name"] for port in container.get("ports", [])}
    for probe in (container[key] for key in container if key.endswith("Probe")):
        get = probe["httpGet"]
        check(f"GET {get['path']}" in routes, where, "probes", get["path"], "which is no route")
        check(get["port"] in ports, where, "probes the port", get["port"])
        check([h["name"] for h in get["httpHeaders"]] == ["Host"], where, "probes without the Host that Ladder expects")
    for mount in container["volumeMounts"]:
        check(mount["name"] in {volume["name"] for volume in pod["volumes"]}, where, "mounts", mount["name"])
    for each in container["envFrom"]:
        (kind, reference), = each.items()
        check((kind.removesuffix("Ref").lower(), reference["name"]) in {(k.lower(), n) for k, n in objects}, where, "reads", reference["name"])
    context = container["securityContext"]
    check(context["readOnlyRootFilesystem"] and not context["allowPrivilegeEscalation"], where, "is not confined")


def check_kubernetes(file):
    name = file.relative_to(source)
    documents = list(yaml.safe_load_all(file.read_text()))
    objects = {(d["kind"], d["metadata"]["name"]): d for d in documents}
    for (kind, its_name), document in objects.items():
        check(API_VERSIONS.get(kind) == document["apiVersion"], name, kind, "has the version", document["apiVersion"])
        check(kind == "Namespace" or document["metadata"]["namespace"] == "ladder", name, kind, its_name, "is in another namespace")
    settings_of = objects[("ConfigMap", "ladder")]["data"]
    check(all(isinstance(value, str) for value in settings_of.values()), name, "has a setting that is not a string")
    check_settings(name, [*settings_of, *objects[("Secret", "ladder")]["stringData"]])
    spec = objects[("Deployment", "ladder")]["spec"]
    pod = spec["template"]["spec"]
    labels = spec["template"]["metadata"]["labels"]
    for selector in (spec["selector"]["matchLabels"], objects[("Service", "ladder")]["spec"]["selector"],
                     objects[("PodDisruptionBudget", "ladder")]["spec"]["selector"]["matchLabels"]):
        check(selector.items() <= labels.items(), name, "selects", selector, "which no pod has")
    check(pod["terminationGracePeriodSeconds"] >= int(settings_of["LADDER_DRAIN_DELAY"]) + 10, name, "kills a pod before it has drained")
    for container in pod["initContainers"] + pod["containers"]:
        check_container(f"{name}: {container['name']}", container, pod, objects)
    port = objects[("Service", "ladder")]["spec"]["ports"][0]
    check(port["targetPort"] in {p["name"] for p in pod["containers"][0]["ports"]}, name, "forwards to a port that no container has")
    backend = objects[("Ingress", "ladder")]["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    check(backend == {"name": "ladder", "port": {"name": port["name"]}}, name, "has an Ingress to another service")


def check_drop_in(file):
    text = file.read_text()
    check_settings(file.name, re.findall(r"^Environment=(LADDER_\w+)=", text, re.M))
    delay = int(re.search(r"LADDER_DRAIN_DELAY=(\d+)", text)[1])
    check(int(re.search(r"TimeoutStopSec=(\d+)", text)[1]) >= delay + 10, file.name, "kills the service before it has drained")


for compose in sorted((deploy / "compose").glob("*.yml")):
    check_compose(compose)
check_kubernetes(deploy / "kubernetes/ladder.yml")
check_drop_in(deploy / "systemd/node.conf")
print("\n".join(faults))
sys.exit(1 if faults else 0)
