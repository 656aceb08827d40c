# SPDX-License-Identifier: MIT
"""How a device's costs come from what bench/calibrate and bench/gpu_cluster.cu measured: a formula
over measured values (`v`, by name) for each instruction (OPS) and each field of the description
(FIELDS, CITED_FIELDS, CLUSTER_FIELDS), and what another GPU's are scaled by. calibrate.py uses
them."""


def half(op, other):
    """A row that times two instructions together, of which `other` is known: (latency, interval) of
    `op`."""
    return lambda v: (max(1.0, v["latency_" + op] - v["latency_" + other]),
                      max(0.25, v["interval_" + op] - v["interval_" + other]))


def whole(op):
    return lambda v: (v["latency_" + op], v["interval_" + op])


def share(op, n):
    return lambda v: (v["latency_" + op] / n, v["interval_" + op] / n)


def less_alu(op, n=1):
    """`op` was timed with n simple integer instructions."""
    return lambda v: (max(1.0, v["latency_" + op] - n * v["latency_add_xor_u32"] / 2),
                      max(0.25, v["interval_" + op] - n * v["interval_add_xor_u32"] / 2))


def less_fp32(op):
    """`op` was timed with one addition, which its own unit hides."""
    return lambda v: (v["latency_" + op] - v["latency_add_f32"], v["interval_" + op])


def branch(v):
    """A turn of a loop is a count, a comparison and the branch."""
    return (v["latency_loop"] - v["latency_shl_xor_u32"],
            max(0.25, v["interval_loop"] - v["interval_shl_xor_u32"]))


OPS = {
    "fp32": whole("fma_f32"), "compare": share("setp_selp_u32", 2),
    "alu": lambda v: (v["latency_shl_xor_u32"] / 2, v["interval_add_xor_u32"] / 2),
    "field": lambda v: (v["latency_bfe_xor_u32"] - v["latency_shl_xor_u32"] / 2,
                        v["interval_bfe_xor_u32"] - v["interval_shl_xor_u32"] / 2),
    "alu64": share("add_xor_u64", 2),
    "shift64": lambda v: (v["latency_shl_xor_u64"] / 2, v["interval_shl_xor_u64"] / 2),
    "imad": whole("mad_u32"), "mul_hi": whole("mul_hi_u32"), "mul_wide": whole("mad_wide_u32"),
    "mul64": whole("mad_lo_u64"), "fp64": whole("fma_f64"), "count": whole("popc_u32"),
    "convert": lambda v: ((v["latency_cvt_add_u32_f32"] - v["latency_add_f32"]) / 2,
                          v["interval_cvt_add_u32_f32"] / 2),
    "convert64": lambda v: ((v["latency_cvt_add_f64_f32"] - v["latency_add_f32"]) / 2,
                            v["interval_cvt_add_f64_f32"] / 2),
    "narrow": share("shl_xor_u32", 2),
    "ex2": whole("ex2_f32"), "lg2": whole("lg2_f32"), "sin": less_fp32("sin_add_f32"),
    "rcp": less_fp32("rcp_add_f32"),
    "rsqrt": whole("rsqrt_f32"), "sqrt": whole("sqrt_approx_f32"), "rcp_rn": whole("rcp_rn_f32"),
    "sqrt_rn": whole("sqrt_rn_f32"), "div_full": whole("div_full_f32"),
    "div_rn": whole("div_rn_f32"),
    "div_f64": whole("div_rn_f64"), "sqrt_f64": whole("sqrt_rn_f64"),
    "div_u32": less_alu("div_u32"),
    "rem_u32": less_alu("rem_u32"), "div_s32": less_alu("div_s32"), "div_u64": less_alu("div_u64"),
    "shuffle": lambda v: (v["latency_shfl_u32"] - v["latency_shl_xor_u32"] / 2,
                          v["interval_shfl_u32"]),
    "vote": less_alu("vote_u32"), "redux": whole("redux_u32"),
    "match": less_alu("match_u32"), "branch": branch,
}


def block_cycles(v, threads):
    """From one block's start to the next one's, on one SM; of 512 blocks per SM between two
    events."""
    blocks = 512 * v["n_sms"]
    ns = v[f"block_empty_{threads}_threads"] - v["event_empty"] / blocks
    return ns * v["n_sms"] * v["clock_hz"] * 1e-9


def in_flight(where):
    """Little's law: with one load of 4 bytes in flight per thread, 64 threads per SM, a turn of the
    loop takes so many cycles; the loop itself is not the memory's."""
    return lambda v: (64 * 4 * v["n_sms"] / v[f"read_{where}_64_threads_1"] * v["clock_hz"] * 1e-9 -
                      v["latency_loop"])


# Field -> formula over measured values.
FIELDS = {
    "latency_shared": lambda v: v["latency_shared_load"],
    "latency_shared_atomic": lambda v: v["latency_shared_atomic"],
    "latency_l1": lambda v: v["latency_l1"],
    "latency_l2": in_flight("l2"),
    "latency_dram": in_flight("dram"),
    "latency_atomic": lambda v: v["latency_atomic"],
    "shared_pass_cycles": lambda v: v["interval_shared_load_32_way"] / 32,
    "shared_store_cycles": lambda v: v["interval_shared_store_8_way"] / 8,
    "shared_atomic_cycles": lambda v: v["interval_shared_atomic_u32"],
    "shared_cas_cycles": lambda v: v["interval_shared_atomic_f32"],
    "shared_retry_cycles": lambda v: v["interval_shared_atomic_f32_one_word"] / 32,
    "l1_line_cycles": lambda v: 128 * v["clock_hz"] * 1e-9 / v["read_l1_4_bytes"],
    "l1_sector_cycles": lambda v: 32 * v["clock_hz"] * 1e-9 / v["read_l1_16_bytes"],
    "port_sector_cycles": lambda v: 32.0 * v["clock_hz"] * 1e-9 / v["read_l2_one_sm"],
    "lsu_queue_cycles": lambda v: v["latency_shared_load"],
    "store_queue_cycles": lambda v: in_flight("l2")(v),
    "block_start_cycles": lambda v: block_cycles(v, 32),
    "warp_start_cycles": lambda v: block_cycles(v, 1024) / 32,
    # Two blocks of 1,024 threads take turns: half of the time each is begun, in the other it begins
    # and ends.
    "block_latency_cycles": lambda v: block_cycles(v, 1024) / 2,
    "block_end_cycles": lambda v: block_cycles(v, 1024) / 2,
    "grid_sync_cycles": lambda v: v["grid_sync_2_blocks_per_sm"] * v["clock_hz"] * 1e-9,
    "dram_read_gb_per_s": lambda v: v["read_dram"],
    "dram_write_gb_per_s": lambda v: v["write_dram"],
    "dram_scattered_gb_per_s": lambda v: 64 * v["scattered_load_dram"],  # in pairs of sectors
    "copy_gb_per_s": lambda v: v["copy_dram"],
    "l2_gb_per_s": lambda v: v["read_l2"],
    "l2_lines_g_per_s": lambda v: v["scattered_load_l2"],
    "l2_store_gb_per_s": lambda v: v["write_l2"],
    "l2_store_lines_g_per_s": lambda v: v["scattered_store_l2"],
    "launch_ns": lambda v: v["event_empty_cold"],
    "launch_gap_ns": lambda v: v["launch_batch_19800_cycles"] - 19800 / (v["clock_hz"] * 1e-9),
    # Of a load by every SM: beyond an empty launch, the start of the blocks and DRAM's latency.
    "first_touch_ns": lambda v: v["event_load_per_sm_cold"] - v["event_empty_cold"] -
        v["n_sms"] * v["block_empty_32_threads"] - in_flight("dram")(v) / (v["clock_hz"] * 1e-9),
    "copy_launch_ns": lambda v: v["event_empty_cold"],
    "atomic_same_float_g_per_s": lambda v: v["atomic_f32_neighbours_2^0"],
    "atomic_same_int_g_per_s": lambda v: v["atomic_leader_u32"],
    "atomic_lanes_g_per_s": lambda v: v["atomic_u32_neighbours_2^20"],
    "atomic_sectors_g_per_s": lambda v: v["atomic_u32_scattered_2^20"],
}
# Published measurements of an H200 (in KNOWN) stand in until a calibration has these rows.
CITED_FIELDS = {
    "l1_next_line_cycles": lambda v: (v["interval_l1_load_33_lines"] -
                                      v["interval_l1_load_1_line"]) / 32,
    "l1_pass_cycles": lambda v: v["interval_l1_load_32_way"] / 32,
}
# Of devices with clusters, by bench/gpu_cluster.cu: clusters of two blocks, and of more (8).
def of_clusters(formula):
    return lambda v: [formula(v, "2"), formula(v, "8")]


CLUSTER_FIELDS = {
    "cluster_latency": of_clusters(lambda v, n: v["latency_load_" + n] - v["latency_load_1"]),
    "cluster_barrier_cycles": of_clusters(
        lambda v, n: v[f"latency_barrier_256_threads_{n}"] - v["latency_barrier_8_warps"]),
    # A line's four sectors one after another, and a sector of each line.
    "cluster_sector_cycles": of_clusters(
        lambda v, n: v[f"interval_load_every_8th_{n}_next"] / 32),
    "cluster_line_cycles": of_clusters(lambda v, n: v[f"interval_load_one_bank_{n}_next"] / 32),
    "cluster_store_cycles": of_clusters(
        lambda v, n: v[f"interval_store_every_8th_{n}_next"] / 32),
    # Halfway between both.
    "cluster_atomic_cycles": of_clusters(
        lambda v, n: (v[f"interval_add_every_8th_{n}_next"] +
                      v[f"interval_add_one_bank_{n}_next"]) / 64),
}
# Between devices, by bench/gpu_many_gpus.cu: of 2^30 bytes, and of 64 signals there and back.
LINK_FIELDS = {
    "link_copy_gb_per_s": lambda v: 2**30 / v["links_copy_1073741824"] * 1e-3,
    "link_access_gb_per_s": lambda v: 2**30 / v["links_read_1073741824"] * 1e-3,
    "link_both_gb_per_s": lambda v: 2**30 / v["links_reads_1073741824"] * 1e-3,
    "signal_ns": lambda v: v["links_signals_0"] / 128 * 1e3,
    # Without the signals before and after it.
    "link_copy_ns": lambda v: (v["links_copy_4"] - v["links_signals_0"] / 64) * 1e3,
}
SCALED_BY_LINK = {"link_copy_gb_per_s", "link_access_gb_per_s", "link_both_gb_per_s"}
SCALED_BY_DRAM = {"dram_read_gb_per_s", "dram_write_gb_per_s", "dram_scattered_gb_per_s",
                  "copy_gb_per_s"}
SCALED_BY_CLOCK = {"atomic_same_float_g_per_s", "atomic_same_int_g_per_s"}
# What all slices of the L2 do together: a smaller GPU has fewer.
SCALED_BY_SIZE = {"l2_gb_per_s", "l2_lines_g_per_s", "l2_store_gb_per_s", "l2_store_lines_g_per_s",
                  "atomic_lanes_g_per_s", "atomic_sectors_g_per_s"}
