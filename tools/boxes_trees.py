"""Exported configurations as instances of YANG models: nested tables of text, then of the types of the schema.

Keys of a table are names of nodes; a list is a list of tables. What an export takes for granted (the port, the queue)
is added as the box has it, because the models refer to it.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

Tree = dict[str, Any]
PORT = {"name": "Ethernet0", "lanes": "1", "speed": "100000"}


def trees(box: str, text: str) -> Iterator[Tree]:
    """The instances that a text stands for; more than one where a model takes one value at a time."""
    if box == "sonic":
        yield _sonic(json.loads(text))
    elif box == "openconfig":
        yield _openconfig(json.loads(text))
    elif box == "junos":
        yield {"junos-conf-root:configuration": [line.split(None, 1)[1] for line in _lines(text)]}
    else:
        yield from _ios(text)


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "!"))]


def _sonic(tables: Tree) -> Tree:
    keys = {
        "WRED_PROFILE": ("name",),
        "QUEUE": ("ifname", "qindex"),
        "SCHEDULER": ("name",),
        "PORT": ("name",),
    }
    tree: Tree = {}
    for table, rows in tables.items():
        entries = []
        for key, row in rows.items():
            named = dict(zip(keys[table], key.split("|"), strict=True))
            plain = {leaf: re.sub(r"^\[\w+\|(.*)\]$", r"\1", value) for leaf, value in row.items()}
            entries.append(named | plain)
        module = f"sonic-{table.lower().replace('_', '-')}"
        tree[f"{module}:{module}"] = {table: {f"{table}_LIST": entries}}
    tree["sonic-port:sonic-port"] = {"PORT": {"PORT_LIST": [PORT]}}
    return tree


def _openconfig(tree: Tree) -> Tree:
    qos = tree["openconfig-qos:qos"]
    names = {
        queue["name"]
        for port in qos.get("interfaces", {}).get("interface", [])
        for queue in port.get("output", {}).get("queues", {}).get("queue", [])
    }
    qos.setdefault("queues", {}).setdefault("queue", [])
    have = {queue["name"] for queue in qos["queues"]["queue"]}
    qos["queues"]["queue"] += [{"name": name, "config": {"name": name}} for name in sorted(names - have)]
    return tree


def encoded(schema: Any, tree: Tree, problems: list[str]) -> Tree:
    """The instance in JSON as RFC 7951 writes it; problems gets the nodes that the schema does not have."""
    raw: Tree = {}
    for name, value in tree.items():
        module, _, plain = name.partition(":")
        child = schema.get_data_child(plain, module)
        if child is None:
            problems.append(f"no node {name}")
        elif isinstance(value, list) and value and isinstance(value[0], str):
            nodes: Tree = {}
            for line in value:
                _place(child, nodes, _tokens(line), line, problems)
            raw[name] = _typed(child, nodes, name, problems)
        else:
            raw[name] = _typed(child, value, name, problems)
    return raw


def _typed(node: Any, value: Any, path: str, problems: list[str]) -> Any:
    """A value with the types of the schema."""
    from yangson.schemanode import LeafListNode, LeafNode, ListNode

    if isinstance(node, (LeafNode, LeafListNode)):
        if isinstance(value, list) and isinstance(node, LeafListNode):
            return [_leaf(node, one, path, problems) for one in value]
        return _leaf(node, value, path, problems)
    if isinstance(node, ListNode) and isinstance(value, list):
        return [_typed(node, one, path, problems) for one in value]
    raw = {}
    for name, inner in value.items():
        child = _child(node, name)
        if child is None:
            problems.append(f"no node {name} in {path}")
        else:
            raw[child.iname()] = _typed(child, inner, f"{path}/{name}", problems)
    return raw


def _leaf(node: Any, value: Any, path: str, problems: list[str]) -> Any:
    from yangson.datatype import EmptyType

    if isinstance(node.type, EmptyType):
        return [None]
    text = json.dumps(value) if isinstance(value, bool) else str(value)
    parsed = node.type.parse_value(text)
    if parsed is None:
        problems.append(f"{path} = {text}: is not a value of its type")
        return None
    return node.type.to_raw(parsed)


def _child(node: Any, name: str) -> Any:
    plain = name.rpartition(":")[2]
    return (
        next((one for one in node.data_children() if one.name == plain), None)
        if hasattr(node, "children")
        else None
    )


def _tokens(line: str) -> list[str]:
    return shlex.split(line.replace("[", " [ ").replace("]", " ] "))


def _place(node: Any, table: Tree, words: list[str], line: str, problems: list[str]) -> None:
    """Puts a `set` line of Junos into a table: names of nodes, keys of lists, values of leaves."""
    from yangson.schemanode import LeafListNode, LeafNode, ListNode

    while words:
        child = _child(node, words[0])
        if child is None:
            # The command line leaves out the name of a list below its plural, and that of a container's own leaf.
            singular = next((one for one in node.data_children() if f"{one.name}s" == node.name), None)
            own = next((one for one in node.data_children() if one.name == "rate"), None)
            if isinstance(singular, ListNode):
                words = [singular.name, *words]
                child = singular
            elif len(words) == 1 and isinstance(own, LeafNode):
                table[own.name] = words[0]
                return
            else:
                problems.append(f"no node {words[0]}: {line}")
                return
        name, words = words[0], words[1:]
        if isinstance(child, LeafListNode):
            table[name] = [word for word in words if word not in "[]"]
            return
        if isinstance(child, ListNode) and words[:1] == ["["]:
            key = child.keys[0][0]
            table[name] = [{key: word} for word in words if word not in "[]"]
            return
        if isinstance(child, LeafNode):
            table[name] = words[0] if words else ""
            return
        if isinstance(child, ListNode):
            keys: Tree = {}
            for key in (key[0] for key in child.keys):
                words = words[1:] if words[:1] == [key] else words
                keys[key], words = words[0], words[1:]
            rows = table.setdefault(name, [])
            row = next((one for one in rows if keys.items() <= one.items()), None)
            if row is None:
                rows.append(row := keys)
            node, table = child, row
        else:
            node, table = child, table.setdefault(name, {})


def _ios(text: str) -> Iterator[Tree]:
    """IOS-XE: policy maps as the native model has them. `precedence` is one container there, so that each line with one
    makes an instance of its own."""
    marks: list[list[str] | None] = [
        line.split() for line in _lines(text) if re.match(r"\s+random-detect precedence \d", line)
    ]
    for mark in marks or [None]:
        policies: list[Tree] = []
        classes: list[Tree] = []
        for line in _lines(text):
            words = line.split()
            if words[:2] == ["random-detect", "precedence"] and words[2:3] != [] and words != mark:
                continue
            match words:
                case ["policy-map", name]:
                    policies.append({"name": name, "class": []})
                case ["class-map", how, name]:
                    classes.append({"name": name, "prematch": how})
                case ["match", "dscp", *values]:
                    classes[-1]["match"] = {"dscp": values}
                case ["class", name]:
                    policies[-1]["class"].append({"name": name, "action-list": []})
                case ["interface" | "service-policy", *_] if line[:1] == "i" or words[1:2] == ["output"]:
                    pass
                case _:
                    _action(policies[-1]["class"][-1]["action-list"], words)
        named = {
            f"Cisco-IOS-XE-policy:{key}": rows
            for key, rows in (("policy-map", policies), ("class-map", classes))
        }
        yield {"Cisco-IOS-XE-native:native": {"policy": {key: rows for key, rows in named.items() if rows}}}


def _action(actions: list[Tree], words: list[str]) -> None:
    """One line of a class as the model's action; lines of one action come together."""
    kind = words[0]
    action = next((one for one in actions if one["action-type"] == kind), None)
    if action is None:
        actions.append(action := {"action-type": kind})
    match words:
        case ["shape", "average", rate]:
            action["shape"] = {"average": {"bit-rate": rate}}
        case ["bandwidth", "remaining", "percent", share]:
            action["bandwidth"] = {"remaining": {"rem-option": "percent", "percent": share}}
        case ["queue-limit", limit, unit]:
            action["queue-limit"] = {"queue-limit-value": limit, "queue-limit-type": unit}
        case ["random-detect"]:
            action.setdefault("random-detect", {})["precedence-based"] = ""
        case ["random-detect", "dscp-based" | "ecn" as leaf]:
            action.setdefault("random-detect", {}).pop(
                "precedence-based" if leaf == "dscp-based" else "", None
            )
            action["random-detect"][leaf] = ""
        case ["random-detect", "exponential-weighting-constant", value]:
            action.setdefault("random-detect", {})["exponential-weighting-constant"] = value
        case ["random-detect", "precedence" | "dscp" as by, value, *rest]:
            units = [word for word in rest if not word.isdigit()]
            low, high, *denominator = [word for word in rest if word.isdigit()]
            row = {
                "prec" if by == "precedence" else "dscp-val": value,
                "min-threshold": low,
                "max-threshold": high,
            }
            if units:
                row |= {"min-threshold-unit": units[0], "max-threshold-unit": units[0]}
            if denominator:
                row["denominator"] = denominator[0]
            own = action.setdefault("random-detect", {})
            own[by] = row if by == "precedence" else [*own.get(by, []), row]
        case ["fair-queue", *flows]:
            action["fair-queue"] = {"dynamic-queues": flows[0]} if flows else {}
        case ["priority", *_]:
            action["priority"] = {}
        case ["police", "cir", rate]:
            action["police"] = {"cir": {"rate": rate}}
        case ["service-policy", name]:
            action["service-policy"] = name
        case _:
            action[" ".join(words)] = ""
