/* The host program, the same for every vendor: scales a thousand numbers and checks the result. */
#include "scale_host.h"

#include <stdio.h>

enum { COUNT = 1000 };

int main(void) {
    static float in[COUNT], out[COUNT];
    for (int k = 0; k < COUNT; k++)
        in[k] = (float)k;
    if (scale_on_device(in, out, COUNT, 2.5f) != 0)
        return 1;
    for (int k = 0; k < COUNT; k++)
        if (out[k] != 2.5f * (float)k) {
            printf("wrong: %d gives %g\n", k, (double)out[k]);
            return 1;
        }
    printf("scale: %d results are right\n", (int)COUNT);
    return 0;
}
