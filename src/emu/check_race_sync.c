/* Messages through atomics, and a hash table from addresses to the offers there. */
#include "emu/check_race_sync.h"

#include <stdlib.h>
#include <string.h>

/* The most words that have their own offers, and the most clocks; further words share their
 * offers. */
enum { MAX_WORDS = 1 << 14, MAX_CLOCKS = 1 << 16 };

/* ---- The table ---- */

/* Atomics of 32 and of 64 bits exchange no messages: bit 0 tells their locations apart. */
static uint32_t location(uint32_t address, uint32_t bytes) {
    return address | (bytes == 8);
}

static size_t slot_of(const race_words *words, uint32_t address) {
    size_t mask = words->slot_count - 1;
    size_t slot = (address >> 2) * (size_t)2654435761u & mask;
    while (words->slots[slot] && words->at[words->slots[slot] - 1].address != address)
        slot = (slot + 1) & mask;
    return slot;
}

static bool grow(race_words *words) {
    const size_t capacity = words->capacity ? words->capacity * 2 : 16;
    race_word *at = calloc(capacity, sizeof *at);
    uint32_t *slots = calloc(capacity * 2, sizeof *slots);
    if (!at || !slots) {
        free(at);
        free(slots);
        return false;
    }
    if (words->at)
        memcpy(at, words->at, words->count * sizeof *at);
    free(words->at);
    free(words->slots);
    words->at = at;
    words->slots = slots;
    words->slot_count = capacity * 2;
    words->capacity = capacity;
    for (size_t i = 0; i < words->count; i++)
        slots[slot_of(words, at[i].address)] = (uint32_t)i + 1;
    return true;
}

static race_word *find(race_words *words, uint32_t address) {
    uint32_t index = words->slot_count ? words->slots[slot_of(words, address)] : 0;
    if (index)
        return &words->at[index - 1];
    return words->full ? &words->rest : NULL;
}

/* NULL: out of memory. */
static race_word *find_or_add(race_post *post, race_words *words, uint32_t address) {
    race_word *word = find(words, address);
    if (word)
        return word;
    if (words->count == MAX_WORDS || post->clocks->live > MAX_CLOCKS) {
        words->full = true;
        words->rest.group = post->group;
        return &words->rest;
    }
    if ((!words->at || words->count == words->capacity) && !grow(words))
        return NULL;
    race_word *added = &words->at[words->count++];
    words->wide |= address & 1;
    *added = (race_word){.address = address, .group = post->group};
    words->slots[slot_of(words, address)] = (uint32_t)words->count;
    return added;
}

/* ---- The offers at a word ---- */

static void set(race_post *post, race_clock **at, race_clock *clock) {
    race_clock_share(clock);
    race_clock_drop(post->clocks, *at);
    *at = clock;
}

/* Drops all offers to waves except those to `except`. */
static void drop_waves(race_post *post, race_word *word, uint32_t except) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < word->wave_count; i++) {
        if (word->waves[i].wave == except)
            word->waves[kept++] = word->waves[i];
        else
            race_clock_drop(post->clocks, word->waves[i].clock);
    }
    word->wave_count = kept;
}

static race_clock **wave_offer(race_word *word, uint32_t wave) {
    for (uint32_t i = 0; i < word->wave_count; i++)
        if (word->waves[i].wave == wave)
            return &word->waves[i].clock;
    return NULL;
}

static bool offer_to_wave(race_post *post, race_word *word, uint32_t wave, race_clock *clock) {
    race_clock **at = wave_offer(word, wave);
    if (!clock)
        return true;
    if (!at) {
        if (word->wave_count == word->wave_capacity) {
            uint32_t capacity = word->wave_capacity ? word->wave_capacity * 2 : 2;
            race_wave_offer *waves = realloc(word->waves, capacity * sizeof *waves);
            if (!waves)
                return false;
            word->waves = waves;
            word->wave_capacity = capacity;
        }
        word->waves[word->wave_count] = (race_wave_offer){wave, NULL};
        at = &word->waves[word->wave_count++].clock;
    }
    return race_clock_gather(post->clocks, at, clock);
}

static void end_device_chain(race_post *post, race_word *word) {
    set(post, &word->device, NULL);
    word->ended = true;
}

static void end_chain(race_post *post, race_word *word) {
    drop_waves(post, word, UINT32_MAX);
    set(post, &word->workgroup, NULL);
    end_device_chain(post, word);
}

/* At the end of a workgroup, what it left with device scope moves to the word's log; the rest can
 * no longer be received. After the end of a chain the log continues if the new chain knows all of
 * it, as the chain of a lock does. */
static bool hand_on(race_post *post, race_word *word) {
    if (word->group.first == post->group.first)
        return true;
    drop_waves(post, word, UINT32_MAX);
    set(post, &word->workgroup, NULL);
    if (word->device) {
        const race_list *past = &word->device->past;
        if (!word->log || (word->ended && race_list_value(past, word->log - 1) <
                                              post->logs.at[word->log - 1].count)) {
            uint32_t number;
            if (!race_logs_add(&post->logs, &number))
                return false;
            word->log = number + 1;
        }
        if (!race_clock_publish(word->device, &post->logs, word->log - 1, word->group))
            return false;
        word->notes = race_log_show(&post->logs.at[word->log - 1]);
        word->ended = false;
        set(post, &word->device, NULL);
    }
    word->group = post->group;
    return true;
}

/* ---- Atomics ---- */

static bool take(race_post *post, race_mail *mail, race_word *word, const race_atomic *a) {
    race_clock **own = wave_offer(word, a->wave);
    if (own && !race_clock_gather(post->clocks, &mail->offered[0], *own))
        return false;
    if (a->scope >= ISA_SCOPE_WORKGROUP &&
        !race_clock_gather(post->clocks, &mail->offered[1], word->workgroup))
        return false;
    if (a->scope < ISA_SCOPE_DEVICE || !word->log || word->ended)
        return true;
    bool changed = false;
    race_entry notes = {word->log - 1, word->notes};
    return race_list_join_entries(&mail->notes, &notes, 1, &changed);
}

/* A write that is not a read-modify-write starts a new chain. A write whose scope does not reach
 * the lanes at both ends of a message ends the chain for them. */
static void continue_chain(race_post *post, race_words *words, race_word *word,
                           const race_atomic *a) {
    if (word == &words->rest)
        return;
    if (!a->reads) {
        end_chain(post, word);
    } else if (a->scope < ISA_SCOPE_WORKGROUP) {
        drop_waves(post, word, a->wave);
        set(post, &word->workgroup, NULL);
        end_device_chain(post, word);
    } else if (a->scope < ISA_SCOPE_DEVICE) {
        end_device_chain(post, word);
    }
}

static bool leave(race_post *post, const race_mail *mail, race_word *word, const race_atomic *a) {
    return offer_to_wave(post, word, a->wave, mail->released[ISA_SCOPE_WAVE]) &&
           (a->scope < ISA_SCOPE_WORKGROUP ||
            race_clock_gather(post->clocks, &word->workgroup,
                              mail->released[ISA_SCOPE_WORKGROUP])) &&
           (a->scope < ISA_SCOPE_DEVICE ||
            race_clock_gather(post->clocks, &word->device, mail->released[ISA_SCOPE_DEVICE]));
}

bool race_post_atomic(race_post *post, race_mail *mail, const race_atomic *a) {
    race_words *words = &post->words[a->space];
    const bool leaves = a->writes && mail->released[ISA_SCOPE_WAVE];
    const uint32_t at = location(a->address, a->bytes);
    race_word *word = leaves ? find_or_add(post, words, at) : find(words, at);
    if (!word)
        return !leaves;
    if (!hand_on(post, word) || (a->reads && !take(post, mail, word, a)))
        return false;
    if (a->writes)
        continue_chain(post, words, word, a);
    return !leaves || leave(post, mail, word, a);
}

static void overwrite(race_post *post, race_words *words, uint32_t at) {
    race_word *word = words->count ? find(words, at) : NULL;
    if (word && word != &words->rest)
        end_chain(post, word);
}

void race_post_overwrite(race_post *post, unsigned space, uint32_t address, uint32_t own) {
    race_words *words = &post->words[space];
    if (own != 4)
        overwrite(post, words, location(address, 4));
    if (own != 8 && words->wide)
        overwrite(post, words, location(address & ~7u, 8));
}

static void free_word(race_post *post, race_word *word) {
    end_chain(post, word);
    free(word->waves);
}

void race_post_free(race_post *post) {
    for (unsigned space = 0; space < 2; space++) {
        race_words *words = &post->words[space];
        for (size_t i = 0; i < words->count; i++)
            free_word(post, &words->at[i]);
        free_word(post, &words->rest);
        free(words->at);
        free(words->slots);
    }
    race_logs_free(&post->logs);
}

/* ---- Fences ---- */

void race_mail_release(race_post *post, race_mail *mail, race_clock *clock, uint32_t scope) {
    for (uint32_t level = 0; level < RACE_LEVELS && level <= scope; level++)
        set(post, &mail->released[level], clock);
}

/* A clock offered by several lanes is joined once. */
static bool take_offer(race_post *post, race_clock **offered, race_clock *into) {
    race_clock *clock = *offered;
    bool good = true;
    if (clock && clock->mark != into->number) {
        clock->mark = into->number;
        good = race_clock_join(post->clocks, into, clock);
    }
    set(post, offered, NULL);
    return good;
}

bool race_mail_acquire(race_post *post, race_mail *mail, race_clock *into, uint32_t scope) {
    bool changed = false, good = take_offer(post, &mail->offered[0], into);
    if (scope >= ISA_SCOPE_WORKGROUP)
        good = take_offer(post, &mail->offered[1], into) && good;
    if (scope >= ISA_SCOPE_DEVICE && mail->notes.count) {
        good = race_list_join(&into->past, &mail->notes, &changed) && good;
        mail->notes.count = 0;
    }
    return good;
}

void race_mail_clear(race_post *post, race_mail *mail) {
    for (unsigned level = 0; level < RACE_LEVELS; level++)
        set(post, &mail->released[level], NULL);
    set(post, &mail->offered[0], NULL);
    set(post, &mail->offered[1], NULL);
    mail->notes.count = 0;
}

void race_mail_free(race_post *post, race_mail *mail) {
    race_mail_clear(post, mail);
    race_list_free(&mail->notes);
}
