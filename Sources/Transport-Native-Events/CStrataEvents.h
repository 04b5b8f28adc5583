// SPDX-License-Identifier: Apache-2.0
// Headers of the system that Swift's own module of the C library leaves out.
#ifndef STRATA_EVENTS_H
#define STRATA_EVENTS_H

#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <stdint.h>

// As an `epoll_event` has them: their own types differ between C libraries.
static const uint32_t STRATA_EPOLLIN = EPOLLIN;
static const uint32_t STRATA_EPOLLOUT = EPOLLOUT;
static const uint32_t STRATA_EPOLLERR = EPOLLERR;
static const uint32_t STRATA_EPOLLHUP = EPOLLHUP;
static const uint32_t STRATA_EPOLLET = EPOLLET;
#endif

#endif
