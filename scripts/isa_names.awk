# Makes the hash index of the mnemonics from the rows of isa.def, one [slot] = ISA_ID each, so that no tool has to build it at
# every start. The hash is that of src/isa/isa.c. awk has only floating-point numbers, so products modulo 2^32 are computed in
# halves.
BEGIN {
	for (c = 32; c < 127; c++)
		code[sprintf("%c", c)] = c
	slots = 1024
}

function times(a, b,    high) {
	high = int(a / 65536)
	return ((high * b) % 65536 * 65536 + (a - high * 65536) * b) % 4294967296
}

# The four characters from `at` on, the first one lowest.
function word(name, at,    k, value) {
	value = 0
	for (k = 3; k >= 0; k--)
		value = value * 256 + code[substr(name, at + k, 1)]
	return value
}

function hash(name,    n, k, first, last) {
	n = length(name)
	first = last = 0
	if (n >= 4) {
		first = word(name, 1)
		last = word(name, n - 3)
	} else {
		for (k = 1; k <= n; k++)
			first = first * 256 + code[substr(name, k, 1)]
	}
	return (times((first + n) % 4294967296, 2654435761) + times(last, 2246822519)) % 4294967296
}

/^INSN\(/ {
	split($0, quoted, "\"")
	id = substr($0, 6, index($0, ",") - 6)
	at = int(hash(quoted[2]) / (4294967296 / slots))
	while (at in taken)
		at = (at + 1) % slots
	taken[at] = 1
	printf "[%d] = ISA_%s,\n", at, id
}
