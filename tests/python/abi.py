"""Compares what python/dorm/_structs.py declares with the table that the build made of the header: abi.py TABLE."""

import ctypes
import sys

from dorm import _structs

_INTEGERS = (ctypes.c_int, ctypes.c_size_t, ctypes.c_ssize_t, ctypes.c_uint32, ctypes.c_uint64)
_TYPES = {
    None: {"void"},
    ctypes.c_int: {"int"},
    ctypes.c_size_t: {"size_t", "uint64_t"},
    ctypes.c_double: {"double"},
    ctypes.c_char_p: {"text"},
    ctypes.c_void_p: {"pointer", "text"},
}


def kind_of(kind):
    if kind in _INTEGERS:
        return "integer"
    return "real" if kind in (ctypes.c_double, ctypes.c_float) else "other"


def names_of(kind):
    if kind in _TYPES:
        return _TYPES[kind]
    return {"pointer"}  # of a struct, or to a function


def check_struct(struct, sizes, fields):
    name = struct.__name__
    if sizes.get(name) != ctypes.sizeof(struct):
        yield f"{name} has {ctypes.sizeof(struct)} bytes here, but {sizes.get(name)} in the library"
    declared = [field for field, _ in struct._fields_]
    if declared != list(fields.get(name, {})):
        yield f"{name} has the fields {declared} here, but {list(fields.get(name, {}))} in the library"
    for field, kind in struct._fields_:
        place = getattr(struct, field)
        here = (place.offset, place.size, kind_of(kind))
        there = fields.get(name, {}).get(field)
        if here != there:
            yield f"{name}.{field} is {here} here, but {there} in the library"


def check_function(name, result, arguments, functions):
    there = functions.get(name)
    if there is None:
        yield f"the library has no function {name}"
    elif len(there) != 1 + len(arguments):
        yield f"{name} takes {len(arguments)} arguments here, but {len(there) - 1} in the library"
    else:
        for place, (here, wanted) in enumerate(zip([result] + list(arguments), there)):
            if wanted not in names_of(here):
                what = f"argument {place}" if place else "the result"
                yield f"{name}: {what} is {here} here, but {wanted} there"


def differences(lines):
    constants, sizes, fields, functions = {}, {}, {}, {}
    for line in lines:
        kind, name, *rest = line.split()
        if kind == "constant":
            constants[name] = int(rest[0])
        elif kind == "struct":
            sizes[name] = int(rest[0])
        elif kind == "field":
            fields.setdefault(name, {})[rest[0]] = (int(rest[1]), int(rest[2]), rest[3])
        elif kind == "function":
            functions[name] = rest
    for name, value in _structs.CONSTANTS.items():
        if constants.get(name) != value:
            yield f"{name} is {value} here, but {constants.get(name)} in the library"
    for struct in _structs.STRUCTS:
        yield from check_struct(struct, sizes, fields)
    for name, (result, arguments) in _structs.FUNCTIONS.items():
        yield from check_function(name, result, arguments, functions)


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        lines = file.read().splitlines()
    found = list(differences(lines))
    for difference in found:
        print(difference)
    # The check finds what it should: a line that is changed in any of its numbers or words.
    for before, after in (
        ("constant DORM_BAD_DATA 4", "constant DORM_BAD_DATA 5"),
        ("field dorm_arrays labels 64 8 other", "field dorm_arrays labels 72 8 other"),
        ("function dorm_train int pointer", "function dorm_train int size_t"),
        ("function dorm_model_score int pointer", "function dorm_model_score int"),
        ("field dorm_evaluation mean 8 8 real", "field dorm_evaluation mean 8 8 integer"),
    ):
        changed = [line.replace(before, after) for line in lines]
        if ctypes.sizeof(ctypes.c_void_p) == 8 and (changed == lines or not list(differences(changed))):
            print(f"a table with '{after}' is accepted")
            found.append(after)
    print(f"{len(_structs.STRUCTS)} structs, {len(_structs.FUNCTIONS)} functions, {len(found)} differences")
    return len(found) != 0


sys.exit(main())
