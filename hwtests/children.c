/* Time limits of child processes. A driver can hold a process in the kernel, where not even SIGKILL
 * ends it at once, so every wait for a child has a limit. */
#include "hwtest.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

bool hw_wait_child(pid_t child, double seconds, int *status) {
    double limit = hw_now() + seconds;
    struct timespec pause = {.tv_nsec = 1000000};
    for (;;) {
        pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child)
            return true;
        if (ended < 0 && errno != EINTR)
            return false;
        if (hw_now() >= limit)
            return false;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 50000000)
            pause.tv_nsec *= 2;
    }
}

bool hw_end_child(pid_t child, int *status) {
    kill(child, SIGKILL);
    return hw_wait_child(child, HW_END_SECONDS, status);
}

void hw_limit_silence(unsigned timeout) {
    enum { LONGEST = 1 << 20 };
    (void)alarm(2 * (timeout < LONGEST ? timeout : LONGEST));
}

int hw_read_answer(int in, void *answer, size_t size, unsigned seconds) {
    double limit = hw_now() + seconds;
    size_t have = 0;
    while (have < size) {
        int ready = hw_wait_input(in, 1);
        if (ready < 0 || (ready == 0 && hw_now() >= limit))
            return -1;
        if (ready == 0)
            continue;
        ssize_t got = read(in, (char *)answer + have, size - have);
        if (got <= 0)
            return 0;
        have += (size_t)got;
    }
    return 1;
}

int hw_wait_input(int in, double seconds) {
    struct pollfd p = {.fd = in, .events = POLLIN};
    int ready = poll(&p, 1, (int)(seconds * 1000));
    return ready < 0 && errno == EINTR ? 0 : ready;
}
