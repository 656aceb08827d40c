# SPDX-License-Identifier: MIT
"""The devices that the timing model knows: what data sheets and published measurements say of them,
and where each number comes from. calibrate.py makes their descriptions of it."""

# Where numbers may come from. A number without one of these is refused (complaints()).
CITATIONS = {
    "run": "figures/data/{key}-calibration.csv: micro-benchmarks of bench/calibrate on an NVIDIA "
           "{name}",
    "clusters": "figures/data/{key}-clusters.csv: bench/gpu_cluster.cu on an NVIDIA {name}",
    "links": "figures/data/{key}-many-gpus.csv: bench/gpu_many_gpus.cu on two NVIDIA {name}",
    "card": "the card's own answers (cudaGetDeviceProperties, nvidia-smi) in the same run",
    "guide": "CUDA C++ Programming Guide: technical specifications per compute capability, "
             "throughput of arithmetic instructions",
    "pcie": "PCI Express base specification: 16 lanes, before protocol overhead",
    "pcie8": "PCI Express base specification: 8 lanes, before protocol overhead",
    "benches": "RRZE-HPC gpu-benches (github.com/te42kyfo/gpu-benches, 1c36d50), measured there",
    "volta": "Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, "
             "arXiv 1804.06826",
    "turing": "Jia et al., Dissecting the NVidia Turing T4 GPU via Microbenchmarking, arXiv "
              "1903.07486",
    "h200": "no published number of this device is used: an H200's cycles",
    "h200-clock": "no published number of this device is used: an H200's rate, by the ratio of the "
                  "clocks",
    "h200-size": "no published number of this device is used: an H200's rate, by the ratio of "
                 "clocks times SMs",
    "h200-peak": "no published number of this device is used: an H200's rate, by the ratio of the "
                 "DRAM's peaks",
    "h200-link": "no published number of this device is used: an H200's rate, by the ratio of the "
                 "links' rates on data sheets",
}
BORROWED = ("h200", "h200-clock", "h200-size", "h200-peak", "h200-link")

# What data sheets (`sheet` names the one of this device) and the guide say; bandwidths and
# latencies as measured by the source that `cites` names. `peak_gb_per_s` is the data sheet's, and
# `link_gb_per_s` what it says of one direction to another device: NVLink, or else PCI Express. A
# table: every device has every number of its own, even where two agree.
KNOWN = {
    "h200": dict(name="modelled H200", capability=(9, 0), n_sms=132, clock_hz=1980000000,
                 memory_clock_hz=3201000000, memory_bus_bits=6016, max_threads_per_sm=2048,
                 max_blocks_per_sm=32, shared_bytes_per_sm=233472, shared_bytes_opt_in=232448,
                 shared_bytes_reserved=1024, l1_shared_bytes=262144, l2_bytes=62914560,
                 dram_bytes=150109880320, lanes=(128, 64), host_gb_per_s=63, link_gb_per_s=450,
                 l1_next_line_cycles=0.235,
                 l1_pass_cycles=1, sheet="NVIDIA H200 Tensor Core GPU, data sheet",
                 cites=dict(n_sms="card", clock_hz="card", memory_clock_hz="card",
                            memory_bus_bits="card",
                            l2_bytes="card", dram_bytes="card", l1_next_line_cycles="benches",
                            l1_pass_cycles="benches")),
    "h100": dict(name="modelled H100", capability=(9, 0), n_sms=132, clock_hz=1980000000,
                 memory_clock_hz=2619000000, memory_bus_bits=5120, max_threads_per_sm=2048,
                 max_blocks_per_sm=32, shared_bytes_per_sm=233472, shared_bytes_opt_in=232448,
                 shared_bytes_reserved=1024, l1_shared_bytes=262144, l2_bytes=52428800,
                 dram_bytes=85017493504, lanes=(128, 64), host_gb_per_s=63, link_gb_per_s=450,
                 sheet="NVIDIA H100 Tensor Core GPU (SXM), data sheet, architecture white paper",
                 cites=dict(n_sms="card", clock_hz="card", memory_clock_hz="card",
                            memory_bus_bits="card", l2_bytes="card", dram_bytes="card")),
    "a100": dict(name="modelled A100", capability=(8, 0), n_sms=108, clock_hz=1410000000,
                 memory_clock_hz=1593000000, memory_bus_bits=5120, max_threads_per_sm=2048,
                 max_blocks_per_sm=32, shared_bytes_per_sm=167936, shared_bytes_opt_in=166912,
                 shared_bytes_reserved=1024, l1_shared_bytes=196608, l2_bytes=41943040,
                 dram_bytes=85198045184, lanes=(64, 32), host_gb_per_s=31.5, link_gb_per_s=300,
                 like="h200",
                 dram_read_gb_per_s=1890, l2_gb_per_s=5400, latency_dram=503.7, latency_l2=211,
                 latency_l1=36.1,
                 l1_next_line_cycles=0.235, l1_pass_cycles=1,
                 sheet="NVIDIA A100 80 GB Tensor Core GPU (SXM), data sheet and architecture white "
                       "paper",
                 cites=dict(dram_read_gb_per_s="benches", l2_gb_per_s="benches",
                            latency_dram="benches",
                            latency_l2="benches", latency_l1="benches",
                            l1_next_line_cycles="benches",
                            l1_pass_cycles="benches")),
    "rtx4090": dict(name="modelled RTX 4090", capability=(8, 9), n_sms=128, clock_hz=2520000000,
                    memory_clock_hz=10501000000, memory_bus_bits=384, max_threads_per_sm=1536,
                    max_blocks_per_sm=24, shared_bytes_per_sm=102400, shared_bytes_opt_in=101376,
                    shared_bytes_reserved=1024, l1_shared_bytes=131072, l2_bytes=75497472,
                    dram_bytes=25393692672, lanes=(128, 2), host_gb_per_s=31.5, link_gb_per_s=31.5,
                    like="h200",
                    peak_gb_per_s=1008, sheet="NVIDIA Ada GPU architecture, white paper", cites={}),
    # The clock is the highest that NVIDIA names; a laptop with a small power limit stays below it.
    "rtx4060laptop": dict(name="modelled RTX 4060 Laptop", capability=(8, 9), n_sms=24,
                          clock_hz=2370000000,
                          memory_clock_hz=8001000000, memory_bus_bits=128, max_threads_per_sm=1536,
                          max_blocks_per_sm=24, shared_bytes_per_sm=102400,
                          shared_bytes_opt_in=101376,
                          shared_bytes_reserved=1024, l1_shared_bytes=131072, l2_bytes=33554432,
                          dram_bytes=8585216000, lanes=(128, 2), host_gb_per_s=15.75,
                          link_gb_per_s=15.75,
                          like="h200",
                          peak_gb_per_s=256,
                          sheet="NVIDIA GeForce RTX 40 laptop GPUs, specifications; Ada GPU "
                                "architecture, white paper; what cudaGetDeviceProperties says of "
                                "such laptops (L2, memory)",
                          cites=dict(host_gb_per_s="pcie8")),
    "v100": dict(name="modelled V100", capability=(7, 0), n_sms=80, clock_hz=1530000000,
                 memory_clock_hz=877000000, memory_bus_bits=4096, max_threads_per_sm=2048,
                 max_blocks_per_sm=32, shared_bytes_per_sm=98304, shared_bytes_opt_in=98304,
                 shared_bytes_reserved=0, l1_shared_bytes=131072, l2_bytes=6291456,
                 dram_bytes=16945512448, lanes=(64, 32), host_gb_per_s=15.75, link_gb_per_s=150,
                 like="h200",
                 dram_read_gb_per_s=750, l2_gb_per_s=2155, latency_shared=19, latency_l1=28,
                 latency_l2=193,
                 latency_dram=428.2, sheet="NVIDIA Tesla V100 GPU architecture, white paper",
                 cites=dict(dram_read_gb_per_s="volta", l2_gb_per_s="volta", latency_shared="volta",
                            latency_l1="volta", latency_l2="volta", latency_dram="benches")),
    "t4": dict(name="modelled T4", capability=(7, 5), n_sms=40, clock_hz=1590000000,
               memory_clock_hz=5001000000, memory_bus_bits=256, max_threads_per_sm=1024,
               max_blocks_per_sm=16, shared_bytes_per_sm=65536, shared_bytes_opt_in=65536,
               shared_bytes_reserved=0, l1_shared_bytes=98304, l2_bytes=4194304,
               dram_bytes=15843721216, lanes=(64, 2), host_gb_per_s=15.75, link_gb_per_s=15.75,
               like="h200",
               dram_read_gb_per_s=220, l2_gb_per_s=1270, latency_shared=19, latency_l1=32,
               latency_l2=188,
               sheet="NVIDIA Turing GPU architecture, white paper; NVIDIA T4, data sheet",
               cites=dict(dram_read_gb_per_s="turing", l2_gb_per_s="turing",
                          latency_shared="turing",
                          latency_l1="turing", latency_l2="turing")),
}
# What the same kind of source says of every device, unless its `cites` names another one.
USUAL = {"capability": "guide", "n_sms": "sheet", "clock_hz": "sheet", "memory_clock_hz": "sheet",
         "memory_bus_bits": "sheet", "max_threads_per_sm": "guide", "max_blocks_per_sm": "guide",
         "shared_bytes_per_sm": "guide", "shared_bytes_opt_in": "guide",
         "shared_bytes_reserved": "guide",
         "l1_shared_bytes": "guide", "l2_bytes": "sheet", "dram_bytes": "sheet", "lanes": "guide",
         "host_gb_per_s": "pcie", "registers_per_sm": "guide", "shared_bytes_per_block": "guide"}
H200_PEAK_GB_PER_S = 4814  # 2 x 3,201 MHz x 6,016 bits
