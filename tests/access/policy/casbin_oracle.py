"""Argo CD's way of asking casbin, with casbin's own Python library: slow, literal, and not ours."""

import re
from functools import cache

import casbin
from casbin.model import Model

MODEL = """
[request_definition]
r = sub, res, act, obj
[policy_definition]
p = sub, res, act, obj, eft
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = g(r.sub, p.sub) && meets(r.res, p.res) && meets(r.act, p.act) && meets(r.obj, p.obj)
"""


@cache
def expression(glob):
    """A pattern without separators as an expression of Python; None if it cannot be read."""
    found, at, depth = "", 0, 0
    while at < len(glob):
        char = glob[at]
        if char == "[":
            end = glob.find("]", at)
            inside = glob[at + 1 : end].removeprefix("!")
            if end < 0 or not inside or (len(inside) == 3 and inside[1] == "-" and inside[2] < inside[0]):
                return None
            found += f"[{'^' if glob[at + 1] == '!' else ''}{inside}]"
            at = end
        elif char == "\\":
            at += 1
            found += re.escape(glob[at])
        else:
            depth += {"{": 1, "}": -1}.get(char, 0)
            signs = {"*": ".*", "?": ".", "{": "(?:", "}": ")"} | ({",": "|"} if depth else {})
            found += signs.get(char) or re.escape(char)
        at += 1
    return re.compile(found, re.DOTALL)


def glob_meets(text, pattern):
    found = expression(pattern)
    return found is not None and found.fullmatch(text) is not None


def regex_meets(text, pattern):
    if "(?<" in pattern:
        raise re.error("Go cannot look behind")
    return re.search(pattern, text) is not None


class Oracle:
    def __init__(self, rules, links, mode):
        model = Model()
        model.load_model_from_text(MODEL)
        self._enforcer = casbin.Enforcer(model)
        self._enforcer.add_function("meets", regex_meets if mode == "regex" else glob_meets)
        for rule in dict.fromkeys(rules):
            model.add_policy("p", "p", list(rule))
        for link in dict.fromkeys(links):
            model.add_policy("g", "g", list(link))
        self._enforcer.build_role_links()
        self.linked = {link[0] for link in links}

    def allows(self, *asked):
        try:
            return self._enforcer.enforce(*asked)
        except re.error:
            return False


def decide(scene_oracles, default, subject, groups, asked):
    """The default role by the lines for everything; then by those with the project's: default role, name, groups."""
    general, project, is_role_elsewhere, is_role = scene_oracles
    if default and general.allows(default, *asked):
        return True
    if is_role_elsewhere:
        return False
    tried = [default] if default else []
    tried += [subject, *(group for group in groups if group in project.linked and not is_role)]
    return any(project.allows(name, *asked) for name in tried)
