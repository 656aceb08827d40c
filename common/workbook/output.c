// SPDX-License-Identifier: MIT
// output.c - the table for people and the JSON lines for programs; see output.h.
#include "output.h"
#include "text.h"

#include <math.h>
#include <string.h>

// --- explanations ---------------------------------------------------------------------------

static double term(const char *name, size_t length, const double *counters, unsigned n,
                   double time_ms) {
  if (length == 1 && name[0] == 'n') return (double)n;
  if (length == 7 && strncmp(name, "time_ns", length) == 0) return time_ms * 1e6;
  for (size_t i = 0; i < wb_counters_count(); i++) {
    const char *counter = wb_counters_name(i);
    if (strlen(counter) == length && strncmp(counter, name, length) == 0) return counters[i];
  }
  return NAN;
}

static double sum_of_terms(const char *terms, const double *counters, unsigned n, double time_ms) {
  double sum = 0.0;
  for (;;) {
    const size_t length = strcspn(terms, "+");
    sum += term(terms, length, counters, n, time_ms);
    if (terms[length] == '\0') return sum;
    terms += length + 1;
  }
}

double wb_explain(const wb_explanation *explanation, const double *counters, unsigned n,
                  double time_ms) {
  if (explanation->numerator == NULL) return NAN;
  const double numerator = sum_of_terms(explanation->numerator, counters, n, time_ms);
  if (explanation->denominator == NULL) return numerator;
  const double denominator = sum_of_terms(explanation->denominator, counters, n, time_ms);
  return denominator > 0.0 ? numerator / denominator : NAN;
}

// --- the table ------------------------------------------------------------------------------

enum { NUMBER_BYTES = 32 };

// Counts with thousands separated, quotients with about four digits, at most 11 characters.
static const char *number_text(double value, bool is_quotient, char *text) {
  if (isnan(value)) return "-";
  if (!is_quotient && value == floor(value) && fabs(value) < 1e15) {
    char digits[NUMBER_BYTES];
    const int n_digits = snprintf(digits, sizeof digits, "%.0f", fabs(value));
    char *to = text;
    if (value < 0.0) *to++ = '-';
    for (int i = 0; i < n_digits; i++) {
      if (i > 0 && (n_digits - i) % 3 == 0) *to++ = ',';
      *to++ = digits[i];
    }
    *to = '\0';
    if (to - text <= 11) return text;
  }
  const double size = fabs(value);
  if (size >= 1e7) {
    snprintf(text, NUMBER_BYTES, "%.3g", value);
  } else {
    snprintf(text, NUMBER_BYTES, "%.*f",
             size < 10.0    ? 3
             : size < 100.0 ? 2
             : size < 1e3   ? 1
                            : 0,
             value);
  }
  return text;
}

static const char *fixed_text(double value, int decimals, const char *unit, char *text) {
  if (isnan(value)) return "-";
  if (value != 0.0 && fabs(value) < 0.5 * pow(10.0, -decimals)) {
    snprintf(text, NUMBER_BYTES, "%.1g%s", value, unit);
  } else {
    snprintf(text, NUMBER_BYTES, "%.*f%s", decimals, value, unit);
  }
  return text;
}

static void heading_modelled(FILE *to, const wb_lesson *lesson, const wb_device *device) {
  const char *labels[WB_MAX_EXPLANATIONS];
  fprintf(to,
          "Times are modelled, not measured; 100 %% is the modelled read ceiling, %.0f GB/s.\n\n",
          device->peak_gb_per_s);
  for (size_t i = 0; i < WB_MAX_EXPLANATIONS; i++) {
    labels[i] = lesson->explanations[i].label != NULL ? lesson->explanations[i].label : "";
  }
  fprintf(to, "%-18s %10s %8s %6s %7s %11s %11s %2s\n", "variant", "model ms", "GB/s", "% peak",
          "before", labels[0], labels[1], "ok");
}

static void heading_measured(FILE *to, const wb_args *args, const wb_device *device) {
  fprintf(to, "Measured times, %s; 100 %% is this run's ceiling:\n",
          args->warm ? "the same input each time (warm)" : "inputs not in the L2 (cold)");
  fprintf(to, "read %.0f GB/s, for scans copy %.0f GB/s. \"ties\": as near as the spread.\n\n",
          device->peak_gb_per_s, device->copy_gb_per_s);
  fprintf(to, "%-18s %9s %6s %7s %6s %7s %7s %9s %2s\n", "variant", "ms", "spread", "GB/s",
          "% ceil", "before", "vs CUB", "graph ms", "ok");
}

void wb_print_heading(FILE *to, const wb_lesson *lesson, const wb_args *args,
                      const wb_device *device) {
  char text[NUMBER_BYTES];
  fprintf(to, "%s: %s\n", lesson->name, lesson->title);
  fprintf(to, "%s elements of 4 bytes, block %u%s, on: ", number_text((double)args->n, false, text),
          args->block, args->offset != 0 ? ", input pointer moved by --offset" : "");
  if (lesson->devices > 0) fprintf(to, "%u x ", device->count);
  fprintf(to, "%s\n", device->name);
  if (device->modelled) {
    heading_modelled(to, lesson, device);
  } else {
    heading_measured(to, args, device);
  }
}

// The variant's name, and in a sweep its parameter: "float_slots 64", "float_slots 2^20".
static const char *row_name(const wb_row *row, char *text, size_t text_bytes) {
  if (!row->is_sweep) return row->variant->name;
  unsigned exponent = 0;
  while (row->parameter >> exponent > 1) exponent++;
  if (row->parameter >= 1000 && row->parameter == 1u << exponent) {
    snprintf(text, text_bytes, "%s 2^%u", row->variant->name, exponent);
  } else {
    snprintf(text, text_bytes, "%s %u", row->variant->name, row->parameter);
  }
  return text;
}

static void row_modelled(FILE *to, const wb_row *row) {
  char texts[4][NUMBER_BYTES], explanation[WB_MAX_EXPLANATIONS][NUMBER_BYTES], name[64];
  const char *explained[WB_MAX_EXPLANATIONS];
  for (size_t i = 0; i < WB_MAX_EXPLANATIONS; i++) {
    const wb_explanation *way = &row->lesson->explanations[i];
    const bool is_quotient = way->denominator != NULL;
    explained[i] =
        way->label == NULL ? "" : number_text(row->explanations[i], is_quotient, explanation[i]);
  }
  fprintf(to, "%-18s %10s %8s %6s %7s %11s %11s %2s\n", row_name(row, name, sizeof name),
          fixed_text(row->timing.median_ms, 4, "", texts[0]),
          fixed_text(row->gb_per_s, 1, "", texts[1]),
          fixed_text(row->percent_of_peak, 2, "", texts[2]),
          fixed_text(row->times_before, 2, "x", texts[3]), explained[0], explained[1],
          row->correct ? "ok" : "NO");
}

static const char *times_text(double times, bool ties, char *text) {
  return ties ? "ties" : fixed_text(times, 2, "x", text);
}

static void row_measured(FILE *to, const wb_row *row) {
  const wb_timing *t = &row->timing;
  char texts[7][NUMBER_BYTES], name[64];
  const double spread = t->median_ms > 0.0 ? 100.0 * (t->p90_ms - t->p10_ms) / t->median_ms : NAN;
  fprintf(to, "%-18s %9s %6s %7s %6s %7s %7s %9s %2s\n", row_name(row, name, sizeof name),
          fixed_text(t->median_ms, 4, "", texts[0]), fixed_text(spread, 1, "%", texts[1]),
          fixed_text(row->gb_per_s, 1, "", texts[2]),
          fixed_text(row->percent_of_peak, 1, "", texts[3]),
          times_text(row->times_before, row->ties_before, texts[4]),
          row->variant->is_yardstick ? "-" : times_text(row->times_cub, row->ties_cub, texts[5]),
          fixed_text(t->graph_median_ms, 5, "", texts[6]), row->correct ? "ok" : "NO");
}

void wb_print_row(FILE *to, const wb_row *row) {
  (row->device->modelled ? row_modelled : row_measured)(to, row);
  if (!row->correct) fprintf(to, "  WRONG: %s\n", row->message);
  fflush(to);
}

void wb_print_refusal(FILE *to, const char *variant, const char *reason) {
  fprintf(to, "%-18s not run: %s\n", variant, reason);
}

// --- JSON -----------------------------------------------------------------------------------

static void json_number(FILE *to, double value) {
  if (!isfinite(value)) {
    fputs("null", to);
  } else if (value == floor(value) && fabs(value) < 1e15) {
    fprintf(to, "%.0f", value);
  } else {
    fprintf(to, "%.9g", value);
  }
}

static void json_text_field(FILE *to, const char *key, const char *text) {
  fprintf(to, "\"%s\": ", key);
  wb_print_json_string(to, text);
  fputs(", ", to);
}

static void json_number_field(FILE *to, const char *key, double value) {
  fprintf(to, "\"%s\": ", key);
  json_number(to, value);
  fputs(", ", to);
}

static void json_explains(FILE *to, const wb_row *row) {
  const char *separator = "";
  fputs("\"explains\": {", to);
  for (size_t i = 0; i < WB_MAX_EXPLANATIONS; i++) {
    if (row->lesson->explanations[i].label == NULL) continue;
    fputs(separator, to);
    wb_print_json_string(to, row->lesson->explanations[i].label);
    fputs(": ", to);
    json_number(to, row->explanations[i]);
    separator = ", ";
  }
  fputs("}, ", to);
}

static void json_counters(FILE *to, const wb_row *row) {
  fputs("\"counters\": {", to);
  for (size_t i = 0; i < wb_counters_count(); i++) {
    fprintf(to, "%s\"%s\": ", i > 0 ? ", " : "", wb_counters_name(i));
    json_number(to, row->counters[i]);
  }
  fputs("}", to);
}

static void json_bool_field(FILE *to, const char *key, bool value) {
  fprintf(to, "\"%s\": %s, ", key, value ? "true" : "false");
}

// What only a measurement has.
static void json_measured(FILE *to, const wb_row *row) {
  const wb_timing *t = &row->timing;
  json_number_field(to, "row", row->number);
  json_text_field(to, "regime", row->regime);
  json_number_field(to, "batch", t->batch);
  json_text_field(to, "ceiling", row->ceiling);
  json_number_field(to, "ceiling_gb_per_s", row->ceiling_gb_per_s);
  json_number_field(to, "graph_runs", t->graph_runs);
  json_number_field(to, "time_graph_ms", t->graph_median_ms);
  json_number_field(to, "time_graph_p10_ms", t->graph_p10_ms);
  json_number_field(to, "time_graph_p90_ms", t->graph_p90_ms);
  json_number_field(to, "times_before", row->times_before);
  json_bool_field(to, "ties_before", row->ties_before);
  json_number_field(to, "times_cub", row->times_cub);
  json_bool_field(to, "ties_cub", row->ties_cub);
  json_number_field(to, "times_cub_graph", row->times_cub_graph);
}

void wb_print_json(FILE *to, const wb_row *row) {
  fputc('{', to);
  json_text_field(to, "lesson", row->lesson->name);
  json_text_field(to, "variant", row->variant->name);
  if (row->variant->group != NULL) json_text_field(to, "group", row->variant->group);
  if (row->is_sweep) json_number_field(to, "parameter", row->parameter);
  json_text_field(to, "input", row->variant->input == WB_INT ? "int" : "float");
  if (row->variant->expect != NULL) json_bool_field(to, "demonstration", true);
  json_number_field(to, "n", row->n);
  json_number_field(to, "block", row->block);
  json_number_field(to, "grid", row->grid);
  json_text_field(to, "backend", row->device->backend);
  json_text_field(to, "device", row->device->name);
  if (row->lesson->devices > 0) json_number_field(to, "devices", row->device->count);
  json_number_field(to, "time_ms", row->timing.median_ms);
  json_number_field(to, "time_p10_ms", row->timing.p10_ms);
  json_number_field(to, "time_p90_ms", row->timing.p90_ms);
  json_text_field(to, "time_kind", row->device->time_kind);
  json_number_field(to, "repeats", row->timing.repeats);
  if (row->basis != NULL) json_text_field(to, "basis", row->basis);
  if (row->bound != NULL) json_text_field(to, "bound", row->bound);
  if (row->verified_n > 0) {
    json_number_field(to, "blocks_run_percent", row->blocks_run_percent);
    json_number_field(to, "verified_n", row->verified_n);
  }
  if (!row->device->modelled) json_measured(to, row);
  json_number_field(to, "gb_per_s", row->gb_per_s);
  json_number_field(to, "percent_of_peak", row->percent_of_peak);
  json_number_field(to, "error_over_bound", row->error_over_bound);
  fprintf(to, "\"result\": \"%a\", ", row->result); // hexadecimal: every bit of it
  fprintf(to, "\"correct\": %s, ", row->correct ? "true" : "false");
  if (!row->correct) json_text_field(to, "message", row->message);
  json_explains(to, row);
  json_counters(to, row);
  fputs("}\n", to);
  fflush(to);
}
