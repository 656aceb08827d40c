# SPDX-License-Identifier: MIT
"""Libraries that are no part of the CUDA runtime, by their headers and by the names they define."""

import functools
import os
import re
import subprocess

# What may be linked: a C library's own parts, the CUDA runtime and NCCL, which comes with it here.
LIBRARIES = {"m", "pthread", "rt", "dl", "cudart", "cudart_static", "cuda", "cudadevrt", "gomp",
             "nccl"}

# Linked where the machine has them and a name of theirs is undefined: the last one has to be there.
INSTALLED = {"GoogleTest": ["gtest_main", "gmock", "gtest"], "Google Benchmark": ["benchmark"],
             "Catch2": ["Catch2Main", "Catch2"], "fmt": ["fmt"], "zlib": ["z"], "bzip2": ["bz2"]}

TOOLKIT = {"Thrust", "CUB"}  # headers that nvcc brings along and simtcc does not

SAMPLES = "the helpers of NVIDIA's CUDA samples"
# Headers that many programs take from there.
HELPERS = (r"(?:.*/)?(?:helper_(?:cuda|cusolver|functions|gl|image|math|multiprocess|string|"
           r"timer)\w*|exception|drvapi_error_string|cutil\w*)\.h$")

HEADERS = [
    (r"cublas", "cuBLAS"), (r"cufft", "cuFFT"), (r"cusparse", "cuSPARSE"),
    (r"cusolver", "cuSOLVER"), (r"curand\.h|curandDx", "cuRAND (host)"), (r"cudnn", "cuDNN"),
    (r"nccl", "NCCL"), (r"nvshmem", "NVSHMEM"), (r"npp", "NPP"), (r"nvjpeg", "nvJPEG"),
    (r"nvml", "NVML"), (r"nvrtc", "NVRTC"), (r"cupti", "CUPTI"), (r"cufile", "cuFile"),
    (r"nvJitLink|nvFatbin|nvgraph|nvblas", "another library of the toolkit"),
    (r"thrust/", "Thrust"), (r"cub/|cub\.cuh", "CUB"), (r"cutlass/|cute/", "CUTLASS"),
    (r"mpi\.h", "MPI"), (r"omp\.h", "OpenMP"), (r"opencv|cv\.h|highgui", "OpenCV"),
    (r"GL/|GLES|GLFW|glut|glew|EGL|vulkan|SDL|X11/|d3d|DirectX|dxgi|windows\.h|rendercheck|"
     r"raylib|raymath", "graphics"),
    (r"FreeImage|jpeglib|png\.h|tiff|(?:stb/)?stb_image", "an image library"),
    (r"boost/", "Boost"), (r"Eigen/", "Eigen"), (r"gtest/|gmock/", "GoogleTest"),
    (r"benchmark/", "Google Benchmark"), (r"catch2?/|catch(?:_\w+)?\.hpp", "Catch2"),
    (r"fmt/", "fmt"), (r"munit", "munit"), (r"dlib/", "dlib"), (r"nvToolsExt|nvtx3/", "NVTX"),
    (r"cudla", "cuDLA"), (r"cuda/", "CCCL"), (r"llvm/", "LLVM"),
    (r"torch/|ATen/|c10/|pybind11|Python\.h", "Python or PyTorch"),
    (r"papi", "PAPI"), (r"CL/", "OpenCL"), (r"cuda_gl_interop|cudaGL|cudaEGL|cudaD3D", "graphics"),
    (HELPERS, SAMPLES),
    (r"hdf5|netcdf|gsl/|fftw|mkl", "a numerical library"), (r"nvscibuf|nvscisync", "NvSci"),
]
NAMES = [
    (r"cublas", "cuBLAS"), (r"cufft", "cuFFT"), (r"cusparse", "cuSPARSE"),
    (r"cusolver", "cuSOLVER"),
    (r"curand(?:Create|Generate|Generator|Set|Destroy|Get|RngType|Ordering)", "cuRAND (host)"),
    (r"cudnn", "cuDNN"), (r"nccl", "NCCL"), (r"npp[is]", "NPP"), (r"nvml", "NVML"),
    (r"nvrtc", "NVRTC"), (r"GOMP_|omp_|__kmpc", "OpenMP"), (r"MPI_", "MPI"),
    (r"gl[A-Z]|glut|glew|glfw", "graphics"), (r"thrust\b", "Thrust"), (r"cub\b", "CUB"),
    (r"[sdcz](?:ge|gb|sy|he|po|pb|or|un|st|tr|gt)(?:sv|svd|svx|ev|evd|evr|trf|trs|tri|qrf|lqf|qlf|"
     r"rqf|els|con|mqr|gqr|gv|hrd|brd|sdd)_$|LAPACKE_", "LAPACK"),
    (r"[sdcz](?:gemm|gemv|ger|symm|symv|trsm|trsv|trmm|trmv|syrk|dot[uc]?|axpy|scal|copy|swap|nrm2|"
     r"asum)_$|cblas_", "BLAS"),
    (r"BZ2_", "bzip2"), (r"(?:inflate|deflate)(?:Init|End|$)|gz(?:open|read|write|close)$", "zlib"),
    (r"testing::", "GoogleTest"), (r"benchmark::", "Google Benchmark"), (r"Catch::", "Catch2"),
    (r"fmt::", "fmt"), (r"munit_", "munit"),
    (r"cv\b", "OpenCV"), (r"FreeImage|png_|jpeg_|TIFF", "an image library"),
]
# What to do about one that is missing, where there is something.
ADVICE = {
    SAMPLES: "--headers path/to/cuda-samples/Common",
    "Thrust": "nvcc brings it along", "CUB": "nvcc brings it along",
    "MPI": "the page on your own programs says how one is built and run",
    "cuRAND (host)": "curand_kernel.h is there, for kernels",
    "CCCL": "a newer toolkit may have that header", "GoogleTest": "install it (libgtest-dev)",
    "graphics": "there is no display: write an image file",
}


def library_of_header(header):
    for pattern, library in HEADERS:
        if re.match(pattern, header, re.IGNORECASE):
            return library
    return None


OF_TABLES = re.compile(r"^(?:(?:vtable|typeinfo(?: name)?|VTT|guard variable) for|"
                       r"non-virtual thunk to) ")


def plain(name):
    """A name as a text has it, of one that a linker prints: without its parameters, a template's
    arguments and its result's type, and what it is a table for."""
    name = OF_TABLES.sub("", name).replace("(anonymous namespace)::", "").partition("(")[0]
    while (shorter := re.sub(r"<[^<>]*>|\[abi:\w+\]", "", name)) != name:
        name = shorter
    return (name.split() or [""])[-1]


def library_of_name(name):
    for pattern, library in NAMES:
        if re.match(pattern, plain(name)):
            return library
    return None


@functools.cache
def is_installed(library):
    """Whether gcc finds lib`library`, shared or static."""
    for kind in ("so", "a"):
        try:
            said = subprocess.run(["gcc", f"-print-file-name=lib{library}.{kind}"],
                                  capture_output=True, text=True, check=False).stdout
        except OSError:
            return False
        if os.path.isabs(said.strip()):
            return True
    return False


def installed():
    """Those of INSTALLED that are there: with another one a program may no longer need it."""
    return [library for library, parts in INSTALLED.items() if is_installed(parts[-1])]


def flags_for(name):
    """The flags that link the library of an undefined name; none: it is not installed."""
    libraries = INSTALLED.get(library_of_name(name), [])
    if not libraries or not is_installed(libraries[-1]):
        return []
    return [f"-l{library}" for library in libraries if is_installed(library)] + ["-lpthread"]
