/* hwtest never waits for a child without a limit, even if the child ignores the limit or is slow to
 * end. Only the limit itself is tested here: there is no unkillable process to test with. */
#include "hwtests/hwtest.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t start(unsigned seconds, int code) {
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        (void)sleep(seconds);
        _exit(code);
    }
    return child;
}

Test(hwchild, a_child_that_ends_is_reaped_with_its_status) {
    int status = 0;
    cr_assert(hw_wait_child(start(0, 7), 20, &status));
    cr_expect(WIFEXITED(status));
    cr_expect_eq(WEXITSTATUS(status), 7);
}

Test(hwchild, a_child_that_does_not_end_is_given_up) {
    int status = 0;
    pid_t child = start(60, 0);
    double begin = hw_now();
    cr_expect_not(hw_wait_child(child, 0.3, &status));
    cr_expect_geq(hw_now() - begin, 0.3);
    cr_expect_lt(hw_now() - begin, 20);
    cr_assert(hw_end_child(child, &status));
    cr_expect(WIFSIGNALED(status));
    cr_expect_eq(WTERMSIG(status), SIGKILL);
}

Test(hwchild, a_process_that_is_no_child_is_not_waited_for) {
    int status = 0;
    double begin = hw_now();
    cr_expect_not(hw_wait_child(getpid(), 30, &status));
    cr_expect_lt(hw_now() - begin, 20);
}

Test(hwchild, a_silent_child_ends_itself) {
    int status = 0;
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        hw_limit_silence(1);
        (void)sleep(60);
        _exit(0);
    }
    cr_assert(hw_wait_child(child, 30, &status));
    cr_expect(WIFSIGNALED(status));
    cr_expect_eq(WTERMSIG(status), SIGALRM);
}

Test(hwchild, waiting_for_input_has_a_limit) {
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_expect_eq(hw_wait_input(ends[0], 0.05), 0);
    cr_assert_eq(write(ends[1], "x", 1), 1);
    cr_expect_eq(hw_wait_input(ends[0], 20), 1);
    close(ends[1]);
    char c;
    cr_assert_eq(read(ends[0], &c, 1), 1);
    cr_expect_eq(hw_wait_input(ends[0], 20), 1); /* the end */
    close(ends[0]);
}
