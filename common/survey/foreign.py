# SPDX-License-Identifier: MIT
"""Libraries that are no part of the CUDA runtime, by their headers and by the names they define."""

import re

# What may be linked: a C library's own parts, the CUDA runtime and NCCL, which comes with it here.
LIBRARIES = {"m", "pthread", "rt", "dl", "cudart", "cudart_static", "cuda", "cudadevrt", "gomp",
             "nccl"}

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
    (r"GL/|GLES|GLFW|glut|glew|EGL|vulkan|SDL|X11/|d3d|DirectX|dxgi|windows\.h|rendercheck",
     "graphics"),
    (r"FreeImage|jpeglib|png\.h|tiff|stb_image", "an image library"),
    (r"boost/", "Boost"), (r"Eigen/", "Eigen"), (r"gtest/|gmock/", "GoogleTest"),
    (r"benchmark/", "Google Benchmark"),
    (r"torch/|ATen/|c10/|pybind11|Python\.h", "Python or PyTorch"),
    (r"papi", "PAPI"), (r"CL/", "OpenCL"), (r"cuda_gl_interop|cudaGL|cudaEGL|cudaD3D", "graphics"),
    (HELPERS, SAMPLES),
    (r"hdf5|netcdf|gsl/|fftw|mkl", "a numerical library"), (r"nvscibuf|nvscisync", "NvSci"),
]
NAMES = [
    (r"cublas", "cuBLAS"), (r"cufft", "cuFFT"), (r"cusparse", "cuSPARSE"),
    (r"cusolver", "cuSOLVER"), (r"curand(?:Create|Generate|Set|Destroy)", "cuRAND (host)"),
    (r"cudnn", "cuDNN"), (r"nccl", "NCCL"), (r"npp[is]", "NPP"), (r"nvml", "NVML"),
    (r"nvrtc", "NVRTC"), (r"GOMP_|omp_|__kmpc", "OpenMP"), (r"MPI_", "MPI"),
    (r"gl[A-Z]|glut|glew|glfw", "graphics"), (r"thrust\b", "Thrust"), (r"cub\b", "CUB"),
    (r"[sdcz](?:ge|gb|sy|he|po|pb|or|un|st|tr|gt)(?:sv|svd|svx|ev|evd|evr|trf|trs|tri|qrf|lqf|qlf|"
     r"rqf|els|con|mqr|gqr|gv|hrd|brd|sdd)_$|LAPACKE_", "LAPACK"),
    (r"[sdcz](?:gemm|gemv|ger|symm|symv|trsm|trsv|trmm|trmv|syrk|dot[uc]?|axpy|scal|copy|swap|nrm2|"
     r"asum)_$|cblas_", "BLAS"),
    (r"BZ2_", "bzip2"), (r"(?:inflate|deflate)(?:Init|End|$)|gz(?:open|read|write|close)$", "zlib"),
    (r"cv\b", "OpenCV"), (r"FreeImage|png_|jpeg_|TIFF", "an image library"),
]
# What to do about one that is missing, where there is something.
ADVICE = {
    SAMPLES: "--headers path/to/cuda-samples/Common",
    "Thrust": "nvcc brings it along", "CUB": "nvcc brings it along",
    "MPI": "the page on your own programs says how one is built and run",
    "cuRAND (host)": "curand_kernel.h is there, for kernels",
    "graphics": "there is no display: write an image file",
}


def library_of_header(header):
    for pattern, library in HEADERS:
        if re.match(pattern, header, re.IGNORECASE):
            return library
    return None


def library_of_name(name):
    for pattern, library in NAMES:
        if re.match(pattern, name):
            return library
    return None
