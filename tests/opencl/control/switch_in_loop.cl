//@ test    a state machine: a switch in a loop, continue and a break out of both
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 40 1998 4754 2008 40 1998 4754 2008 40 1998 4754 2008 40 1998 4754 2008 40 1998 4754 2008 40
//@ + 1998 4754 2008 40 1998 4754 2008 40 1998 4754 2008 40 1998 4754 2008 40 1998 4754 2008 40 1998 4754 2008
//@ + 40 1998 4754 2008 40 1998 4754 2008 40 1998 4754 2008 40 1998 4754 2008 40 1998 4754 2008

kernel void machine(global int *out) {
    int i = get_global_id(0);
    int state = i % 4, steps = 0, total = 0;
    while (steps < 40) {
        steps++;
        switch (state) {
        case 0:
            total += 1;
            state = (total + i) & 1 ? 2 : 1;
            continue;
        case 1:
            total += 3;
            state = 3;
            break;
        case 2:
            total ^= 5;
            if (total > 30)
                goto done;
            state = 0;
            break;
        default:
            total += steps;
            state = 0;
            if (total % 13 == 0)
                continue;
            total++;
        }
    }
done:
    out[i] = total * 64 + steps;
}
