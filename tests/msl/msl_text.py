"""Reads Metal source for check_msl.py: tokens, and the functions, structures and attributes they form."""
import re

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v]+|\\\n)
      | (?P<newline>\n)
      | (?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<number>\.?[0-9](?:[eEpP][+-]|[0-9A-Za-z_.])*)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<mark>\[\[|\]\]|::|->|<<=|>>=|<<|&&|\|\||[-+*/%&|^=!<>]=|\+\+|--|.)""",
    re.VERBOSE | re.DOTALL,
)


class Problem(Exception):
    """A rule that the source violates, and the line of the violation."""

    def __init__(self, line, text):
        super().__init__(text)
        self.line = line
        self.text = text


class Token:
    def __init__(self, kind, text, line):
        self.kind = kind
        self.text = text
        self.line = line

    def __repr__(self):
        return f"{self.line}:{self.text}"


def read_tokens(source):
    """The tokens, with each preprocessor line as one token of kind "directive"; no comments."""
    tokens = []
    line = 1
    at = 0
    first = True
    while at < len(source):
        if first and source[at] == "#":
            end = at
            while True:
                stop = source.find("\n", end)
                stop = len(source) if stop < 0 else stop
                if stop == 0 or source[stop - 1] != "\\" or stop == len(source):
                    break
                end = stop + 1
            tokens.append(Token("directive", source[at:stop], line))
            line += source.count("\n", at, stop)
            at = stop
            continue
        match = TOKEN.match(source, at)
        kind = match.lastgroup
        text = match.group()
        if kind == "newline":
            first = True
        elif kind not in ("space", "comment"):
            tokens.append(Token(kind, text, line))
            first = False
        line += text.count("\n")
        at = match.end()
    return split_brackets(tokens)


def split_brackets(tokens):
    """"]]" closes an attribute only where "[[" has opened one; a[b[c]] has two brackets there."""
    result = []
    attributes = 0
    plain = 0
    for token in tokens:
        if token.text == "[[" and token.kind == "mark":
            attributes += 1
            plain = 0
        elif token.text == "[":
            plain += 1
        elif token.text == "]]":
            if attributes and not plain:
                attributes -= 1
            else:
                result.append(Token("mark", "]", token.line))
                token = Token("mark", "]", token.line)
                plain = max(0, plain - 2)
        elif token.text == "]":
            plain = max(0, plain - 1)
        result.append(token)
    return result


def matching(tokens, at):
    """The index of the bracket that closes the one at `at`."""
    pairs = {"(": ")", "{": "}", "[": "]", "[[": "]]"}
    wanted = [pairs[tokens[at].text]]
    for k in range(at + 1, len(tokens)):
        text = tokens[k].text
        if tokens[k].kind != "mark":
            continue
        if text in pairs:
            wanted.append(pairs[text])
        elif text in (")", "}", "]", "]]"):
            if text != wanted.pop():
                raise Problem(tokens[k].line, f"'{text}' closes nothing")
            if not wanted:
                return k
    raise Problem(tokens[at].line, f"'{tokens[at].text}' is never closed")


def split_commas(tokens):
    """The parts of a list, at the commas outside all brackets."""
    parts = [[]]
    depth = 0
    for token in tokens:
        if token.kind == "mark" and token.text in ("(", "{", "[", "[["):
            depth += 1
        elif token.kind == "mark" and token.text in (")", "}", "]", "]]"):
            depth -= 1
        if token.text == "," and token.kind == "mark" and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


class Attribute:
    """[[name]] or [[name(value)]]."""

    def __init__(self, tokens, line):
        self.line = line
        self.name = "".join(token.text for token in tokens[: name_length(tokens)])
        rest = tokens[name_length(tokens) :]
        self.value = "".join(token.text for token in rest[1:-1]) if rest else None


def name_length(tokens):
    for k, token in enumerate(tokens):
        if token.text == "(":
            return k
    return len(tokens)


def take_attributes(tokens):
    """The tokens without attributes, and [(index in what is left, Attribute)]."""
    left = []
    attributes = []
    k = 0
    while k < len(tokens):
        if tokens[k].text == "[[" and tokens[k].kind == "mark":
            end = matching(tokens, k)
            for part in split_commas(tokens[k + 1 : end]):
                attributes.append((len(left), Attribute(part, tokens[k].line)))
            k = end + 1
        else:
            left.append(tokens[k])
            k += 1
    return left, attributes


class Function:
    def __init__(self, head, attributes, parameters, body, trailing):
        self.head = head  # tokens before the parameters: specifiers, type, name
        self.attributes = attributes  # in front
        self.trailing = trailing  # tokens between the parameters and the body
        self.parameters = parameters  # lists of tokens, attributes in them
        self.body = body  # tokens between the braces, or None for a declaration
        self.name = head[-1].text
        self.line = head[-1].line
        self.is_kernel = any(token.text == "kernel" for token in head) or any(a.name == "kernel" for _, a in attributes)


class Structure:
    def __init__(self, name, line, members, bases):
        self.name = name
        self.line = line
        self.members = members  # lists of tokens
        self.bases = bases  # tokens between the name and the brace


class Variable:
    def __init__(self, tokens):
        self.tokens = tokens
        self.line = tokens[0].line


def split_statements(tokens):
    """The parts of a body, at the semicolons outside all brackets."""
    parts = [[]]
    depth = 0
    for token in tokens:
        if token.kind == "mark":
            depth += token.text in ("(", "{", "[", "[[")
            depth -= token.text in (")", "}", "]", "]]")
        if token.text == ";" and depth == 0:
            parts.append([])
        elif token.kind != "directive":
            parts[-1].append(token)
    return [part for part in parts if part]


def without_template(head):
    """The declaration after `template <…>`; our templates have no parameters with a > in them."""
    if not head or head[0].text != "template":
        return head
    end = next(k for k, token in enumerate(head) if token.text == ">")
    return head[end + 1:]


def read_declarations(tokens):
    """Functions, structures and variables of the file, including those in namespaces."""
    functions, structures, variables = [], [], []
    tokens = [token for token in tokens if token.kind != "directive"]
    k = 0
    while k < len(tokens):
        start = k
        while k < len(tokens) and tokens[k].text not in (";", "{", "}") or tokens[k].kind == "string":
            k = matching(tokens, k) + 1 if tokens[k].text in ("(", "[", "[[") else k + 1
            if k == len(tokens):
                raise Problem(tokens[start].line, "the file ends in the middle of a declaration")
        head = without_template(tokens[start:k])
        words = [token.text for token in head]
        if tokens[k].text == "}":
            k += 1  # of a namespace
        elif "namespace" in words and tokens[k].text == "{":
            k += 1
        elif tokens[k].text == ";":
            read_simple(head, functions, variables)
            k += 1
        else:
            end = matching(tokens, k)
            body = tokens[k + 1 : end]
            k = end + 1
            if words and words[0] in ("struct", "class", "union", "enum") and "(" not in words:
                read_structure(head, body, structures)
                while k < len(tokens) and tokens[k].text != ";":
                    k += 1
                k += 1
            elif "=" in words or "(" not in words:
                variables.append(Variable(head))
                k += k < len(tokens) and tokens[k].text == ";"
            else:
                functions.append(read_function(head, body))
    return functions, structures, variables


def read_simple(head, functions, variables):
    """A declaration that ends with a semicolon."""
    if not head or head[0].text in ("using", "typedef", "struct", "class", "enum", "static_assert"):
        return
    left, _ = take_attributes(head)
    words = [token.text for token in left]
    if "(" in words and "=" not in words[: words.index("(")] and "alignas" not in words:
        functions.append(read_function(head, None))
    else:
        variables.append(Variable(head))


def read_structure(head, body, structures):
    left, attributes = take_attributes(head)
    if attributes:
        raise Problem(attributes[0][1].line, f"[[{attributes[0][1].name}]] is not allowed on a structure")
    if left[0].text == "enum":
        return
    name = left[1].text if len(left) > 1 else ""
    structures.append(Structure(name, left[0].line, split_statements(body), left[2:]))


def read_function(head, body):
    left, attributes = take_attributes(head)
    opening = next(k for k, token in enumerate(left) if token.text == "(")
    if left[opening - 1].text in ("__attribute__", "alignas"):
        opening = next(k for k in range(matching(left, opening) + 1, len(left)) if left[k].text == "(")
    # In `head` the attributes are still among the parameters.
    seen = -1
    for at, token in enumerate(head):
        if token is left[opening]:
            seen = at
            break
    end = matching(head, seen)
    front = [(index, attribute) for index, attribute in attributes if index <= opening - 1]
    parameters = split_commas(head[seen + 1 : end])
    return Function(left[:opening], front, parameters, body, head[end + 1 :])
