# Where wheels for Linux of 2018 and later (glibc 2.28) are built; those of scripts/build-wheel.sh alone want what they were
# built on, glibc 2.35 or later. UNTESTED: it was written on a machine without containers, so expect to mend it.
#
#   docker build -f scripts/manylinux_2_28.Dockerfile -t quartic-wheels scripts
#   docker run --rm -v "$PWD":/quartic -w /quartic quartic-wheels \
#     scripts/build-wheel.sh /opt/python/cp312-cp312/bin/python /opt/licences
FROM quay.io/pypa/manylinux_2_28_x86_64

ARG OPENBLAS=0.3.30 MUMPS=5.6.2 EIGEN=3.4.0 JSON=3.11.3 PUGIXML=1.14 CLI11=2.4.2 TINYGLTF=2.8.21

# GCC 14 with gfortran and CMake are the image's.
RUN dnf install -y zlib-devel && dnf clean all
RUN /opt/python/cp312-cp312/bin/python -m pip install ninja && ln -s /opt/python/cp312-cp312/bin/ninja /usr/local/bin
WORKDIR /opt/sources
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
RUN get() { mkdir "$1" && curl -fsSL "$2" | tar xz -C "$1" --strip-components 1; }; \
    get openblas https://github.com/OpenMathLib/OpenBLAS/releases/download/v$OPENBLAS/OpenBLAS-$OPENBLAS.tar.gz; \
    get mumps https://mumps-solver.org/MUMPS_$MUMPS.tar.gz; \
    get eigen https://gitlab.com/libeigen/eigen/-/archive/$EIGEN/eigen-$EIGEN.tar.gz; \
    get json https://github.com/nlohmann/json/archive/refs/tags/v$JSON.tar.gz; \
    get pugixml https://github.com/zeux/pugixml/archive/refs/tags/v$PUGIXML.tar.gz; \
    get cli11 https://github.com/CLIUtils/CLI11/archive/refs/tags/v$CLI11.tar.gz; \
    get tinygltf https://github.com/syoyo/tinygltf/archive/refs/tags/v$TINYGLTF.tar.gz

# All processors in one library, and no more threads than quartic asks for.
RUN make -C openblas -j"$(nproc)" DYNAMIC_ARCH=1 USE_OPENMP=0 NUM_THREADS=64 libs netlib shared && \
    make -C openblas DYNAMIC_ARCH=1 PREFIX=/usr/local install

# Sequential, as archives that go into a shared library, under the names that cmake/mumps.cmake looks for.
RUN cd mumps && cp Make.inc/Makefile.inc.generic.SEQ Makefile.inc && \
    make -j1 d CC=gcc FC=gfortran FL=gfortran OPTC="-O2 -fPIC" OPTF="-O2 -fPIC -fallow-argument-mismatch" OPTL=-O2 && \
    mkdir -p /usr/local/include/mumps_seq && cp include/*.h libseq/*.h /usr/local/include/mumps_seq && \
    for name in dmumps mumps_common pord; do cp lib/lib$name.a /usr/local/lib/lib${name}_seq.a; done && \
    cp libseq/libmpiseq.a /usr/local/lib/libmpiseq_seq.a

RUN for name in eigen json pugixml cli11 tinygltf; do \
      cmake -S $name -B build/$name -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DJSON_BuildTests=OFF -DCLI11_BUILD_TESTS=OFF \
        -DCLI11_BUILD_EXAMPLES=OFF -DTINYGLTF_BUILD_LOADER_EXAMPLE=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON && \
      cmake --build build/$name -j "$(nproc)" && cmake --install build/$name; done

RUN mkdir /opt/licences && cp openblas/LICENSE /opt/licences/openblas.txt && cp mumps/LICENSE /opt/licences/mumps.txt && \
    cp eigen/COPYING.MPL2 /opt/licences/eigen.txt && cp json/LICENSE.MIT /opt/licences/nlohmann-json.txt && \
    cp pugixml/LICENSE.md /opt/licences/pugixml.txt && cp cli11/LICENSE /opt/licences/cli11.txt && \
    cp tinygltf/LICENSE /opt/licences/tinygltf.txt && cp /usr/share/licenses/libgcc/* /opt/licences
