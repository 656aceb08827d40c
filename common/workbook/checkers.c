// SPDX-License-Identifier: MIT
// checkers.c - see checkers.h.
#include "checkers.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef WORKBOOK_SIMT
#include "simt.h"

bool wb_checkers_ask(const wb_args *args, const char *program, char *message,
                     size_t message_bytes) {
  (void)program, (void)message, (void)message_bytes;
  if (args->check != NULL) setenv("SIMT_CHECK", args->check, 1);
  if (args->schedule != NULL) setenv("SIMT_SCHEDULE", args->schedule, 1);
  return true;
}

unsigned wb_checkers_report(const wb_args *args) {
  const unsigned errors = (unsigned)simt_findings_error_count();
  if (args->json || (args->check == NULL && args->schedule == NULL)) return errors;
  if (simt_launches() == 0) return errors; // nothing ran: then 0 errors would be no good news
  printf("\nchecked:");
  if (args->check != NULL) printf(" checkers %s;", args->check);
  if (args->schedule != NULL) printf(" schedule %s;", args->schedule);
  printf(errors == 1 ? " %u error\n" : " %u errors\n", errors);
  return errors;
}

#else

bool wb_checkers_ask(const wb_args *args, const char *program, char *message,
                     size_t message_bytes) {
  if (args->check == NULL && args->schedule == NULL) return true;
  snprintf(message, message_bytes,
           "%s is for the software GPU (BACKEND=SIMT); on a GPU there is NVIDIA's checker:\n"
           "  compute-sanitizer --tool racecheck %s",
           args->check != NULL ? "--check" : "--schedule", program);
  return false;
}

unsigned wb_checkers_report(const wb_args *args) {
  (void)args;
  return 0;
}

#endif
