// SPDX-License-Identifier: MIT
// wasi/pthread.h - threads for a platform that has none: locks do nothing, and no thread begins.
// For the page's build of the software GPU only; its C library comes without this header.
#ifndef LAB_PTHREAD_H
#define LAB_PTHREAD_H

#include <errno.h>

struct timespec;
typedef int lab_lock;
#define pthread_mutex_t lab_lock
#define pthread_t lab_lock
#define PTHREAD_MUTEX_INITIALIZER 0
#define pthread_cond_t lab_lock
#define PTHREAD_COND_INITIALIZER 0

static inline int pthread_mutex_init(lab_lock *lock, const void *attributes) {
  (void)attributes;
  return *lock = 0;
}
static inline int pthread_mutex_destroy(lab_lock *lock) { return *lock = 0; }
static inline int pthread_mutex_lock(lab_lock *lock) { return *lock = 0; }
static inline int pthread_mutex_trylock(lab_lock *lock) { return *lock = 0; }
static inline int pthread_mutex_unlock(lab_lock *lock) { return *lock = 0; }

// No other thread could end the wait: it is over at once.
static inline int pthread_cond_timedwait(lab_lock *condition, lab_lock *lock,
                                         const struct timespec *until) {
  (void)condition, (void)lock, (void)until;
  return ETIMEDOUT;
}
static inline int pthread_cond_wait(lab_lock *condition, lab_lock *lock) {
  (void)condition, (void)lock;
  return 0;
}
static inline int pthread_cond_signal(lab_lock *condition) { return *condition = 0; }
static inline int pthread_cond_broadcast(lab_lock *condition) { return *condition = 0; }

static inline int pthread_create(lab_lock *thread, const void *attributes, void *(*begin)(void *),
                                 void *argument) {
  (void)attributes, (void)begin, (void)argument;
  *thread = 0;
  return 1; // callers do the work themselves then
}
static inline int pthread_detach(lab_lock thread) { return (void)thread, 0; }
static inline int pthread_join(lab_lock thread, void **result) {
  (void)thread, (void)result;
  return 0;
}
// No other thread could be spared a signal.
typedef int sigset_t;
enum { SIG_SETMASK };
static inline int sigfillset(sigset_t *set) { return *set = 0; }
static inline int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
  (void)how, (void)set;
  if (before) *before = 0;
  return 0;
}
static inline lab_lock pthread_self(void) { return 0; }
static inline int pthread_equal(lab_lock one, lab_lock other) { return one == other; }

#endif
