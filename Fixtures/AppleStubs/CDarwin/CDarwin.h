// SPDX-License-Identifier: Apache-2.0
// What Apple's C library has beside Glibc's, where Swift could not say it: a structure and a function of one name. Nothing here runs.
#ifndef STRATA_STUB_DARWIN_H
#define STRATA_STUB_DARWIN_H

#include <stdint.h>
#include <time.h>

// MARK: sys/event.h

struct kevent {
    uintptr_t ident;
    int16_t filter;
    uint16_t flags;
    uint32_t fflags;
    intptr_t data;
    void *udata;
};

int kqueue(void);
int kevent(
    int queue, const struct kevent *changes, int changeCount, struct kevent *events, int eventCount, const struct timespec *timeout);

#define EVFILT_READ (-1)
#define EVFILT_WRITE (-2)
#define EVFILT_USER (-10)
#define EV_ADD 0x0001
#define EV_DELETE 0x0002
#define EV_CLEAR 0x0020
#define EV_ERROR 0x4000
#define EV_EOF 0x8000
#define NOTE_TRIGGER 0x01000000

#endif
