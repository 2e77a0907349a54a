"""The form of the generated programs: element sizes and wrapped value lists in the test format.


"""

SIZE = {"u8": 1, "u16": 2, "f16": 2, "bf16": 2, "u32": 4, "f32": 4, "u64": 8, "f64": 8}
COLUMNS = 98


def listing(start, values, kind):
    """`;@ start v v v` with `;@ +` lines for the values that do not fit; values as raw bits in
    hex."""
    digits = 2 * SIZE[kind]
    lines, line = [], f";@ {start}"
    for v in values:
        text = f"0x{v:0{digits}X}" if kind[0] in "bf" or v > 9 else str(v)
        if len(line) + 1 + len(text) > COLUMNS:
            lines.append(line)
            line = ";@ +"
        line += " " + text
    lines.append(line)
    return lines
