/* The text of a failed assert. The kernel reports only the assert's number; the file it came from
 * may have a text for that number. A queue remembers the file of its launches until the next wait.
 * The file stays in memory that long, even after its module is destroyed. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rt_file *rt_file_use(rt_file *file) {
    atomic_fetch_add(&file->users, 1);
    return file;
}

void rt_file_release(rt_file *file) {
    if (!file || atomic_fetch_sub(&file->users, 1) != 1)
        return;
    wave_module_destroy(file->module);
    free(file->data);
    free(file);
}

void rt_remember_asserts(wave_rt_queue *queue, const wave_rt_module *module, size_t kernel) {
    if (!module->entries[kernel].status || queue->asserts == module->file)
        return;
    queue->ambiguous |= queue->asserts != NULL; /* the numbers of two files mix */
    rt_file_release(queue->asserts);
    queue->asserts = rt_file_use(module->file);
}

void rt_forget_asserts(wave_rt_queue *queue) {
    rt_file_release(queue->asserts);
    queue->asserts = NULL;
    queue->ambiguous = false;
}

/* Appends to the message as much as fits, never a partial character. */
static void append(wave_rt_error *error, const char *text, size_t size) {
    size_t length = strlen(error->message), room = sizeof error->message - 1 - length;
    if (room < 2 || size == 0)
        return;
    memcpy(error->message + length, ": ", 2);
    length += 2;
    room -= 2;
    if (size > room) {
        size = room;
        while (size && ((unsigned char)text[size] & 0xC0) == 0x80)
            size--;
    }
    memcpy(error->message + length, text, size);
    error->message[length + size] = '\0';
}

void rt_explain_assert(const wave_rt_queue *queue, wave_rt_status status, wave_rt_error *error) {
    char whole[sizeof error->message];
    static const char before[] = "assert number ";
    if (status != WAVE_RT_LAUNCH || !error || !queue->asserts || queue->ambiguous ||
        strncmp(error->message, before, sizeof before - 1) != 0)
        return;
    const unsigned number = (unsigned)strtoul(error->message + sizeof before - 1, NULL, 10);
    (void)snprintf(whole, sizeof whole, RT_ASSERT_FAILED, number);
    size_t size;
    const char *text = wave_module_message(queue->asserts->module, number, &size);
    if (text && strcmp(error->message, whole) == 0)
        append(error, text, size);
}
