#!/usr/bin/env python3
"""Finds errors that a Metal compiler reports and clang in C++ for OpenCL does not: attributes in the wrong place or with
the wrong type, duplicate buffer numbers, and the parts of C++ that Metal lacks. clang checks names, overloads and address
spaces (tests/msl/include). Section and table numbers are those of the Metal Shading Language specification, version 3.2.

Usage: check_msl.py [--std=3.0|3.1|3.2] [--output] FILE...
--output: the files are wavec's output, which must also disable contraction and fast mathematics.
"""
import re
import sys

from msl_text import Problem, read_declarations, read_tokens, split_statements, take_attributes

VERSIONS = {"3.0": 300, "3.1": 310, "3.2": 320}
SPACES = ("device", "threadgroup", "constant", "thread")
POSITIONS = ("ushort", "ushort2", "ushort3", "uint", "uint2", "uint3")
SCALARS = ("ushort", "uint")

# Table 5.8: what a kernel's parameter may be, and the types it may have.
KERNEL_INPUTS = {
    "dispatch_quadgroups_per_threadgroup": SCALARS,
    "dispatch_simdgroups_per_threadgroup": SCALARS,
    "dispatch_threads_per_threadgroup": POSITIONS,
    "grid_origin": POSITIONS,
    "grid_size": POSITIONS,
    "quadgroup_index_in_threadgroup": SCALARS,
    "quadgroups_per_threadgroup": SCALARS,
    "simdgroup_index_in_threadgroup": SCALARS,
    "simdgroups_per_threadgroup": SCALARS,
    "thread_index_in_quadgroup": SCALARS,
    "thread_index_in_simdgroup": SCALARS,
    "thread_index_in_threadgroup": SCALARS,
    "thread_position_in_grid": POSITIONS,
    "thread_position_in_threadgroup": POSITIONS,
    "threadgroup_position_in_grid": POSITIONS,
    "threadgroups_per_grid": POSITIONS,
    "threads_per_grid": POSITIONS,
    "threads_per_simdgroup": SCALARS,
    "threads_per_threadgroup": POSITIONS,
}
# From the text after the table: the first must have the same number of components, the second the
# same type.
SAME_COMPONENTS = (
    "thread_position_in_grid",
    "threads_per_grid",
    "thread_position_in_threadgroup",
    "threads_per_threadgroup",
    "threadgroup_position_in_grid",
    "dispatch_threads_per_threadgroup",
    "threadgroups_per_grid",
)
SAME_TYPES = (
    ("thread_position_in_grid", "threads_per_grid"),
    ("thread_position_in_threadgroup", "threads_per_threadgroup", "dispatch_threads_per_threadgroup"),
    (
        "thread_index_in_simdgroup",
        "threads_per_simdgroup",
        "simdgroup_index_in_threadgroup",
        "simdgroups_per_threadgroup",
        "dispatch_simdgroups_per_threadgroup",
        "quadgroup_index_in_threadgroup",
        "quadgroups_per_threadgroup",
        "dispatch_quadgroups_per_threadgroup",
    ),
)
BUFFERS = 31  # of each kind: numbers 0 to 30

# Section 1.5.4, 2.1 and 4: words that are not part of the language.
FORBIDDEN = {
    "goto": "goto",
    "double": "type double",
    "wchar_t": "type wchar_t",
    "virtual": "virtual functions",
    "new": "operator new",
    "delete": "operator delete",
    "thread_local": "thread_local",
    "register": "storage class register",
    "throw": "exceptions",
    "try": "exceptions",
    "catch": "exceptions",
    "typeid": "type identification",
    "dynamic_cast": "dynamic_cast",
    "noexcept": "noexcept",
    "asm": "inline assembly",
    "std": "C++ standard library",
}
# GNU spellings that Apple's front end shares with clang and that the output needs.
GNU_ATTRIBUTES = {"may_alias", "always_inline", "noinline"}
OPENCL_WORDS = {"get_global_id", "get_local_id", "get_group_id", "barrier", "convert_uint", "as_uint", "as_float", "vload4", "vstore4"}

PRAGMAS = (
    re.compile(r"#\s*pragma\s+METAL\s+fp\s+math_mode\((safe|relaxed|fast)\)$"),
    re.compile(r"#\s*pragma\s+METAL\s+fp\s+contract\((off|on|fast)\)$"),
    re.compile(r"#\s*pragma\s+STDC\s+FP_CONTRACT\s+(OFF|ON|DEFAULT)$"),
)
SCALAR_TYPES = "bool char uchar short ushort int uint long ulong half float size_t ptrdiff_t".split()
TYPES = set(SCALAR_TYPES + "void unsigned signed atomic_int atomic_uint atomic_float".split())
TYPES |= {scalar + str(n) for scalar in SCALAR_TYPES for n in (2, 3, 4)}
TYPES |= {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)}
VECTOR = re.compile(r"(bool|u?char|u?short|u?int|u?long|half|float)[234]$")


class Checker:
    def __init__(self, path, version, output):
        self.path = path
        self.version = version
        self.output = output
        self.problems = []

    def say(self, line, text):
        self.problems.append((line, text))

    def run(self, source):
        try:
            tokens = read_tokens(source)
            self.check_directives(tokens)
            self.check_words([token for token in tokens if token.kind != "directive"])
            functions, structures, variables = read_declarations(tokens)
            self.types = TYPES | {structure.name for structure in structures}
            self.types |= set(re.findall(r"\btypedef\b[^;]*?(\w+)\s*(?:__attribute__\s*\(\(\w+\)\))?\s*;", source))
            for structure in structures:
                self.check_structure(structure)
            for variable in variables:
                self.check_program_variable(variable)
            for function in functions:
                self.check_function(function)
            self.check_recursion(functions)
            names = [function.name for function in functions if function.is_kernel]
            for name in sorted({name for name in names if names.count(name) > 1}):
                self.say(1, f"two kernels are called '{name}'")
        except Problem as problem:
            self.say(problem.line, problem.text)
        for line, text in sorted(set(self.problems)):
            print(f"{self.path}:{line}: {text}")
        return not self.problems

    # ---- Preprocessor lines ----

    def check_directives(self, tokens):
        modes = set()
        for k, token in enumerate(tokens):
            if token.kind != "directive":
                continue
            text = " ".join(token.text.replace("\\\n", " ").split())
            word = re.match(r"#\s*(\w*)", text).group(1)
            if word == "pragma":
                if not any(pragma.match(text) for pragma in PRAGMAS):
                    self.say(token.line, f"not a pragma of Metal: {text}")
                self.check_pragma_place(tokens, k)
                modes.add(text)
            elif word == "include":
                if text != "#include <metal_stdlib>":
                    self.say(token.line, f"not a header of Metal: {text}")
            elif word not in ("define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "line"):
                self.say(token.line, f"not a directive: {text}")
        if self.output:
            for wanted in ("#pragma METAL fp math_mode(safe)", "#pragma METAL fp contract(off)"):
                if wanted not in modes:
                    self.say(1, f"the file has no '{wanted}'")

    def check_pragma_place(self, tokens, at):
        """File or namespace scope, or the start of a compound statement (1.6.3)."""
        depth = 0
        for token in tokens[:at]:
            if token.kind == "mark":
                depth += (token.text == "{") - (token.text == "}")
        before = [token for token in tokens[:at] if token.kind != "directive"]
        if depth and before[-1].text != "{":
            self.say(tokens[at].line, "a pragma in the middle of a block")

    # ---- Words ----

    def check_words(self, tokens):
        for k, token in enumerate(tokens):
            if token.kind == "number":
                self.check_number(token)
            if token.kind != "name":
                continue
            after = tokens[k + 1].text if k + 1 < len(tokens) else ""
            before = tokens[k - 1].text if k else ""
            excused = (token.text, before) in (("delete", "="), ("double", "long"))
            if token.text in FORBIDDEN and not excused:
                self.say(token.line, f"Metal has no {FORBIDDEN[token.text]}")
            if token.text == "long" and after in ("long", "double"):
                self.say(token.line, f"Metal has no type long {after}")
            if token.text == "__attribute__":
                self.check_gnu_attribute(tokens, k)
            elif token.text.startswith("__") and token.text != "__METAL_VERSION__":
                self.say(token.line, f"'{token.text}' is not a name of Metal")
            if token.text in OPENCL_WORDS and after == "(" and before != "void":
                self.say(token.line, f"'{token.text}' is OpenCL, not Metal")
            if token.text == "using" and after == "namespace" and tokens[k + 2].text != "metal":
                self.say(token.line, f"there is no namespace '{tokens[k + 2].text}'")
            if token.text == "coherent":
                self.check_coherent(tokens, k)
            if before == "." and re.match(r"s[0-9a-fA-F]+$", token.text):
                self.say(token.line, f"'.{token.text}' is OpenCL's name of a component")
            if VECTOR.match(token.text) and before == "(" and after == ")" and tokens[k + 2].text == "(":
                self.say(token.line, f"({token.text})(…) makes a vector in OpenCL only; Metal has {token.text}(…)")
        for k, token in enumerate(tokens):
            if token.text == "[" and tokens[k - 1].text in ("=", "(", ",", "return", "{", ";"):
                if self.version < 320:
                    self.say(token.line, "Metal has lambda expressions only from 3.2 on")

    def check_number(self, token):
        text = token.text.lower()
        is_float = "." in text or ("e" in text and not text.startswith("0x")) or "p" in text
        if is_float and text[-1] not in "fh":
            self.say(token.line, f"the literal {token.text} has no suffix f or h")
        if not is_float and "ll" in text:
            self.say(token.line, f"Metal has no type for the literal {token.text}")

    def check_gnu_attribute(self, tokens, at):
        names = []
        k = at + 1
        while k < len(tokens) and tokens[k].text in ("(", ")", ","):
            k += 1
        while k < len(tokens) and tokens[k].text != ")":
            if tokens[k].kind == "name":
                names.append(tokens[k].text)
            k += 1
        for name in names:
            if name not in GNU_ATTRIBUTES:
                self.say(tokens[at].line, f"__attribute__(({name})) is not known to work in Metal")

    def check_coherent(self, tokens, at):
        words = [token.text for token in tokens[at : at + 4]]
        if words[1:4] != ["(", "device", ")"]:
            self.say(tokens[at].line, "coherent has one form: coherent(device)")
        elif "device" not in (tokens[at - 1].text, tokens[at + 4].text):
            self.say(tokens[at].line, "coherent(device) belongs to a device pointer")
        if self.version < 320:
            self.say(tokens[at].line, "coherent(device) came with Metal 3.2")

    # ---- Declarations ----

    def check_structure(self, structure):
        if structure.bases:
            self.say(structure.line, f"Metal has no derived classes: '{structure.name}'")
        ids = set()
        for member in structure.members:
            _, attributes = take_attributes(member)
            for _, attribute in attributes:
                if attribute.name != "id":
                    self.say(attribute.line, f"[[{attribute.name}]] is not allowed on a member of a structure")
                elif attribute.value in ids:
                    self.say(attribute.line, f"[[id({attribute.value})]] occurs twice")
                ids.add(attribute.value)
            self.check_pointers(member)

    def check_program_variable(self, variable):
        left, attributes = take_attributes(variable.tokens)
        words = [token.text for token in left]
        if "constant" not in words:
            self.say(variable.line, f"a variable of the program must be constant: '{' '.join(words[:4])}'")
        for _, attribute in attributes:
            if attribute.name not in ("function_constant", "maybe_unused"):
                self.say(attribute.line, f"[[{attribute.name}]] is not allowed on a variable")
        self.check_pointers(left)

    def check_function(self, function):
        for _, attribute in function.attributes:
            if attribute.name == "max_total_threads_per_threadgroup":
                if not function.is_kernel or not (attribute.value or "").isdigit():
                    self.say(attribute.line, f"[[{attribute.name}(n)]] belongs to a kernel")
            elif attribute.name not in ("kernel", "maybe_unused"):
                self.say(attribute.line, f"[[{attribute.name}]] is not allowed on a function")
        for _, attribute in take_attributes(function.trailing)[1]:
            self.say(attribute.line, f"[[{attribute.name}]] is not allowed after a function's parameters")
        if function.is_kernel:
            self.check_kernel(function)
        else:
            for parameter in function.parameters:
                left, attributes = take_attributes(parameter)
                for _, attribute in attributes:
                    if attribute.name != "maybe_unused":
                        self.say(attribute.line, f"[[{attribute.name}]] belongs to a kernel's parameter")
                self.check_pointers(left)
        if function.body is not None:
            self.check_body(function.body)

    def check_kernel(self, function):
        words = [token.text for token in function.head]
        if words[-2] != "void":
            self.say(function.line, f"the kernel '{function.name}' must return void")
        if function.name == "main":
            self.say(function.line, "a kernel cannot be called main")
        given = {}
        numbers = {"buffer": {}, "threadgroup": {}}
        for parameter in function.parameters:
            left, attributes = take_attributes(parameter)
            attributes = [(at, a) for at, a in attributes if a.name != "maybe_unused"]
            if len(attributes) != 1:
                self.say(parameter[0].line, f"the parameter '{left[-1].text}' needs one attribute, and has {len(attributes)}")
                continue
            at, attribute = attributes[0]
            if at != len(left):
                self.say(attribute.line, f"[[{attribute.name}]] must follow the parameter's name")
            elif attribute.name in numbers:
                self.check_resource(left, attribute, numbers[attribute.name])
            else:
                self.check_input(left, attribute, given)
        self.check_agreement(function, given)

    def check_resource(self, left, attribute, taken):
        words = [token.text for token in left]
        spaces = [word for word in words if word in SPACES]
        depth = sum(word in ("*", "&") for word in words)
        value = attribute.value or ""
        allowed = ("device", "constant") if attribute.name == "buffer" else ("threadgroup",)
        if depth != 1:
            self.say(attribute.line, f"[[{attribute.name}]] belongs to a pointer or a reference")
        elif not spaces:
            self.say(attribute.line, f"the kernel's parameter '{words[-1]}' has no address space")
        elif spaces[0] not in allowed:
            self.say(attribute.line, f"[[{attribute.name}]] cannot be combined with {spaces[0]}")
        if not value.isdigit() or int(value) >= BUFFERS:
            self.say(attribute.line, f"[[{attribute.name}({value})]] needs a number from 0 to {BUFFERS - 1}")
        elif value in taken:
            self.say(attribute.line, f"{attribute.name} {value} is assigned to both '{taken[value]}' and '{words[-1]}'")
        taken[value] = words[-1]

    def check_input(self, left, attribute, given):
        name = attribute.name
        words = [token.text for token in left if token.text != "const"]
        if name not in KERNEL_INPUTS:
            self.say(attribute.line, f"there is no attribute [[{name}]] of a kernel's parameter")
            return
        if attribute.value is not None:
            self.say(attribute.line, f"[[{name}]] takes no value")
        if len(words) != 2 or words[0] not in KERNEL_INPUTS[name]:
            found = " ".join(words[:-1])
            self.say(attribute.line, f"[[{name}]] is {', '.join(KERNEL_INPUTS[name])}, not {found}")
            return
        if name in given:
            self.say(attribute.line, f"[[{name}]] occurs twice")
        given[name] = words[0]

    def check_agreement(self, function, given):
        """The rules in the text after table 5.8."""
        sizes = {type_name[-1] for name, type_name in given.items() if name in SAME_COMPONENTS and type_name[-1] in "23"}
        if len(sizes) > 1:
            self.say(function.line, f"positions of '{function.name}' have different numbers of components")
        for group in SAME_TYPES:
            types = {given[name] for name in group if name in given}
            if len(types) > 1:
                self.say(function.line, f"{', '.join(name for name in group if name in given)} must have one type")
        index = given.get("thread_index_in_threadgroup")
        position = given.get("thread_position_in_threadgroup")
        if index == "ushort" and position and position.startswith("uint"):
            self.say(function.line, "thread_index_in_threadgroup must be uint where the position is")

    # ---- Bodies ----

    def check_body(self, body):
        for k, token in enumerate(body):
            if token.text == "static" and token.kind == "name":
                self.say(token.line, "Metal has no static variables in functions")
        _, attributes = take_attributes(body)
        for _, attribute in attributes:
            if attribute.name not in ("maybe_unused", "fallthrough"):
                self.say(attribute.line, f"[[{attribute.name}]] is not allowed in a function")
        self.check_pointers(body)

    def check_pointers(self, tokens):
        """A pointer or reference must name its address space, even if it is thread (section 4)."""
        for k, token in enumerate(tokens):
            if token.text not in ("*", "&") or k == 0 or tokens[k - 1].text not in self.types:
                continue
            start = k - 1
            while start > 0 and tokens[start - 1].text not in ("(", ",", ";", "{", "}", "<", "="):
                start -= 1
            if tokens[start - 1].text == "," and start and tokens[start - 1].kind != "mark":
                continue
            # "coherent(device) device T *": the closing parenthesis is part of it.
            words = [word.text for word in tokens[max(0, start - 3) : k]]
            if not any(word in SPACES for word in words):
                self.say(token.line, f"the pointer or reference to {tokens[k - 1].text} has no address space")
        for k, token in enumerate(tokens):
            if token.text == "(" and k + 2 < len(tokens) and tokens[k + 1].text == "*" and tokens[k + 2].kind == "name":
                closing = k + 3
                if closing + 1 < len(tokens) and tokens[closing].text == ")" and tokens[closing + 1].text == "(":
                    if k and tokens[k - 1].text in self.types:
                        self.say(token.line, "pointers to functions are not portable in Metal")

    def check_recursion(self, functions):
        """Metal has had recursion in kernels since 2.4, but not on every device; wavec never needs it."""
        bodies = {function.name: function for function in functions if function.body is not None}
        calls = {}
        for name, function in bodies.items():
            words = function.body
            calls[name] = {
                token.text for k, token in enumerate(words[:-1]) if token.text in bodies and words[k + 1].text == "("
            }
        state = {}

        def visit(name):
            state[name] = "open"
            for callee in sorted(calls[name]):
                if state.get(callee) == "open":
                    self.say(bodies[callee].line, f"'{callee}' calls itself")
                elif callee not in state:
                    visit(callee)
            state[name] = "done"

        for name in sorted(bodies):
            if name not in state:
                visit(name)
        kernels = {function.name for function in functions if function.is_kernel}
        for name in sorted(bodies):
            for callee in sorted(calls[name] & kernels):
                self.say(bodies[name].line, f"'{name}' calls the kernel '{callee}'")


def main(arguments):
    version = 320
    output = False
    files = []
    for argument in arguments:
        if argument.startswith("--std="):
            version = VERSIONS[argument[6:]]
        elif argument == "--output":
            output = True
        else:
            files.append(argument)
    good = True
    for path in files:
        with open(path, encoding="utf-8") as file:
            good = Checker(path, version, output).run(file.read()) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    sys.exit(main(sys.argv[1:]))
